/** The package as a user gets it: small, alone, and at work from where it was installed. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readmePath, withDemo } from '../tools/readme.ts'
import { compiled } from './support/memory.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const base = mkdtempSync(join(tmpdir(), 'ralph-package-'))
const place = join(base, 'place')
const env = {
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  HOME: join(base, 'home'),
  LANG: 'C.UTF-8',
  TERM: 'dumb',
  TMPDIR: base,
  GIT_CONFIG_NOSYSTEM: '1',
  ...compiled,
}
let packed: { filename: string; size: number; files: { path: string }[] }

before(() => {
  mkdirSync(env.HOME)
  mkdirSync(place)
  writeFileSync(join(place, 'package.json'), '{ "name": "place", "private": true }\n')
  const listed = must(root, 'npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', base])
  packed = Object.values(JSON.parse(listed) as Record<string, typeof packed>)[0]!
  // It needs nothing from anywhere: without a network it installs all the same.
  must(place, 'npm', [
    'install',
    '--offline',
    '--omit=optional',
    '--omit=peer',
    '--no-fund',
    '--no-audit',
    join(base, packed.filename),
  ])
})
after(() => rmSync(base, { recursive: true, force: true }))

test('installed without the optional peers of the fleet it is at most 15 MB in at most 40 packages', () => {
  const modules = join(place, 'node_modules')
  const bytes = readdirSync(modules, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + lstatSync(join(entry.parentPath, entry.name)).size, 0)
  const packages = globSync(['*/package.json', '@*/*/package.json', '**/node_modules/*/package.json'], { cwd: modules })
  assert.ok(bytes <= 15e6, `${bytes} bytes are installed; at most 15,000,000 may be`)
  assert.ok(packages.length >= 1 && packages.length <= 40, `installed are: ${packages.join(', ')}`)
})

test('the package has what a user needs, and nothing of a developer', () => {
  const isForUsers =
    /^(bin|dist|templates|schema|demo|docs|plugins|\.claude-plugin)\/.*(?<!\.tsx?)$|^(package\.json|LICENSE|(README|ARCHITECTURE|CHANGELOG)\.md)$/
  const strange = packed.files.map(({ path }) => path).filter((path) => !isForUsers.test(path))
  assert.deepEqual(strange, [])
})

test('the installed program says its version', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  assert.equal(must(place, join(place, 'node_modules', '.bin', 'ralph'), ['--version']), `${version}\n`)
})

test('the demo of the installed program works through five stories, as README.md shows, and leaves its project to look at', () => {
  const out = must(place, join(place, 'node_modules', '.bin', 'ralph'), ['demo'])
  assert.match(out, /^Stories: +5\/5 complete, 5 attempted$/m)
  assert.match(out, /^Claims: +1 false claim of done rejected$/m)
  const [, folder = ''] = /^ {2}cd (.+)$/m.exec(out) ?? []
  assert.match(must(folder, 'git', ['log', '--format=%s']), /^feat: R-5 - A command line$/m)
  const readme = readFileSync(readmePath, 'utf8')
  assert.equal(withDemo(readme, out), readme, 'node tools/readme.ts writes it')
})

test('npm install -g . in a clone that nobody has set up builds the program and links the command', () => {
  const clone = join(base, 'clone')
  const prefix = join(base, 'prefix')
  must(root, 'git', ['clone', '-q', '--depth', '1', `file://${root}`, clone])
  // The packages alone, of the same lock file: fetching them again shows nothing.
  for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(root, name), join(clone, name))
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'))
  must(clone, 'npm', ['install', '-g', '--offline', '--no-fund', '--no-audit', '--prefix', prefix, '.'])
  const ralph = join(prefix, 'bin', 'ralph')
  assert.equal(must(place, ralph, ['--version']), `${JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8')).version}\n`)
  must(clone, 'npm', ['uninstall', '-g', '--prefix', prefix, 'ralph-proven'])
  assert.equal(lstatSync(ralph, { throwIfNoEntry: false }), undefined)
})

function must(cwd: string, command: string, args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env, encoding: 'utf8' })
  assert.equal(status, 0, `${command} ${args.join(' ')} ended with ${status}: ${error?.message ?? ''}${stdout}${stderr}`)
  return stdout
}
