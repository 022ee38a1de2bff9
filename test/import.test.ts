/** `ralph import`, through the built program: stories out of documents and out of other tools' plans, and every way in which there are none. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { filesUnder, keptProjectFor } from './support/loop.ts'
import { until, untilEvent } from './support/processes.ts'
import { type ProjectSketch, projectFor, type Steps, type TestProject } from './support/project.ts'
import { openTerminal, type Terminal } from './support/terminal.ts'

const item = (id: string, title: string, fields: object = {}) => ({
  ...{ id, title, description: `${title}, for readers.`, acceptanceCriteria: [`${title} works`], priority: 1, dependsOn: [] },
  ...fields,
})
const signUp = item('S-1', 'Sign up')
const logIn = item('S-2', 'Log in', { priority: 2, dependsOn: ['S-1'] })
const answers = (...stories: object[]): Steps => [{ say: JSON.stringify({ stories }) }]
const spec = '# Accounts\n\nReaders sign up, then they log in.\n'

/** An agent that plays one list of steps per call. */
const project = (t: TestContext, calls: Steps[], sketch: ProjectSketch = {}): TestProject =>
  projectFor(t, { script: { iterations: calls }, files: { 'spec.md': spec }, ...sketch })
const storiesIn = (made: TestProject, feature: string) =>
  JSON.parse(made.read(`.ralph/${feature}/prd.json`)).userStories as { id: string; title: string }[]
const idsIn = (made: TestProject, feature: string) => storiesIn(made, feature).map(({ id, title }) => `${id} ${title}`)

test('a document becomes the plan of a new feature, made by an agent that is asked to look and to answer in a form', async (t) => {
  const made = project(t, [
    [
      { expect: { prompt: 'Readers sign up, then they log in\\.\\n~~~' } },
      { run: 'echo "$RALPH_READ_ONLY $RALPH_ANSWER" > "$TMPDIR/asked"; cat "$RALPH_SCHEMA" > "$TMPDIR/schema"' },
      ...answers(signUp, logIn),
    ],
  ])
  const { code, out } = await made.run('import', 'spec.md', '-f', 'accounts', '--yes')
  assert.equal(code, 0)
  assert.match(out, /^2 stories from spec\.md, for \.ralph\/accounts\/prd\.json:$/m)
  assert.match(out, /^ {2}S-2 {2}Log in {2}\(priority 2, after S-1\)\n {6}Log in, for readers\.\n {6}- Log in works$/m)
  assert.match(out, /^Created feature accounts\. 2 stories from spec\.md written to \.ralph\/accounts\/prd\.json\.$/m)
  const { feature, branchName, description, userStories } = JSON.parse(made.read('.ralph/accounts/prd.json'))
  assert.deepEqual([feature, branchName, description], ['accounts', 'feature/accounts', 'Accounts'])
  const { dependsOn: _none, ...first } = signUp
  assert.deepEqual(userStories, [
    { ...first, passes: false, notes: '' },
    { ...logIn, passes: false, notes: '' },
  ])
  assert.ok(made.has('.ralph/accounts/prompt.md') && made.has('.ralph/prd.schema.json'))
  const base = join(made.root, '..')
  assert.equal(readFileSync(join(base, 'asked'), 'utf8'), '1 stories\n')
  assert.deepEqual(JSON.parse(readFileSync(join(base, 'schema'), 'utf8')).required, ['stories'])
  assert.equal((await made.run('run', '-f', 'accounts', '--dry-run')).code, 0)
})

test('what a killed import was about to write is removed by the next run', async (t) => {
  const made = project(t, [], { script: { otherwise: [{ flip: '$RALPH_STORY' }, { say: 'There.' }] } })
  const { pid } = spawnSync('true')
  made.write(`.ralph/logs/.stories.schema.json.tmp-${pid}-4`, '{"half')
  await made.run('run')
  assert.deepEqual(
    readdirSync(made.path('.ralph/logs')).filter((name) => name.includes('.tmp-')),
    [],
  )
})

