import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileClock, tempFolder } from '../../../test/support/folder.ts'
import { strayDependencies } from './strays.ts'

function project(t: TestContext, before: Record<string, string> = {}) {
  const top = tempFolder(t)
  const put = (files: Record<string, string>): void => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(top, name)), { recursive: true })
      writeFileSync(join(top, name), text)
    }
  }
  put(before)
  const since = fileClock(top)
  return { top, put, strays: (...paths: string[]) => strayDependencies(paths, { top, asked: top, since }) }
}

const asks = (...names: string[]): string =>
  JSON.stringify({ dependencies: Object.fromEntries(names.map((name) => [name, '1'])) })

test('a package that no file of the project asks for, directly or by another one, is a stray; one from before is not', (t) => {
  const { put, strays } = project(t, { 'package.json': asks(), 'node_modules/old/package.json': '{}' })
  assert.deepEqual(strays('node_modules/'), [])
  put({
    'package.json': asks('named', '@a/named'),
    'package-lock.json': JSON.stringify({ packages: { 'node_modules/locked': {}, 'node_modules/x/node_modules/deep': {} } }),
    'part/package.json': asks('of-part'),
    'node_modules/named/package.json': asks('needed'),
    'node_modules/needed/package.json': '{}',
    'node_modules/locked/package.json': '{}',
    'node_modules/of-part/package.json': '{}',
    'node_modules/@a/named/package.json': '{}',
    'node_modules/@a/planted/package.json': '{}',
    'node_modules/planted/index.js': '',
    'node_modules/planted.js': '',
    'node_modules/.planted/index.js': '',
    'node_modules/.bin/named': '',
    'node_modules/.package-lock.json': '',
  })
  assert.deepEqual(strays('node_modules/'), [
    'node_modules/.planted',
    'node_modules/@a/planted',
    'node_modules/planted',
    'node_modules/planted.js',
  ])
})

test('names in the lock files of pnpm and yarn count as asked for', (t) => {
  const { put, strays } = project(t, { 'package.json': '{}' })
  put({
    'pnpm-lock.yaml': "packages:\n\n  '@a/one@1.0.0':\n    resolution: {}\n  two@2.0.0:\n",
    'yarn.lock': '"three@npm:^1":\n  version: 1\nfour@^1.0.0:\n',
    'node_modules/@a/one/package.json': '{}',
    ...Object.fromEntries(['two', 'three', 'four', 'five'].map((name) => [`node_modules/${name}/package.json`, '{}'])),
  })
  assert.deepEqual(strays('node_modules/'), ['node_modules/five'])
})

test('a new folder with the name of a dependency needs a file beside it that explains it', (t) => {
  const { put, strays } = project(t)
  const all = ['src/vendor/', '.venv/', 'Pods/', '.tox/']
  put(Object.fromEntries(all.map((path) => [`${path}work.js`, ''])))
  assert.deepEqual(strays(...all), all)
  put({ 'requirements.txt': '', '.venv/pyvenv.cfg': '', '.venv/lib/x.py': '', 'tox.ini': '', '.tox/py3/x': '' })
  assert.deepEqual(strays(...all), ['src/vendor/', '.venv/work.js', 'Pods/', '.tox/work.js'])
})

test('source that appears among other dependencies is a stray; what their installer adds is not', (t) => {
  const { put, strays } = project(t, {
    'composer.json': '{}',
    'vendor/autoload.php': '',
    'vendor/old/lib/a.php': '',
    '.yarn/releases/yarn.cjs': '',
  })
  put({
    'composer.lock': '{"packages": [{"name": "acme/log"}]}',
    'vendor/acme/log/a.php': '',
    'vendor/planted/a.php': '',
    'vendor/autoload.php': 'new',
    'vendor/old/lib/b.php': '',
    '.yarn/work.js': '',
    '.yarn/install-state.gz': '',
    'third/vendor/work.js': '',
  })
  assert.deepEqual(strays('vendor/', '.yarn/', 'third/vendor/work.js'), [
    'vendor/planted',
    '.yarn/work.js',
    'third/vendor/work.js',
  ])
})

test('in a worktree, what the work tree that it was made from has since before is no stray', (t) => {
  const older = project(t, { 'node_modules/extra/package.json': '{}' })
  const place = project(t)
  place.put({ 'node_modules/extra/package.json': '{}', 'node_modules/planted/package.json': '{}' })
  const since = fileClock(older.top)
  older.put({ 'node_modules/planted/package.json': '{}' })
  place.put({ 'node_modules/extra/package.json': '{ }', 'node_modules/planted/package.json': '{ }' })
  assert.deepEqual(strayDependencies(['node_modules/'], { top: place.top, asked: place.top, since, older: older.top }), [
    'node_modules/planted',
  ])
})
