// All static checks: types, format, package, tidiness. One line each, with details if something is wrong.
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const checks: [name: string, command: string[]][] = [
  ['types', ['tsc', '-p', '.']],
  ['purity of the core (types)', ['tsc', '-p', 'src/core']],
  ["types of the dashboard's page", ['tsc', '-p', 'src/dashboard/page']],
  ['form', ['biome', 'check', '--error-on-warnings', '.']],
  ['package', ['publint', '--strict']],
  ['tidiness', ['node', '--test', '--test-reporter=dot', 'tools/tidy.test.ts']],
]
let failed = 0
for (const [name, [program, ...args]] of checks) {
  const { status, stdout, stderr } = spawnSync(join(root, 'node_modules', '.bin', program!), args, {
    cwd: root,
    encoding: 'utf8',
  })
  process.stdout.write(`${status === 0 ? '✓' : '✗'} ${name}\n`)
  if (status === 0) continue
  failed += 1
  process.stdout.write(`${stdout}${stderr}\n`)
}
process.exitCode = failed === 0 ? 0 : 1