test('an answer that is no plan is told to the agent once, and the second one counts', async (t) => {
  const made = keptProjectFor(t, {
    stories: null,
    files: { 'spec.md': spec },
    script: { iterations: [answers(logIn), answers(signUp, logIn)] },
  })
  const { code, err } = await made.run('import', 'spec.md', '--yes')
  assert.equal(code, 0)
  const problem = 'story S-2: dependsOn: found "S-1", expected the id of a story in this plan.'
  assert.ok(err.includes(`! Cannot use the answer of kept: ${problem} Asking again.\n`))
  assert.doesNotMatch(made.prompt(1), /last answer/)
  assert.ok(made.prompt(2).includes(`## Your last answer could not be used\n${problem}\n`))
  assert.deepEqual(idsIn(made, 'thing'), ['S-1 Sign up', 'S-2 Log in'])
})

test('two answers that cannot be used end with the reason and with where they are; no feature is made', async (t) => {
  const made = project(t, [[{ say: 'I would rather not.' }]])
  const { code, err } = await made.run('import', 'spec.md', '-f', 'accounts', '--yes')
  assert.equal(code, 65)
  assert.match(
    err,
    /^ralph: Could not create stories from spec\.md: The answer has no valid JSON object with a list "stories"\. The agent's output is in \.ralph\/logs\/import-accounts\.log\.$/m,
  )
  assert.match(made.read('.ralph/logs/import-accounts.log'), /I would rather not\./)
  assert.equal(made.has('.ralph/accounts'), false)
})

test('without a terminal and without --yes nothing is written, and what was made can be taken without asking again', async (t) => {
  const made = project(t, [answers(signUp, logIn), [{ fail: 'asked again' }]])
  const { code, out, err } = await made.run('import', 'spec.md', '-f', 'accounts')
  assert.equal(code, 64)
  assert.match(out, /^ {2}S-1 {2}Sign up/m)
  assert.equal(made.has('.ralph/accounts'), false)
  const command = /To accept these: ralph (import \S+ --from snarktank -f accounts --yes) /.exec(err)?.[1]
  assert.ok(command !== undefined, err)
  assert.equal((await made.run(...command.split(' '))).code, 0)
  assert.deepEqual(idsIn(made, 'accounts'), ['S-1 Sign up', 'S-2 Log in'])
})

test('a plan that has stories gets the new ones at its end, with ids of their own, and nothing else in it changes', async (t) => {
  const made = project(t, [answers(signUp, logIn)], { stories: [{ id: 'S-1', passes: true }, { id: 'S-2' }] })
  const before = made.read('.ralph/thing/prd.json')
  const { code, out } = await made.run('import', 'spec.md', '--yes')
  assert.equal(code, 0)
  assert.match(out, /^2 stories from spec\.md, for the end of \.ralph\/thing\/prd\.json, which has 2:$/m)
  const after = made.read('.ralph/thing/prd.json')
  assert.ok(after.startsWith(before.slice(0, before.lastIndexOf('}\n  ]') + 1)))
  assert.deepEqual(idsIn(made, 'thing'), ['S-1 Story S-1', 'S-2 Story S-2', 'S-3 Sign up', 'S-4 Log in'])
  assert.deepEqual(JSON.parse(after).userStories[3].dependsOn, ['S-3'])
})

test('files that cannot be read as a document are refused before anyone is asked', async (t) => {
  const made = project(t, [[{ fail: 'asked' }]], {
    files: { 'empty.md': ' \n', 'picture.png': 'a\0b', 'large.md': 'word '.repeat(50_000), 'docs/a.md': 'x' },
  })
  writeFileSync(made.path('latin1.txt'), Buffer.from([0x63, 0x61, 0x66, 0xe9]))
  const before = filesUnder(made.root)
  const refused = async (file: string) => {
    const { code, err } = await made.run('import', file, '--yes')
    return [code, err]
  }
  assert.deepEqual(await refused('none.md'), [64, 'ralph: File not found: none.md. Name a document or a plan.\n'])
  assert.deepEqual(await refused('docs'), [64, 'ralph: docs is a folder. Name a file in it.\n'])
  assert.deepEqual(await refused('empty.md'), [65, 'ralph: empty.md is empty: nothing to import.\n'])
  const noText = (name: string) => [65, `ralph: ${name} is not a text file. Use a UTF-8 document, such as markdown.\n`]
  assert.deepEqual(await refused('picture.png'), noText('picture.png'))
  assert.deepEqual(await refused('latin1.txt'), noText('latin1.txt'))
  assert.deepEqual(await refused('large.md'), [
    65,
    'ralph: large.md is too large (250 kB, at most 200 kB). Split it, and import the parts one by one into the same feature.\n',
  ])
  assert.deepEqual(filesUnder(made.root), before)
})

