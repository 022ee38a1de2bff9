// Runs the rules about weakened checks over the last commits of a repository: node tools/tamper-history.ts <git-dir> [commits]. Prints each certain
// finding, which on honest commits must not exist, and how many commits have a suspicion, by rule.
import { execFileSync } from 'node:child_process'
import { changesBetween, filesAt } from '../src/adapters/git/changes.ts'
import { openObjects } from '../src/adapters/git/objects/read.ts'
import { isTestFile } from '../src/core/tamper/code/languages.ts'
import type { GateFile } from '../src/core/tamper/gate-files.ts'
import { weakenedChecks } from '../src/core/tamper/weakened-checks.ts'

const [dir = '.', count = '300', verbose] = process.argv.slice(2)
const commits = execFileSync('git', ['-C', dir, 'log', '--no-merges', '--format=%H %P', '-n', count], { encoding: 'utf8' })
const objects = openObjects(dir, process.env)
/** As if these were gates of the project. */
const gateFiles: GateFile[] = [
  ...['test', 'lint', 'check', 'ci'].map((entry) => ({ gate: entry, path: 'package.json', entry })),
  ...['test', 'check'].map((entry) => ({ gate: entry, path: 'Makefile', entry })),
  ...['test.sh', 'scripts/test.sh', 'script/test', 'ci/test.sh', 'run-tests.sh'].map((path) => ({ gate: 'tests', path })),
]

let [looked, certain, suspicious, slowest] = [0, 0, 0, 0]
const byRule = new Map<string, number>()
for (const line of commits.trim().split('\n')) {
  const [commit = '', parent] = line.split(' ')
  if (parent === undefined) continue
  const changes = await changesBetween(objects, dir, { from: parent, to: commit, uncommitted: [] })
  const changed = new Set(changes.map(({ path }) => path))
  let isAsked = false
  const find = (others: { path: string; text: string }[]) =>
    weakenedChecks({
      changes,
      commands: [],
      gateFiles,
      hasHooks: () => true,
      unchangedTests: () => {
        isAsked = true
        return others
      },
      story: null,
    })
  const began = performance.now()
  const first = find([])
  slowest = Math.max(slowest, performance.now() - began)
  const findings = isAsked ? find(await filesAt(objects, commit, (path) => isTestFile(path) && !changed.has(path))) : first
  looked += 1
  const against = findings.filter(({ isCertain }) => isCertain)
  certain += against.length > 0 ? 1 : 0
  suspicious += findings.length > against.length ? 1 : 0
  for (const { words } of against) console.log(`certain ${commit.slice(0, 10)} ${words}`)
  const rules = new Set(findings.filter(({ isCertain }) => !isCertain).map(({ rule }) => rule))
  for (const rule of rules) byRule.set(rule, (byRule.get(rule) ?? 0) + 1)
  if (verbose)
    for (const { rule, words, isCertain } of findings) if (!isCertain) console.log(`  ${commit.slice(0, 10)} ${rule}: ${words}`)
}
objects.close()
const rules = [...byRule].sort(([, one], [, other]) => other - one).map(([rule, times]) => `${rule} ${times}`)
console.log(
  `${looked} commits: ${certain} with a certain finding, ${suspicious} with a suspicion (${Math.round((100 * suspicious) / looked)} %); slowest ${Math.round(slowest)} ms`,
)
console.log(rules.join(', '))
