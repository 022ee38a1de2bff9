/** What `ralph run` asks whoever sits at the terminal before it begins: for the answer to a question, and whether to begin afresh. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { asks, eventsOf, finishes, idles, type KeptProject, makeKeptProject, says, storiesOf } from './support/loop.ts'
import { until } from './support/processes.ts'
import type { ProjectSketch, Steps } from './support/project.ts'
import { openTerminal, type Terminal } from './support/terminal.ts'

type Attended = KeptProject & { terminal(...args: string[]): Terminal }

function project(t: TestContext, sketch: ProjectSketch): Attended {
  const made = makeKeptProject(sketch)
  const screens: Terminal[] = []
  t.after(() => {
    for (const screen of screens) screen.close()
    made.remove()
  })
  const terminal = (...args: string[]): Terminal => {
    const screen = openTerminal(made, ['run', '--no-archive', ...args], { columns: 120, rows: 40 })
    screens.push(screen)
    return screen
  }
  return { ...made, terminal }
}

const shows = (screen: Terminal, what: RegExp): Promise<string> =>
  until(`${what} on the screen`, () => screen.lines().find((line) => what.test(line)))
const type = (screen: Terminal, text: string): void => {
  for (const key of text) screen.press(key === ' ' ? 'Space' : key)
}
const end = (screen: Terminal): Promise<string> => shows(screen, /^\[exit /)
const answers = (made: KeptProject): string[] => eventsOf(made, 'question.answered').map(({ text }) => text)

test('an open question is shown, and what is typed is its answer [R-HUM-2]', async (t) => {
  const made = project(t, { script: { iterations: [asks('tabs or\nspaces?'), finishes] } })
  assert.equal((await made.run('run')).code, 3)
  const screen = made.terminal()
  await shows(screen, /^ {2}Your answer \(empty to skip\):/)
  assert.match(screen.lines().join('\n'), /^\? Iteration 1 asks for S-1: tabs or\n {2}spaces\?$/m)
  type(screen, 'tabx')
  screen.press('BSpace')
  type(screen, 's, always')
  screen.press('Enter')
  assert.equal(await end(screen), '[exit 0]')
  assert.deepEqual(answers(made), ['tabs, always'])
  assert.match(made.prompt(2), /tabs, always/)
  assert.equal(made.has('.ralph/thing/decide.txt'), false)
})

test('an empty line, or only blanks, is no answer: exit 3, with the way to give one [R-HUM-2]', async (t) => {
  const made = project(t, { script: { iterations: [asks('tabs or spaces?'), finishes] } })
  assert.equal((await made.run('run')).code, 3)
  const screen = made.terminal()
  await shows(screen, /Your answer/)
  screen.press('Space')
  screen.press('Enter')
  assert.equal(await end(screen), '[exit 3]')
  assert.match(screen.lines().join('\n'), /Answer with: ralph answer/)
  assert.deepEqual([answers(made), storiesOf(made), made.has('.ralph/thing/decide.txt')], [[], ['S-1'], true])
})

test('several questions are asked in turn; a parked one that is left open stops nothing [R-HUM-2] [R-HUM-4]', async (t) => {
  const made = project(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: { iterations: [asks('red?'), asks('round?'), finishes] },
    config: { defaults: { decide: 'park' } },
  })
  assert.equal((await made.run('run')).code, 3)
  const screen = made.terminal()
  await shows(screen, /Your answer/)
  screen.press('Enter')
  await shows(screen, /Iteration 2 asks for S-2: round\?/)
  await until('the second prompt', () => screen.lines().filter((line) => line.includes('Your answer')).length === 2)
  type(screen, 'yes')
  screen.press('Enter')
  assert.equal(await end(screen), '[exit 3]')
  assert.deepEqual([answers(made), storiesOf(made)], [['yes'], ['S-1', 'S-2', 'S-2']])
})

test('Ctrl+C at the question ends the command with 130 and leaves everything as it was [R-INT-1]', async (t) => {
  const made = project(t, { script: { otherwise: asks('tabs or spaces?') } })
  assert.equal((await made.run('run')).code, 3)
  const before = made.read('.ralph/thing/events.jsonl')
  const screen = made.terminal()
  await shows(screen, /Your answer/)
  type(screen, 'tab')
  screen.press('C-c')
  assert.equal(await end(screen), '[exit 130]')
  assert.match(screen.lines().join('\n'), /^ralph: Stopped \(SIGINT\) before the run began/m)
  assert.equal(made.read('.ralph/thing/events.jsonl'), before)
  assert.equal(made.has('.git/ralph.lock'), false)
})

test('a blocker is shown, and no one is asked [R-HUM-1]', async (t) => {
  const made = project(t, { script: { otherwise: says('<promise>BLOCKED:no database</promise>') } })
  assert.equal((await made.run('run')).code, 2)
  const screen = made.terminal()
  assert.equal(await end(screen), '[exit 2]')
  assert.match(screen.lines().join('\n'), /Blocked since iteration 1: no database\nResolve it, then: ralph unblock/)
})

for (const flag of ['--quiet', '--json'])
  test(`with ${flag} nobody is asked [R-HUM-2] [R-ESC-4]`, async (t) => {
    const made = project(t, { script: { otherwise: asks('tabs or spaces?') } })
    assert.equal((await made.run('run')).code, 3)
    assert.equal(await end(made.terminal(flag)), '[exit 3]')
  })

/** S-1 fails with its only attempt; from then on it does well. */
async function failed(t: TestContext): Promise<{ made: Attended; branch: string }> {
  const fails: Steps = [{ write: { path: 'bad.txt', text: 'x' } }, { commit: 'feat: bad' }, { flip: 'S-1' }, { say: 'There.' }]
  const made = project(t, {
    script: { iterations: [fails, finishes] },
    config: { gates: { tests: 'test ! -e bad.txt' }, defaults: { max_attempts: 1 } },
  })
  const { code, out } = await made.run('run')
  assert.equal(code, 1, out)
  const branch = made.git('branch', '--list', '--format=%(refname:short)', 'wip/*')
  assert.match(branch, /^wip\/ralph-fail-S-1-\d{8}-\d{6}$/)
  return { made, branch }
}

