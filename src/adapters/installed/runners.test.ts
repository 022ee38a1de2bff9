import assert from 'node:assert/strict'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileClock } from '../../../test/support/folder.ts'
import { newFolder } from '../../../test/support/repository.ts'
import { changedRunners, installedRunners, touchedPackages } from './runners.ts'

const lockOf = (version: string): string => JSON.stringify({ packages: { 'node_modules/mocha': { version } } })

function installed(): { root: string; write(path: string, text: string): void; found(): [string, boolean][] } {
  const root = newFolder()
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  write('package-lock.json', lockOf('1.0.0'))
  write('node_modules/mocha/package.json', '{"version": "1.0.0"}')
  write('node_modules/mocha/lib/runner.js', 'run()')
  write('node_modules/other/index.js', '1')
  mkdirSync(join(root, 'node_modules/.bin'))
  symlinkSync('../mocha/lib/runner.js', join(root, 'node_modules/.bin/mocha'))
  const before = installedRunners(root)
  const found = (): [string, boolean][] =>
    changedRunners(before, root).map(({ file = '', isCertain }) => [file, isCertain === true])
  return { root, write, found }
}

test('a runner that is patched where it is installed is evidence; any other package, and the same again, is not', () => {
  const { write, found, root } = installed()
  write('node_modules/other/index.js', '2')
  rmSync(join(root, 'node_modules/mocha'), { recursive: true })
  write('node_modules/mocha/package.json', '{"version": "1.0.0"}')
  write('node_modules/mocha/lib/runner.js', 'run()')
  assert.deepEqual(found(), [])
  write('node_modules/mocha/lib/runner.js', 'ok()!')
  assert.deepEqual(found(), [['node_modules/mocha', true]])
})

test('its program, and a program of the system that npm would find first, are evidence', () => {
  const { write, found, root } = installed()
  rmSync(join(root, 'node_modules/.bin/mocha'))
  write('node_modules/.bin/mocha', '#!/bin/sh')
  write('node_modules/.bin/node', '#!/bin/sh')
  write('node_modules/.bin/tsx', '#!/bin/sh')
  assert.deepEqual(found(), [
    ['node_modules/.bin/mocha', true],
    ['node_modules/.bin/node', true],
  ])
})

test('another version is an upgrade if the lock file says so, and else a suspicion', () => {
  const { write, found } = installed()
  write('node_modules/mocha/package.json', '{"version": "2.0.0"}')
  assert.deepEqual(found(), [['node_modules/mocha', false]])
  write('package-lock.json', lockOf('2.0.0'))
  assert.deepEqual(found(), [])
})

test('a project without packages has none', () => {
  assert.deepEqual(installedRunners(newFolder()), {})
})

const shim = (target: string, version: string): string =>
  `#!/bin/sh\nbasedir=$(dirname "$(echo "$0" | sed -e 's,\\\\,/,g')")\nexport NODE_PATH="/shop/node_modules/.pnpm/mocha@${version}/node_modules"\nexec node "$basedir/${target}" "$@"\n`

test('the program of an upgraded package may have another place or another script', () => {
  const { write, found, root } = installed()
  rmSync(join(root, 'node_modules/.bin/mocha'))
  write('node_modules/.bin/mocha', shim('../mocha/bin/mocha.js', '2.0.0'))
  assert.deepEqual(found(), [['node_modules/.bin/mocha', true]])
  write('node_modules/mocha/package.json', '{"version": "2.0.0"}')
  write('package-lock.json', lockOf('2.0.0'))
  assert.deepEqual(found(), [])
})

test('a program of the system may come from a package that the lock file names', () => {
  const { write, found, root } = installed()
  write('node_modules/node/package.json', '{"version": "24.0.0"}')
  symlinkSync('../node/bin/node', join(root, 'node_modules/.bin/node'))
  assert.deepEqual(found(), [['node_modules/.bin/node', true]])
  write('package-lock.json', JSON.stringify({ packages: { 'node_modules/node': { version: '24.0.0', integrity: 'sha512-x' } } }))
  assert.deepEqual(found(), [])
})

test('a patched package that the project asks for, or a runner of a workspace, is found too; a package of the workspace itself is work', () => {
  const { root, write } = installed()
  write('package.json', JSON.stringify({ devDependencies: { 'same-as': '1', own: '*' } }))
  write('node_modules/same-as/index.js', 'compare()')
  write('packages/own/index.js', '1')
  symlinkSync('../packages/own', join(root, 'node_modules/own'))
  write('packages/own/node_modules/vitest/package.json', '{"version": "1.0.0"}')
  write('packages/own/node_modules/vitest/index.js', 'run()')
  const before = installedRunners(root)
  write('node_modules/same-as/index.js', '1')
  write('packages/own/index.js', '2')
  write('packages/own/node_modules/vitest/index.js', '1')
  assert.deepEqual(
    changedRunners(before, root).map(({ file, isCertain }) => [file, isCertain === true]),
    [
      ['node_modules/same-as', false],
      ['packages/own/node_modules/vitest', true],
    ],
  )
})

test('a package of which a part is newer than the run was changed where it is; one that is installed again was not', () => {
  const { root, write } = installed()
  write('node_modules/again/package.json', '{}')
  write('node_modules/other/package.json', '{}')
  const since = fileClock(root)
  assert.deepEqual(touchedPackages({}, root, since), [])
  write('node_modules/other/index.js', '2')
  for (const name of ['package.json', 'index.js']) write(`node_modules/again/${name}`, '{}')
  assert.deepEqual(
    touchedPackages({}, root, since).map(({ words }) => words),
    ['changed node_modules/other/index.js, which is installed and in no commit'],
  )
  assert.deepEqual(touchedPackages({ 'other@1.0.0': '' }, root, since), [])
})
