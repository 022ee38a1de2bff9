// Makes docs/reliability.md from the results of the last long checks, docs/reliability/*.json: node tools/reliability.ts
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** As tools/proof.ts writes it, with what the night adds; checks may add more. */
export type Figures = {
  name: string
  what: string
  tried: number
  failures?: number
  lost?: number
  at: string
  seconds: number
  machine: string
  details?: Record<string, unknown>
  [other: string]: unknown
}
export type Check = { name: string; title: string; of: string; command: string; script: string[] }

/** In the order in which a night runs them: quick ones first. `of`: what is counted. */
export const checks: Check[] = [
  {
    name: 'sim',
    title: 'Simulator',
    of: 'seeds',
    command: 'npm run sim -- --seeds 100000',
    script: ['sim/main.ts', '--seeds', '100000'],
  },
  { name: 'mutants', title: 'Mutants', of: 'mutants', command: 'npm run sim:mutants', script: ['sim/mutants.ts'] },
  {
    name: 'fuzz',
    title: 'Bad input',
    of: 'inputs',
    command: 'npm run fuzz -- --inputs 100000',
    script: ['fuzz/main.ts', '--inputs', '100000'],
  },
  { name: 'faults', title: 'Faults', of: 'faults and kills', command: 'npm run test:faults', script: ['test/faults/main.ts'] },
  {
    name: 'power',
    title: 'Power cuts',
    of: 'power cuts',
    command: 'npm run test:power -- 500',
    script: ['test/power-cuts/main.ts', '500'],
  },
  {
    name: 'cheats',
    title: 'Cheats',
    of: 'cheats and honest changes',
    command: 'npm run cheats -- --all',
    script: ['test/cheats/main.ts', '--all'],
  },
  { name: 'long', title: 'Long tests', of: 'tests', command: 'npm run test:long', script: ['tools/test.ts', '--long'] },
  { name: 'fleet', title: 'Fleet', of: 'features', command: 'npm run test:fleet', script: ['bench/fleet.ts'] },
  { name: 'soak', title: 'Soak', of: 'iterations', command: 'npm run soak', script: ['bench/soak.ts'] },
  { name: 'bench', title: 'Speed', of: 'goals', command: 'npm run bench', script: ['bench/main.ts', '--write'] },
  { name: 'agents', title: 'Real agents', of: 'tests', command: 'npm run test:agents', script: ['tools/test.ts', '--agents'] },
]

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
export const figuresFile = (name: string): string => join(root, 'docs', 'reliability', `${name}.json`)
export const pageFile = join(root, 'docs', 'reliability.md')

export const committedFigures = (): Figures[] =>
  checks
    .map(({ name }) => figuresFile(name))
    .filter((path) => existsSync(path))
    .map((path) => JSON.parse(readFileSync(path, 'utf8')) as Figures)

export function reliabilityPage(figures: Figures[]): string {
  const known = checks.map((check) => ({ check, found: figures.find(({ name }) => name === check.name) }))
  // A missed speed goal loses nothing.
  const [slow, other] = [figures.filter(({ name }) => name === 'bench'), figures.filter(({ name }) => name !== 'bench')]
  const broken = sumOf(other)
  const lost = broken === 0 ? 'What was lost: nothing.' : `What did not hold: ${count(broken)}; see below.`
  const missed = sumOf(slow) === 0 ? '' : ` Goals of speed that are missed: ${count(sumOf(slow))}; see below.`
  const without = known.filter(({ found }) => found === undefined).map(({ check }) => check.title.toLowerCase())
  const missing = without.length === 0 ? '' : ` Not run yet: ${without.join(', ')}.`
  return `# Reliability

Written by \`npm run nightly\`, from the figures in [docs/reliability/](reliability/); nothing here is written by hand.

**${lost}**${missed}${missing}

**What a crash of the machine may lose** (a power cut, a kernel that stops): the iteration that was at work, with what its agent had not committed; the end
of an agent's log, of \`status.json\` and of views, which are written again; with a git before 2.36, commits of the last seconds. What was printed as passed,
the events that decisions were carried out on, and the plan are on the disk before Ralph goes on ([more](when-things-go-wrong.md#git)).

| check | tried | did not hold | when | took |
|---|---|---|---|---|
${known.map(({ check, found }) => lineOf(check, found)).join('\n')}

What fits into the time of every change runs with it (\`npm test\`: 1,000 seeds, the simulator's hands against the real
ones, a short soak, recorded bad inputs, a sample of the faults, kills and cheats, the installed package, what released versions left behind); the whole of it runs at night. \`npm run nightly -- sim soak\` runs these alone.
${known.map(({ check, found }) => sectionOf(check, found)).join('')}`
}

const brokenIn = ({ failures, lost }: Figures): number => failures ?? lost ?? 0
const sumOf = (figures: Figures[]): number => figures.reduce((sum, each) => sum + brokenIn(each), 0)
const count = (value: number): string => value.toLocaleString('en')
const duration = (seconds: number): string => (seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`)

function lineOf({ title, of }: Check, found: Figures | undefined): string {
  if (found === undefined) return `| ${title} | not run yet | | | |`
  const broken = brokenIn(found)
  return `| ${title} | ${count(found.tried)} ${of} | ${broken === 0 ? 'none' : `**${count(broken)}**`} | ${found.at.slice(0, 10)} | ${duration(found.seconds)} |`
}

function sectionOf({ title, command }: Check, found: Figures | undefined): string {
  const head = `\n## ${title}\n\n`
  const alone = `Alone: \`${command}\`\n`
  if (found === undefined) return `${head}${alone}`
  const details = Object.entries(found.details ?? {}).map(([name, value]) => `| ${cell(name)} | ${cell(value)} |`)
  const table = details.length === 0 ? '' : `\n| | |\n|---|---|\n${details.join('\n')}\n`
  return `${head}${found.what.replace(/\.?$/, '.')} ${alone}${table}\nOn ${found.machine}, ${found.at.slice(0, 16).replace('T', ' ')} UTC.\n`
}

function cell(value: unknown): string {
  const text = typeof value === 'number' ? count(value) : typeof value === 'string' ? value : JSON.stringify(value)
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ').slice(0, 300)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(pageFile, reliabilityPage(committedFigures()))