test('f starts afresh: the failure is forgotten, its branch is under archive/, and the story is tried again [R-ESC-4]', async (t) => {
  const { made, branch } = await failed(t)
  const screen = made.terminal()
  assert.match(
    await shows(screen, /\[r\]/),
    /^ {2}\[r\] resume \(keep\) {2}\[f\] fresh \(reset\) {2}\(resumes automatically in 30 s\)$/,
  )
  assert.match(screen.lines().join('\n'), /^\? S-1 failed before\. Keep its failures and attempts, or reset them\?$/m)
  screen.press('f')
  assert.equal(await end(screen), '[exit 0]')
  assert.ok(screen.lines().includes(`Moved ${branch} to archive/${branch}`))
  assert.equal(made.git('branch', '--list', '--format=%(refname:short)', '*wip/*'), `archive/${branch}`)
  assert.equal(made.plan().userStories[0]!['failed'], undefined)
  assert.deepEqual(
    eventsOf(made, 'iteration.started').map(({ attempt }) => attempt),
    [1, 1],
  )
})

for (const key of ['r', 'Enter'])
  test(`${key} goes on from there: what failed stays so [R-ESC-4]`, async (t) => {
    const { made, branch } = await failed(t)
    const screen = made.terminal()
    await shows(screen, /\[r\]/)
    screen.press(key)
    assert.equal(await end(screen), '[exit 1]')
    assert.equal(made.git('branch', '--list', '--format=%(refname:short)', '*wip/*'), branch)
    assert.equal(eventsOf(made, 'iteration.started').length, 1)
  })

test('Ctrl+C there ends the command with 130, and the terminal is as before [R-ESC-4] [R-INT-1]', async (t) => {
  const { made, branch } = await failed(t)
  const screen = made.terminal()
  await shows(screen, /\[r\]/)
  screen.press('C-c')
  assert.equal(await end(screen), '[exit 130]')
  assert.equal(made.git('branch', '--list', '--format=%(refname:short)', '*wip/*'), branch)
  assert.equal(made.has('.git/ralph.lock'), false)
})

test('--resume and --fresh say it beforehand, and nobody is asked [R-ESC-4]', async (t) => {
  const { made } = await failed(t)
  assert.equal(await end(made.terminal('--resume')), '[exit 1]')
})

