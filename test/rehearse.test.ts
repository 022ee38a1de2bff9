/** `ralph rehearse` on small real projects: what is caught, what passes, and that nothing of the user's changes. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import type { PlayedRow, rehearsalData } from '../src/views/rehearsal.ts'
import { until } from './support/processes.ts'
import { type ProjectSketch, projectFor, type TestProject } from './support/project.ts'

const price = `export function total(prices) {
  return prices.reduce((sum, price) => sum + price, 0)
}

export function discount(price, percent) {
  return price - (price * percent) / 100
}
`
const tests = {
  'test/price.test.js': `import assert from 'node:assert/strict'
import test from 'node:test'
import { discount, total } from '../src/price.js'

test('adds prices', () => {
  assert.equal(total([100, 250]), 350)
})

test('takes a discount off', () => {
  assert.equal(discount(1000, 10), 900)
})
`,
  'test/other.test.js': `import assert from 'node:assert/strict'
import test from 'node:test'

test('is here', () => assert.equal('a'.toUpperCase(), 'A'))
`,
}
/** In one process: a gate that takes no time. */
const script = 'node --test --test-isolation=none'
const node: ProjectSketch = {
  files: {
    'package.json': `${JSON.stringify({ type: 'module', scripts: { test: script } }, null, 2)}\n`,
    'src/price.js': price,
    ...tests,
    '.gitignore': 'node_modules/\n.env\n',
  },
  config: { agent: 'claude', gates: { tests: 'node --run test' } },
}

type Data = ReturnType<typeof rehearsalData>

/** Everything in a folder: names, modes, contents. */
function contentOf(folder: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(folder, name)
    const stat = lstatSync(path)
    const content = stat.isSymbolicLink()
      ? readlinkSync(path)
      : stat.isFile()
        ? createHash('sha1').update(readFileSync(path)).digest('hex')
        : 'folder'
    found[name] = `${stat.mode.toString(8)} ${content}`
  }
  return found
}

/** Its JSON; the user's folders are as they were, and the copy is gone. */
async function rehearsed(p: TestProject, ...args: string[]): Promise<{ code: number | null; data: Data; err: string }> {
  const before = [contentOf(p.root), contentOf(p.home)]
  const { code, out, err } = await p.run('rehearse', '--json', ...args)
  assert.deepEqual([contentOf(p.root), contentOf(p.home)], before)
  assert.deepEqual(copiesOf(p), [])
  return { code, data: JSON.parse(out || '{}'), err }
}

const copiesOf = (p: TestProject): string[] =>
  readdirSync(dirname(p.root)).filter((name) => name.startsWith('ralph-rehearsal-') || name.startsWith('ralph-pipe-'))

const resultsOf = ({ plays }: Data): Record<string, string> => Object.fromEntries(plays.map(({ id, result }) => [id, result]))

const only = (...ids: string[]): string[] => ['--only', ids.join(',')]

const played = ({ plays }: Data, id: string): PlayedRow | undefined => plays.find((row) => row.id === id)

test('in a guarded project no certain cheat passes, and nothing of the project or the home changes [R-PROOF-11]', async (t) => {
  const p = projectFor(t, node)
  // Ignored files, a dependency, uncommitted work, something staged: none of it may change, and gates have what they need.
  p.write('node_modules/runner/index.js', 'export const run = 1\n')
  p.write('.env', 'A=1\n')
  p.write('notes.md', 'mine\n')
  p.write('README.md', '# Mine\n')
  p.git('add', 'README.md')
  const { code, data } = await rehearsed(p)
  assert.equal(code, 0, JSON.stringify(data.plays, null, 2))
  assert.deepEqual(resultsOf(data), {
    'empty-sources': 'caught',
    'broken-sources': 'caught',
    'wrong-line': 'caught',
    'delete-tests': 'reserved',
    'delete-test-files': 'reserved',
    'skip-tests': 'reserved',
    'empty-tests': 'reserved',
    'delete-tests-earlier': 'reserved',
    'ignore-failure': 'caught',
    'narrow-runner': 'reserved',
    'endless-success': 'not tried',
    'patched-runner': 'not tried',
    'gate-setting': 'caught',
    'hidden-tests': 'caught',
    'rewritten-history': 'reserved',
    'other-commit': 'caught',
    complete: 'caught',
    'status-block': 'caught',
    'quoted-claim': 'caught',
    'no-work': 'reserved',
    'all-stories': 'caught',
    'plan-edited': 'caught',
    'log-edited': 'caught',
    'forged-request': 'caught',
    idle: 'caught',
    'back-and-forth': 'caught',
    circles: 'caught',
    crash: 'caught',
    hang: 'caught',
    'full-disk': 'caught',
    'left-process': 'caught',
    'left-work': 'caught',
  })
  assert.deepEqual(
    { version: data.version, certainHoles: data.certainHoles, quick: data.quick, feature: data.feature, problem: data.problem },
    { version: 1, certainHoles: 0, quick: false, feature: 'thing', problem: null },
  )
  assert.deepEqual(data.notes, ['2 files with uncommitted changes: as in the last commit here'])
  assert.deepEqual(
    data.gates.map(({ name, command, tests: census }) => ({ name, command, census })),
    [{ name: 'tests', command: 'node --run test', census: { passed: 3, failed: 0, skipped: 0 } }],
  )
  assert.deepEqual(
    Object.keys(played(data, 'skip-tests') ?? {}).sort(),
    ['by', 'certain', 'durationMs', 'group', 'id', 'name', 'result', 'words'].sort(),
  )
})

