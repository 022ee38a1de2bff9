// Runs every test: `npm test`, or `npm test -- plan git` for the files whose paths contain one of these words.
// `npm run test:agents` runs the slower suite instead: whole runs with the real programs of the other agents.
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { type Result, writeAgentsTable } from './agents-table.ts'
import { keepProof } from './proof.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const isSlowSuite = process.argv[2] === '--agents'
const words = process.argv.slice(isSlowSuite ? 3 : 2)
const files = globSync(['src/**/*.test.ts', 'sim/**/*.test.ts', 'fuzz/**/*.test.ts', 'test/**/*.test.ts', 'tools/**/*.test.ts'], {
  cwd: root,
})
  .filter((file) => (isSlowSuite ? /^test\/(agents\/|\w+-(runs|real)\.)/.test(file) : !file.startsWith('test/agents/')))
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort()
  .map((file) => join(root, file))
if (files.length === 0) {
  process.stderr.write(`No test file has ${words.join(' or ')} in its path.\n`)
  process.exit(64)
}
const results: Result[] = []
const began = performance.now()
let passed = 0
let failed = 0
// A test that hangs is a failed test: none takes a tenth of this.
const stream = run({ files, concurrency: availableParallelism(), cwd: root, timeout: 300_000, forceExit: false })
stream.on('test:summary', ({ file, counts }) => {
  if (file !== undefined) return // one per file, and then one for all
  passed = counts.passed
  failed = counts.tests - counts.passed // cancelled, skipped and todo tests have not passed
})
stream.on('test:pass', ({ file, name }) => results.push({ file: file ?? '', name, hasPassed: true }))
stream.on('test:fail', ({ file, name }) => results.push({ file: file ?? '', name, hasPassed: false }))
stream.compose(new spec()).pipe(process.stdout)
stream.on('end', () => {
  if (isSlowSuite && words.length === 0) {
    writeAgentsTable(join(root, 'docs', 'agents.md'), results)
    const what = 'Whole runs with the real programs of other agents: stories done and proven, false claims refused, trees ended.'
    keepProof({ name: 'agents', what, tried: passed + failed, failures: failed, details: { files: files.length } }, began)
  }
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0
  process.stdout.on('drain', () => {})
  setImmediate(() => process.stdout.write(`${passed} passed, ${failed} failed\n`))
})