/** Red whatever anybody does. */
const red = { gates: { tests: 'echo "not ok 1 old bug"; exit 1' } }
const asked = (made: KeptProject): (string | undefined)[] =>
  eventsOf(made, 'gates.ended').flatMap(({ asked = 'nobody', iteration }) => (iteration === 'whole' ? [asked] : []))

test('gates that are red before the first iteration are shown, and whoever is there says what that means before any call [R-GATE-6]', async (t) => {
  const made = project(t, { script: { otherwise: finishes }, config: red })
  const quits = made.terminal()
  await shows(quits, /\[c\] continue {2}\[t\] tolerate {2}\[q\] quit/)
  assert.match(
    quits.lines().join('\n'),
    /✗ gate tests failed in \S+ \(exit 1\)\n +not ok 1 old bug\n\? Gate "tests" fails before any agent has worked\./,
  )
  quits.press('q')
  assert.equal(await end(quits), '[exit 130]')
  assert.match(quits.lines().join('\n'), /^Failing: +the whole project: gate tests failed/m)
  assert.deepEqual([eventsOf(made, 'call.requested').length, asked(made)], [0, ['quit']])

  const continues = made.terminal('-n', '1')
  await shows(continues, /\[c\] continue/)
  continues.press('c')
  assert.equal(await end(continues), '[exit 1]')
  assert.match(made.prompt(1), /Gate tests was red before this run began\. No story passes until it is green/)

  const tolerates = made.terminal('--fresh')
  await shows(tolerates, /\[c\] continue/)
  tolerates.press('t')
  assert.equal(await end(tolerates), '[exit 0]')
  assert.deepEqual(asked(made).slice(0, 3), ['quit', 'continue', 'tolerate'])
  assert.match(made.prompt(2), /That is tolerated as long as it fails in exactly the same way/)
})

test('with --yes, in CI, or with --baseline nobody is asked about red gates', async (t) => {
  const made = project(t, { script: { otherwise: idles }, config: red })
  for (const flags of [['--yes'], ['--baseline', 'strict']]) {
    const screen = made.terminal('-n', '1', '--max-stuck', '0', ...flags)
    assert.equal(await end(screen), '[exit 1]')
    assert.doesNotMatch(screen.lines().join('\n'), /\[c\] continue/)
  }
  made.env['CI'] = 'true'
  assert.equal(await end(made.terminal('-n', '1', '--max-stuck', '0')), '[exit 1]')
  assert.deepEqual(asked(made), ['nobody', 'nobody', 'nobody'])
})

const sixStories = { stories: [1, 2, 3, 4, 5, 6].map((n) => ({ id: `S-${n}` })), config: { budget: { ask_above_usd: 1 } } }

test('a run that may cost more than ask_above_usd is started only if somebody wants it [R-COST-3]', async (t) => {
  const made = project(t, { ...sixStories, script: { otherwise: [{ usage: { cost: 2 } }, ...finishes] } })
  const first = await made.run('run', '-n', '5')
  assert.match(
    first.out,
    /^estimate: 6 stories left: \d+ to \d+ iterations, .*, \$[\d.]+ to \$[\d.]+ \(no history, guessed from the number of stories\)$/m,
  )
  const dry = await made.run('run', '--dry-run')
  assert.match(dry.out, /^Estimate: 1 story left: 1 iteration, .*, \$2\.00 \(p50 to p90 of 5 finished stories\)$/m)
  const no = made.terminal()
  await shows(no, /^ {2}\[y\] yes {2}\[n\] no {2}\(ends automatically in 2 min\)$/)
  assert.match(no.lines().join(' '), /\? Estimate: 1 story left: .*That is above +budget\.ask_above_usd \(\$1\)\. +Start\?/)
  no.press('n')
  assert.equal(await end(no), '[exit 130]')
  assert.equal(eventsOf(made, 'run.started').length, 1)
  const unattended = await made.run('run', '--no-archive')
  assert.equal(unattended.code, 0, unattended.out)
  assert.match(unattended.out + unattended.err, /! This run may cost more than budget\.ask_above_usd \(\$1\): 1 story left/)
  assert.equal(eventsOf(made, 'run.started')[1]?.estimate?.costUsd?.p90, 2)
})