test('an agent that is missing, limited or not logged in is told as in a run, and so are the calls of the hour', async (t) => {
  const made = project(t, [[{ limit: { until: 'in 5m' } }], [{ login: true }]])
  const failed = async (...args: string[]) => {
    const { code, err } = await made.run('import', 'spec.md', '--yes', ...args)
    return [code, err.split('\n').at(-2)!] as const
  }
  const config = made.read('.ralph/config.yaml')
  made.write('.ralph/config.yaml', 'agent: {name: mine, command: [./no-such-program]}\n')
  const [missing, missingWords] = await failed()
  made.write('.ralph/config.yaml', config)
  assert.deepEqual(
    [missing, /^ralph: The agent "mine" needs the program \S+\/no-such-program, which was not found\./.test(missingWords)],
    [69, true],
  )
  assert.equal((await failed('--agent', 'nobody'))[0], 64)
  const [limited, limitedWords] = await failed()
  assert.deepEqual(
    [limited, /^ralph: scripted is not available: .* Import again after (\d{4}-\S+ )?\d\d:\d\d\.$/m.test(limitedWords)],
    [5, true],
  )
  const [again, againWords] = await failed()
  assert.deepEqual(
    [again, /^ralph: Usage limit of scripted reached\. Import again after (\d{4}-\S+ )?\d\d:\d\d\.$/m.test(againWords)],
    [5, true],
    'every run and import of this user knows it now',
  )
  rmSync(join(made.home, '.ralph', 'calls.json'))
  made.write('.ralph/agent.json', JSON.stringify({ otherwise: [{ login: true }] }))
  const [login, loginWords] = await failed()
  assert.deepEqual([login, /^ralph: scripted rejects the login or key: /.test(loginWords)], [77, true])
  Object.assign(made.env, { RALPH_RATE_LIMIT_PER_HOUR: '1' })
  const [rate, rateWords] = await failed()
  assert.deepEqual(
    [rate, /^ralph: Hourly call limit reached \(1; defaults\.rate_limit_per_hour\)\. Import again after /.test(rateWords)],
    [5, true],
  )
  assert.deepEqual(idsIn(made, 'thing'), ['S-1 Story S-1'])
})

test('an agent looks at a checkout of the project: what it writes there is gone, and what it writes elsewhere is told', async (t) => {
  const made = project(t, [
    [
      { write: { path: 'extra.txt', text: 'x' } },
      { run: 'pwd > "$TMPDIR/place"; cat spec.md > "$TMPDIR/seen"' },
      ...answers(signUp),
    ],
  ])
  const looked = await made.run('import', 'spec.md', '--yes', '-f', 'accounts')
  const base = join(made.root, '..')
  assert.deepEqual([looked.code, made.has('extra.txt'), readFileSync(join(base, 'seen'), 'utf8')], [0, false, spec])
  assert.doesNotMatch(looked.err, /changed files/)
  const place = readFileSync(join(base, 'place'), 'utf8').trim()
  assert.ok(place.includes('.planning') && !existsSync(place), place)
  made.write('.ralph/agent.json', JSON.stringify({ otherwise: [{ run: `touch ${made.path('extra.txt')}` }, ...answers(logIn)] }))
  const { code, err } = await made.run('import', 'spec.md', '--yes', '-f', 'accounts')
  assert.equal(code, 0)
  assert.match(
    err,
    /^! scripted changed files, although it was only asked to read\. Check them before you continue \(git status\)\.$/m,
  )
})

test('an agent that does not answer in its time is ended, and not asked again', async (t) => {
  const made = project(t, [['hang' as never], answers(signUp)])
  Object.assign(made.env, { RALPH_TIMEOUT_MINUTES: '0.01' })
  const { code, err } = await made.run('import', 'spec.md', '--yes', '-f', 'accounts')
  assert.deepEqual([code, made.has('.ralph/accounts')], [65, false])
  assert.match(
    err,
    /^ralph: Could not create stories from spec\.md: timed out after \S+ \(defaults\.timeout_minutes\)\. The agent's output /m,
  )
})

