// Runs every test: `npm test`, or `npm test -- plan git` for the files whose paths contain one of these words.
// Instead of them, `npm run test:agents` makes whole runs with the real programs of the other agents, and `npm run test:long` tries all cases of
// which the others try a sample.
import { chmodSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isAlive } from '../src/adapters/process/survivors.ts'
import { inMemory } from '../test/support/memory.ts'
import { type Result, writeAgentsTable } from './agents-table.ts'
import { keepProof } from './proof.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
/** Acceptance tests wait for processes about half of the time: twice as many files as processors keep these busy. */
const fileCount = 2 * availableParallelism()
const suites = ['--agents', '--long'] as const
const suite = suites.find((name) => name === process.argv[2])
const words = process.argv.slice(suite === undefined ? 2 : 3)
const files = globSync(['src/**/*.test.ts', 'sim/**/*.test.ts', 'fuzz/**/*.test.ts', 'test/**/*.test.ts', 'tools/**/*.test.ts'], {
  cwd: root,
})
  .filter(isInSuite)
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort((a, b) => weight(b) - weight(a))
if (files.length === 0) {
  process.stderr.write(`No test file has ${words.join(' or ')} in its path.\n`)
  process.exit(64)
}
makeRoom()
const results: Result[] = []
const began = performance.now()
let passed = 0
let failed = 0
// A test that hangs is a failed test: none takes a tenth of this.
const timeout = suite === '--long' ? 7_200_000 : 300_000
if (suite === '--long') process.env['RALPH_TESTS'] = 'long'
const stream = run({ files: coreTogether(files), concurrency: fileCount, cwd: root, timeout, forceExit: false })
stream.on('test:summary', ({ file, counts }) => {
  if (file !== undefined) return // one per file, and then one for all
  passed = counts.passed
  failed = counts.tests - counts.passed // cancelled, skipped and todo tests have not passed
})
stream.on('test:pass', ({ file, name }) => results.push({ file: file ?? '', name, hasPassed: true }))
stream.on('test:fail', ({ file, name }) => results.push({ file: file ?? '', name, hasPassed: false }))
stream.compose(new spec()).pipe(process.stdout)
stream.on('end', () => {
  if (suite !== undefined && words.length === 0) keep(suite)
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0
  process.stdout.on('drain', () => {})
  setImmediate(() => process.stdout.write(`${passed} passed, ${failed} failed\n`))
})

function isInSuite(file: string): boolean {
  if (suite === '--agents') return /^test\/(agents\/|\w+-(runs|real)\.)/.test(file)
  if (suite === '--long') return /import .* from '\S+\/support\/long\.ts'/.test(readFileSync(join(root, file), 'utf8'))
  return !file.startsWith('test/agents/')
}

function keep(suite: (typeof suites)[number]): void {
  if (suite === '--agents') writeAgentsTable(join(root, 'docs', 'agents.md'), results)
  const what = {
    '--agents': 'Whole runs with the real programs of other agents: stories done and proven, false claims refused, trees ended.',
    '--long':
      'All cases of which every change tries a sample: a kill at each event and at each change of a run, with one worker and several, slow disks, 100,000 files.',
  }[suite]
  const counts = { tried: passed + failed, failures: failed, details: { files: files.length } }
  keepProof({ name: suite.slice(2), what, ...counts }, began)
}

/** The core is pure, so its tests can share a process: starting one for each file takes longer than most of them. */
function coreTogether(all: string[]): string[] {
  const core = all.filter((file) => file.startsWith('src/core/'))
  const others = all.filter((file) => !core.includes(file)).map((file) => join(root, file))
  if (core.length === 0) return others
  const together = join(tmpdir(), 'core.test.mjs')
  writeFileSync(together, core.map((file) => `import ${JSON.stringify(pathToFileURL(join(root, file)).href)}\n`).join(''))
  return [together, ...others]
}

/** Long files first, so that none is left alone at the end. Those beside the code take seconds, whatever their size. */
function weight(file: string): number {
  return statSync(join(root, file)).size + (file.startsWith('src/') ? 0 : 1e9)
}

/** All files of the tests in one folder, in memory if possible, and compiled modules kept for the next process that imports them. */
function makeRoom(): void {
  process.env['RALPH_TEST_DISK'] = tmpdir()
  const parent = inMemory()
  for (const name of globSync('ralph-[0-9]*', { cwd: parent }))
    if (!isAlive(Number(name.slice(6)))) rmSync(join(parent, name), { recursive: true, force: true }) // it was killed
  const folder = join(parent, `ralph-${process.pid}`) // short: paths of sockets and lines on screens have their limits
  mkdirSync(folder)
  chmodSync(folder, 0o1777) // like /tmp: some tests act as other users
  process.env['TMPDIR'] = folder
  process.env['NODE_COMPILE_CACHE'] = join(folder, 'compiled')
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const signals = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }
  for (const [signal, code] of Object.entries(signals)) process.on(signal, () => process.exit(code))
}
