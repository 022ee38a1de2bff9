import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { linkInto } from './link-into.ts'

function twoFolders(t: TestContext, files: string[]) {
  const [from, to] = [tempFolder(t), tempFolder(t)]
  for (const name of files) {
    mkdirSync(dirname(join(from, name)), { recursive: true })
    writeFileSync(join(from, name), name)
  }
  return { from, to, leadsTo: (name: string): string => realpathSync(join(to, name)) }
}

test('packages and entries that are left out are missing; the others lead to the original, packages of the workspace into the checkout', (t) => {
  const { from, to, leadsTo } = twoFolders(t, [
    'node_modules/a/x.js',
    'node_modules/@b/c/x.js',
    'node_modules/@b/d/x.js',
    '.venv/bin/python',
    '.venv/work.js',
  ])
  symlinkSync('../own', join(from, 'node_modules/own'))
  mkdirSync(join(to, 'own'))
  const links = linkInto(from, to, ['node_modules/', '.venv/', 'missing/'], ['node_modules/@b/d', '.venv/work.js'])
  assert.deepEqual(
    ['.', '.venv', 'node_modules', 'node_modules/@b'].map((name) => readdirSync(join(to, name)).sort()),
    [['.venv', 'node_modules', 'own'], ['bin'], ['@b', 'a', 'own'], ['c']],
  )
  assert.deepEqual(
    [leadsTo('node_modules/a'), leadsTo('.venv/bin'), leadsTo('node_modules/own')],
    [join(from, 'node_modules/a'), join(from, '.venv/bin'), join(to, 'own')],
  )
  links.remove()
  assert.deepEqual([readdirSync(to), existsSync(join(from, 'node_modules/a/x.js'))], [['own'], true])
})

test('the loader of composer is copied, because it finds the project’s classes from where it lies', (t) => {
  const { from, to, leadsTo } = twoFolders(t, [
    'vendor/autoload.php',
    'vendor/composer/autoload_static.php',
    'vendor/acme/log/a.php',
  ])
  linkInto(from, to, ['vendor/'])
  assert.deepEqual(['vendor/autoload.php', 'vendor/composer/autoload_static.php', 'vendor/acme'].map(leadsTo), [
    join(to, 'vendor/autoload.php'),
    join(to, 'vendor/composer/autoload_static.php'),
    join(from, 'vendor/acme'),
  ])
})