test('Ctrl+C ends the agent and leaves everything as it was', async (t) => {
  const made = project(t, [[{ run: 'touch "$TMPDIR/begun"' }, 'hang' as never]])
  const { child, ended, output } = made.start('import', 'spec.md', '--yes', '-f', 'accounts')
  await until('the agent has begun', () => existsSync(join(made.root, '..', 'begun')))
  child.kill('SIGINT')
  const { code } = await ended
  assert.deepEqual([code, made.has('.ralph/accounts')], [130, false])
  assert.match(output(), /^Nothing was written\.$/m)
})

test('a live run is not disturbed', async (t) => {
  const made = project(t, [['hang' as never]], { files: { 'prd.json': '{"userStories":[{"id":"X-1","title":"x"}]}' } })
  const { child, ended } = made.start('run')
  await untilEvent(made, 'iteration.started')
  const { code } = await made.run('import', 'prd.json', '--from', 'snarktank', '--yes')
  assert.deepEqual([code, idsIn(made, 'thing')], [75, ['S-1 Story S-1']])
  child.kill('SIGINT')
  await ended
})

const plans: Record<string, { tool: string; text: string; ids: string[]; remark: RegExp }> = {
  'prd.json': {
    tool: 'snarktank',
    text: JSON.stringify({ project: 'P', branchName: 'ralph/x', userStories: [{ id: 'US-001', title: 'One', passes: true }] }),
    ids: ['US-001 One'],
    remark: /^! Kept in the plan, but not used by Ralph: project\.$/m,
  },
  'plan.json': {
    tool: 'ralph-tui',
    text: JSON.stringify({ name: 'P', userStories: [{ id: 'US-001', title: 'One', passes: false, labels: ['ui'] }] }),
    ids: ['US-001 One'],
    remark: /^! Kept in the stories, but not used by Ralph: labels\.$/m,
  },
  'tasks.json': {
    tool: 'task-master',
    text: JSON.stringify({
      master: { tasks: [{ id: 1, title: 'One', subtasks: [{ id: 1, title: 'Part' }] }] },
      other: { tasks: [] },
    }),
    ids: ['1.1 Part', '1 One'],
    remark: /^! Imported the tag master, not other \(choose one with --tag\)\.$/m,
  },
  'fix_plan.md': {
    tool: 'fix-plan',
    text: '# Plan\nCarefully.\n\n- [ ] One\n  - [x] Part\n',
    ids: ['part Part', 'one One'],
    remark: /^! What belongs to no item is the description of the plan\.$/m,
  },
}
for (const [file, { tool, text, ids, remark }] of Object.entries(plans))
  test(`a plan of ${tool} is known by itself, and taken over without an agent`, async (t) => {
    const made = project(t, [[{ fail: 'asked' }]], { files: { [file]: text } })
    const offered = await made.run('import', file, '-f', 'new')
    assert.deepEqual(
      [offered.code, offered.err],
      [64, `ralph: ${file} is already a plan. To import it: ralph import ${file} --from ${tool} -f new --yes\n`],
    )
    const { code, out } = await made.run('import', file, '--from', tool, '-f', 'new', '--yes')
    assert.equal(code, 0)
    assert.match(out, remark)
    assert.deepEqual(idsIn(made, 'new'), ids)
    assert.equal((await made.run('run', '-f', 'new', '--dry-run')).code, 0)
  })

test('PROMPT.md and @fix_plan.md in the root: a run points to the command that takes both over, and it does', async (t) => {
  const made = project(t, [[{ fail: 'asked' }]], { files: { 'PROMPT.md': 'Carefully.\n', '@fix_plan.md': '- [ ] One\n' } })
  rmSync(made.dir, { recursive: true })
  const pointed = await made.run('run')
  assert.equal(pointed.code, 64)
  const [, command] =
    /Import with: ralph (import @fix_plan.md -f \S+ --yes) \(PROMPT.md becomes its prompt.md\)/.exec(pointed.err) ?? []
  const { code, out } = await made.run(...(command ?? '').split(' '))
  assert.equal(code, 0, pointed.err)
  assert.match(out, /^Copied PROMPT\.md to \.ralph\/project\/prompt\.md\.$/m)
  assert.deepEqual([idsIn(made, 'project'), made.read('.ralph/project/prompt.md')], [['one One'], 'Carefully.\n'])
})