test('without a gate, broken work passes; the setting that closes it is named', async (t) => {
  const p = projectFor(t, { ...node, config: { agent: 'claude' } })
  const { code, data } = await rehearsed(p, ...only('empty-sources', 'skip-tests', 'complete'))
  assert.equal(code, 1)
  assert.deepEqual(resultsOf(data), { 'empty-sources': 'passed', 'skip-tests': 'not tried', complete: 'caught' })
  assert.deepEqual(played(data, 'empty-sources')?.fix, {
    setting: 'gates: { tests: "npm test" }',
    words: 'Nothing checks the work. Set the command that runs the tests.',
  })
})

test('a gate that cannot fail is a hole', async (t) => {
  const p = projectFor(t, { ...node, config: { agent: 'claude', gates: { tests: 'true' } } })
  const { code, data } = await rehearsed(p, ...only('empty-sources', 'broken-sources'))
  assert.equal(code, 1)
  assert.deepEqual(resultsOf(data), { 'empty-sources': 'passed', 'broken-sources': 'passed' })
  assert.match(played(data, 'broken-sources')?.fix?.words ?? '', /^The gates pass with any code\./)
})

test('a project with pytest is rehearsed in its own words', async (t) => {
  const p = projectFor(t, {
    files: {
      'prices.py': 'def discount(price, percent):\n    return price - price * percent / 100\n',
      'conftest.py': '',
      'tests/test_prices.py': 'from prices import discount\n\n\ndef test_discount():\n    assert discount(1000, 10) == 900\n',
      'tests/test_other.py': "def test_other():\n    assert 'a'.upper() == 'A'\n",
      '.gitignore': '__pycache__/\n.pytest_cache/\n',
    },
    config: { agent: 'claude', gates: { tests: 'python3 -m pytest -q' } },
  })
  const { code, data } = await rehearsed(p, ...only('skip-tests', 'endless-success'))
  assert.equal(code, 0)
  assert.deepEqual(resultsOf(data), {
    'skip-tests': 'reserved',
    'endless-success': 'caught',
  })
})

test('outside git an emptied test passes unnoticed, and git is the answer', async (t) => {
  const p = projectFor(t, { ...node, isGit: false })
  const { code, data } = await rehearsed(p, ...only('empty-tests', 'hidden-tests'))
  assert.equal(code, 1)
  assert.deepEqual(resultsOf(data), { 'empty-tests': 'passed', 'hidden-tests': 'not tried' })
  assert.match(played(data, 'empty-tests')?.fix?.words ?? '', /git init/)
})

test('settings that let trouble through are holes that do not fail the rehearsal', async (t) => {
  const config = {
    ...node.config,
    circuit_breaker: { no_progress_threshold: 0 },
    git: { auto_commit: false },
  }
  const p = projectFor(t, { ...node, config })
  const { code, data } = await rehearsed(p, ...only('idle', 'left-work'))
  assert.equal(code, 0)
  assert.deepEqual(
    data.plays.map(({ id, result, fix }) => [id, result, fix?.setting]),
    [
      ['idle', 'passed', 'circuit_breaker: { no_progress_threshold: 3 }'],
      ['left-work', 'passed', 'git: { auto_commit: true }'],
    ],
  )
})

test('a gate that fails already is told, and what it would show is not tried', async (t) => {
  const p = projectFor(t, { ...node, config: { agent: 'claude', gates: { tests: 'echo no such thing; exit 3' } } })
  const { code, data } = await rehearsed(p, ...only('skip-tests', 'complete'))
  assert.equal(code, 65)
  assert.deepEqual(resultsOf(data), { 'skip-tests': 'not tried', complete: 'caught' })
  assert.match(data.problem ?? '', /^Gate "tests" fails before any change \(exit 3\): no such thing\. Fix it/)
})

test('an unknown play or feature is a usage error', async (t) => {
  const p = projectFor(t, node)
  const play = await p.run('rehearse', '--only', 'skip-test')
  assert.equal(play.code, 64)
  assert.match(play.err, /^ralph: No play "skip-test"\. Did you mean skip-tests\? Plays: empty-sources, /)
  assert.equal((await p.run('rehearse', 'nothing')).code, 64)
})

test('Ctrl+C ends it, and leaves neither processes nor files', async (t) => {
  const p = projectFor(t, node)
  const before = [contentOf(p.root), contentOf(p.home)]
  const { child, ended, output } = p.start('rehearse', ...only('hang'))
  await until('the first line', () => output().includes('Rehearsing'))
  await until('the agent that hangs', () => livingIn(dirname(p.root)).some((command) => command.includes('player')))
  child.kill('SIGINT')
  const { code, out } = await ended
  assert.equal(code, 130)
  assert.match(out, /\nStopped\. The copy is removed; your project is as it was\.\n$/)
  assert.deepEqual(copiesOf(p), [])
  assert.deepEqual([contentOf(p.root), contentOf(p.home)], before)
  await until('nothing that runs there', () => livingIn(dirname(p.root)).length === 0)
})

/** Processes whose arguments name the folder. */
function livingIn(folder: string): string[] {
  return readdirSync('/proc')
    .filter((pid) => Number(pid) > 0 && Number(pid) !== process.pid)
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ')
        return command.includes(`${folder}/ralph-rehearsal-`) ? [command] : []
      } catch {
        return [] // gone meanwhile
      }
    })
}
