// Runs all long checks one by one, and writes docs/reliability.md: `npm run nightly`, or `-- sim soak` for only these. `-- --take soak` runs
// nothing and takes the results of that check's last separate run.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checks, committedFigures, type Figures, figuresFile, pageFile, reliabilityPage } from './reliability.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const isTaking = process.argv[2] === '--take'
const words = process.argv.slice(isTaking ? 3 : 2)
const unknown = words.filter((word) => !checks.some(({ name }) => name === word))
if (unknown.length > 0) {
  process.stderr.write(`No check is called ${unknown.join(', ')}; there are: ${checks.map(({ name }) => name).join(', ')}\n`)
  process.exit(64)
}
const failed: string[] = []
for (const { name, script } of checks.filter((check) => words.length === 0 || words.includes(check.name))) {
  const kept = join(root, '.reliability', `${name}.json`)
  if (!isTaking) run(name, script, kept)
  if (existsSync(kept)) take(name, kept)
  else failed.push(`${name} left no figures`)
}
writeFileSync(pageFile, reliabilityPage(committedFigures()))
process.stdout.write(failed.length === 0 ? '\nEverything holds.\n' : `\nDid not hold: ${failed.join(', ')}\n`)
process.exitCode = failed.length === 0 ? 0 : 1

function run(name: string, script: string[], kept: string): void {
  process.stdout.write(`\n── ${name}: node ${script.join(' ')}\n`)
  rmSync(kept, { force: true }) // results of an earlier run do not count for this one
  const { status } = spawnSync(process.execPath, script, { cwd: root, stdio: 'inherit' })
  if (status !== 0) failed.push(`${name} (exit ${status})`)
}

/** At once, so that an interrupted night keeps its results. */
function take(name: string, kept: string): void {
  const figures = JSON.parse(readFileSync(kept, 'utf8')) as Figures
  const [cpu] = cpus()
  const machine = `${cpus().length} × ${cpu?.model ?? 'unknown'}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, ${process.platform} ${release()}, Node ${process.version}`
  mkdirSync(dirname(figuresFile(name)), { recursive: true })
  const whole = { ...figures, at: figures.at ?? new Date().toISOString(), machine }
  writeFileSync(figuresFile(name), `${JSON.stringify(whole, null, 2)}\n`)
  writeFileSync(pageFile, reliabilityPage(committedFigures()))
}