test('a plan that cannot be taken over is left alone, with what is wrong in it', async (t) => {
  const circle = [
    { id: 1, title: 'a', dependencies: [2] },
    { id: 2, title: 'b', dependencies: [1] },
  ]
  const made = project(t, [[{ fail: 'asked' }]], {
    files: { 'tasks.json': JSON.stringify({ tasks: circle }), 'half.json': '{"tasks": [' },
  })
  const refused = async (...args: string[]) => {
    const { code, err } = await made.run('import', ...args, '-f', 'new', '--yes')
    return [code, err]
  }
  assert.deepEqual(await refused('tasks.json'), [
    65,
    'ralph: tasks.json cannot be imported: circular dependencies (1 → 2 → 1): remove one of them. Fix it there, then import again.\n',
  ])
  assert.deepEqual(await refused('half.json', '--from', 'task-master'), [
    65,
    'ralph: half.json cannot be imported (--from task-master): not valid JSON\n',
  ])
  assert.deepEqual(await refused('spec.md', '--from', 'trello'), [
    64,
    'ralph: --from is "trello"; expected one of snarktank, ralph-tui, task-master, fix-plan, or a tracker: github, gitlab, linear, jira, beads.\n',
  ])
  assert.equal(made.has('.ralph/new'), false)
})

/** The terminal goes before the project: its socket lies in the project's folder. */
function terminalProject(t: TestContext, calls: Steps[], sketch: ProjectSketch = {}) {
  const screens: Terminal[] = []
  t.after(() => screens.forEach((screen) => void screen.close()))
  const made = project(t, calls, sketch)
  const onTerminal = (...args: string[]): Terminal => {
    const screen = openTerminal(made, args, { columns: 120, rows: 100 })
    screens.push(screen)
    return screen
  }
  return { made, onTerminal }
}

test('on a terminal the stories are edited, made again with a wish, and accepted', async (t) => {
  const { made, onTerminal } = terminalProject(t, [
    answers(signUp),
    [{ expect: { prompt: 'change from your last answer\\nOne more' } }, ...answers(signUp, logIn)],
  ])
  const cut = 'sed -i "s/works\\"/works\\",/" "$1"'
  made.write(
    '.ralph/edit.sh',
    `n=$(cat "$TMPDIR/edits" 2>/dev/null); echo "$n." > "$TMPDIR/edits"\n[ -z "$n" ] && ${cut} || sed -i 's/works",/works"/; s/"Sign up"/"Register"/' "$1"\n`,
  )
  Object.assign(made.env, { EDITOR: 'sh .ralph/edit.sh' })
  const screen = onTerminal('import', 'spec.md', '-f', 'accounts')
  const shows = (what: RegExp, count = 1) =>
    until(`${count} of ${what}`, () => screen.lines().filter((line) => what.test(line)).length >= count)
  const asks = /\[a\] accept {2}\[e\] edit {2}\[r\] redo {2}\[q\] quit/
  await shows(asks)
  screen.press('e')
  await shows(/^! stories\.json:\d+:\d+: trailing comma before \]$/)
  await shows(/\[e\] edit again {2}\[d\] discard the edits/)
  screen.press('e')
  await shows(/^ {2}S-1 {2}Register {2}\(priority 1\)$/)
  await shows(asks, 2)
  screen.press('r')
  await shows(/^What should be different\?/)
  screen.press('One more')
  screen.press('Enter')
  await shows(/^ {2}S-2 {2}Log in {2}\(priority 2, after S-1\)$/)
  await shows(asks, 3)
  screen.press('a')
  await shows(/^\[exit 0\]$/)
  assert.deepEqual(idsIn(made, 'accounts'), ['S-1 Sign up', 'S-2 Log in'])
})

test('on a terminal a plan is offered to be taken over, and whoever quits has changed nothing', async (t) => {
  const { made, onTerminal } = terminalProject(t, [[{ fail: 'asked' }]], { files: { 'prd.json': plans['prd.json']!.text } })
  const screen = onTerminal('import', 'prd.json', '-f', 'accounts')
  const shows = (what: RegExp) => until(String(what), () => screen.lines().some((line) => what.test(line)))
  await shows(/^\? prd\.json is already a plan \(--from snarktank\)\. Import it as it is\?$/)
  await shows(/\[y\] yes {2}\[n\] no, ask the agent/)
  screen.press('y')
  await shows(/\[a\] accept {2}\[e\] edit {2}\[q\] quit/)
  screen.press('q')
  await shows(/^\[exit 1\]$/)
  assert.equal(made.has('.ralph/accounts'), false)
})
