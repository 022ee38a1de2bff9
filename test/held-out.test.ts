/** Held-out checks in whole runs: what they refuse, and that nothing of them is where an agent looks [R-PROOF-9]. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type ProjectSketch, quickProjectFor, type Steps, type TestProject } from './support/project.ts'

const story = { id: 'S-1', acceptanceCriteria: ['Rounded up', 'Free above 100'] }
const does = (text: string, ...more: Steps): Steps => [
  ...more,
  { write: { path: 'price.txt', text } },
  { commit: 'feat: price' },
  { flip: 'S-1' },
  { say: 'It is there.' },
]

const prompted: Steps = [{ expect: { prompt: 'A held-out check failed. Not met:\\n- S-1, criterion 2: Free above 100' } }]

type Held = { project: TestProject; checks: string }

/** A project, and a folder outside of it with these files. */
function withHeldOut(t: TestContext, files: Record<string, string>, sketch: ProjectSketch): Held {
  const project = quickProjectFor(t, { stories: [story], ...sketch })
  const checks = join(dirname(project.root), 'hush-hush')
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(checks, name)), { recursive: true })
    writeFileSync(join(checks, name), text)
  }
  return { project, checks }
}

/** Every file below a folder, with its text. */
const filesIn = (folder: string): { path: string; text: string }[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((path) => ({ path, text: readFileSync(path, 'latin1') }))

const wordsOfHeldOut = /hush-hush|keyhole|RALPH_PROOF_HELD_OUT=/

const script = `
echo "keyhole: $RALPH_STORIES"
test ! -e .git/hooks/pre-commit
grep -q 'free above 100' price.txt || { echo 'criterion: S-1 2'; exit 3; }
`

test('a held-out command refuses a flip; the next prompt has the criterion, and nothing else of it is left in the project', async (t) => {
  const { project, checks } = withHeldOut(
    t,
    { 'run.sh': script },
    {
      config: { gates: { tests: 'env > gate-env.txt' }, proof: { held_out_on: 'flip' } },
      script: {
        stories: {
          'S-1': [does('always 5'), does('free above 100', ...prompted, { run: 'env > agent-env.txt' })],
        },
      },
    },
  )
  project.env['RALPH_PROOF_HELD_OUT'] = `sh ${checks}/run.sh`
  const first = await project.run('run', '-n', '1')
  const refused = await project.run('why')
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  const held = project
    .events()
    .flatMap((event) => (event.kind === 'gates.ended' ? event.results : []))
    .filter(({ kind }) => kind === 'held-out')
  assert.deepEqual(
    held.map(({ name, command, passed, output }) => ({ name, command, passed, first: output.split('\n').slice(0, 2) })),
    [
      {
        name: 'held-out',
        command: 'held-out check',
        passed: false,
        first: ['A held-out check failed. Not met:', '- S-1, criterion 2: Free above 100'],
      },
      { name: 'held-out', command: 'held-out check', passed: true, first: [''] },
    ],
  )
  const told = filesIn(project.root).filter(({ text }) => wordsOfHeldOut.test(text))
  assert.deepEqual(told, [])
  const [log, ...others] = filesIn(join(project.home, '.ralph', 'held-out'))
  assert.deepEqual([others, log?.text.split('\n')[1], statSync(log?.path ?? '').mode & 0o777], [[], 'keyhole: S-1', 0o600])
  assert.match(first.out, new RegExp(log?.path ?? 'no log'))
  assert.match(refused.out, new RegExp(`Held-out: ${log?.path}`))
  assert.doesNotMatch((await project.run('why')).out, /Held-out:/, 'nothing is held against a complete run')
  assert.deepEqual(
    readdirSync(join(project.home, '.ralph', 'worktrees'), { recursive: true }).filter((name) => /price/.test(String(name))),
    [],
  )
})

const asserts = (value: string): string =>
  `import { equal } from 'node:assert'\nimport { readFileSync } from 'node:fs'\nimport { test } from 'node:test'\ntest('S-1 criterion 1', () => equal(readFileSync('price.txt', 'utf8'), '${value}'))\n`

test('tests of a held-out folder run with the gates before the end, where a link of the agent does not lead them elsewhere', async (t) => {
  const { project, checks } = withHeldOut(
    t,
    { 'test/keyhole.test.mjs': asserts('right') },
    {
      config: { gates: { tests: `${process.execPath} --test --test-reporter=tap` } },
      files: { 'test/own.test.mjs': "import { test } from 'node:test'\ntest('own', () => {})\n", 'price.txt': '' },
      script: {
        stories: {
          'S-1': [
            does('wrong', { run: 'mv test tests; ln -s "$PWD/stolen" test; mkdir stolen; touch stolen/.keep; git add -A' }),
          ],
        },
        iterations: [[], [{ write: { path: 'price.txt', text: 'right' } }, { commit: 'fix: price' }, { say: 'Fixed.' }]],
      },
    },
  )
  project.write('../home/.ralph/config.yaml', `proof:\n  held_out: ${dirname(checks)}/hush-{project}\n`)
  writeFileSync(join(dirname(checks), 'none'), '')
  const none = await project.run('run', '--dry-run')
  assert.match(none.err + none.out, /No held-out check for this project: .*hush-project does not exist/)
  project.write('../home/.ralph/config.yaml', `proof:\n  held_out: ${checks}\n`)
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  const wholes = project
    .events()
    .flatMap((event) => (event.kind === 'gates.ended' ? event.results : []))
    .filter(({ kind }) => kind === 'held-out')
  assert.deepEqual(
    wholes.map(({ passed, output }) => [passed, output.split('\n')[1]]),
    [
      [false, '- S-1, criterion 1: Rounded up'],
      [true, undefined],
    ],
  )
  assert.deepEqual(readdirSync(project.path('stolen')), ['.keep'])
  assert.deepEqual(
    filesIn(project.root).filter(({ text }) => wordsOfHeldOut.test(text)),
    [],
  )
})

test('a held-out check that the user’s settings name is not in the project while an agent works, nor in its environment or the list of processes', async (t) => {
  const found = '>> "$TMPDIR/found.txt"'
  const looks = [
    `grep -rla hush-hus[h] . ${found}`, // a pattern that does not find itself
    `env | grep hush-hus[h] ${found}`,
    `cat /proc/[0-9]*/cmdline | tr '\\0' '\\n' | grep -a "$(dirname "$TMPDIR")/.*/hush-hus[h]" ${found}`,
  ]
  const { project, checks } = withHeldOut(
    t,
    { 'run.sh': 'true' },
    { config: { gates: { tests: 'true' } }, script: { otherwise: does('always 5', { run: `${looks.join('\n')}\ntrue` }) } },
  )
  project.write('../home/.ralph/config.yaml', `proof: { held_out: "sh ${checks}/run.sh" }\n`)
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.match(out, /held-out check before the end/)
  assert.equal(project.read('../found.txt'), '')
})

test('in a sandbox an agent sees neither the held-out folder nor the settings that name it, and the check still runs', async (t) => {
  const looks =
    'cat "$HOME/hush-hush/run.sh" "$HOME/.ralph/config.yaml" .git/ralph-witness/* > seen.txt 2>&1; ls -a .git/ralph-witness "$HOME" >> seen.txt; true'
  const project = quickProjectFor(t, {
    stories: [story],
    config: { sandbox: { kind: 'bwrap' }, proof: { held_out_on: 'flip' } },
    script: { stories: { 'S-1': [does('always 5', { run: looks }), does('free above 100', { run: looks })] } },
  })
  project.write('../home/hush-hush/run.sh', script)
  project.write('../home/.ralph/config.yaml', 'proof:\n  held_out: sh ~/hush-hush/run.sh\n')
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(
    filesIn(project.root).filter(({ text }) => /keyhole/.test(text)),
    [],
  )
  assert.doesNotMatch(project.read('seen.txt'), /held_out:|^kept-|^hush-hush$/m)
  assert.match(project.read('seen.txt'), /No such file/)
})

test('a held-out check where agents could read it is refused, with what to do', async (t) => {
  const project = quickProjectFor(t, { stories: [story] })
  const refused = async (value: string): Promise<string> => {
    project.env['RALPH_PROOF_HELD_OUT'] = value
    const { code, err } = await project.run('run')
    assert.equal(code, 78)
    return err.trim()
  }
  assert.match(await refused(project.path('test')), /^ralph: proof\.held_out names a path, but .* does not exist\. Create it/)
  project.write('checks/run.sh', 'true\n')
  assert.match(await refused(`sh ${project.path('checks/run.sh')}`), /is inside the project: agents can read it\. Move it out of/)
  assert.match(await refused(dirname(project.root)), /contains the project/)
  delete project.env['RALPH_PROOF_HELD_OUT']
  project.write('.ralph/config.yaml', `${project.read('.ralph/config.yaml')}proof:\n  held_out: npm run secret\n`)
  const { code, err } = await project.run('run')
  assert.deepEqual([code, /in the project's own settings, which agents can read/.test(err)], [78, true])
})
