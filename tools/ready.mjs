// Prepares a bare clone: dependencies, Debian packages for the tests, the built program. Runs on any Node, and does nothing twice.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const modules = join(root, 'node_modules')
const ownNode = join(modules, 'node', 'bin', 'node')

// npm ci runs the package's own "prepare", which is this program.
if (process.env.RALPH_SETTING_UP === '1') process.exit(0)
process.env.RALPH_SETTING_UP = '1'

dependencies()
debianPackages(process.argv.slice(2))
build()

function dependencies() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  const stamp = join(modules, '.ralph-lock')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock && existsSync(ownNode)) return
  if (process.env.npm_lifecycle_event === 'prepare' && process.env.npm_command === 'ci') return writeFileSync(stamp, lock) // just done
  say('installing dependencies (npm ci)')
  must('npm', ['ci', '--no-global', '--no-fund', '--no-audit', '--loglevel=error']) // also from within `npm install -g .`
  writeFileSync(stamp, lock)
}

/** Programs that must be on the PATH, with their packages. */
function debianPackages(programs) {
  const packageOf = { git: 'git', tmux: 'tmux', postgres: 'postgresql', bwrap: 'bubblewrap', 'pytest-3': 'python3-pytest' }
  const missing = programs.filter(
    (program) => spawnSync('sh', ['-c', `command -v ${program} || ls /usr/lib/postgresql/*/bin/${program}`]).status !== 0,
  )
  if (missing.length === 0) return
  const packages = missing.map((program) => packageOf[program] ?? program)
  say(`installing ${packages.join(', ')} (apt-get)`)
  must('apt-get', ['update', '-qq'])
  must('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages])
}

function build() {
  const built = join(root, 'dist', 'main.js')
  if (existsSync(built) && statSync(built).mtimeMs > newest(['src', 'tools', 'package-lock.json'])) return
  mkdirSync(join(root, 'dist'), { recursive: true })
  must(ownNode, [join(root, 'tools', 'build.ts')])
}

function newest(names) {
  let latest = 0
  for (const name of names) {
    const path = join(root, name)
    const stat = statSync(path)
    latest = Math.max(latest, stat.mtimeMs)
    if (stat.isDirectory()) latest = Math.max(latest, newest(readdirSync(path).map((child) => join(name, child))))
  }
  return latest
}

function must(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] })
  if (status === 0) return
  say(`${command} ${args.join(' ')} failed${error ? `: ${error.message}` : ` (exit ${status})`}`)
  process.exit(69)
}

function say(text) {
  process.stderr.write(`ralph set-up: ${text}\n`)
}
