import assert from 'node:assert/strict'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileClock, tempFolder } from '../../../test/support/folder.ts'
import { keepPackagesAbove, settingsAbove } from './folders-above.ts'

function above(t: TestContext) {
  const top = tempFolder(t)
  const put = (name: string, text = ''): void => {
    mkdirSync(dirname(join(top, name)), { recursive: true })
    writeFileSync(join(top, name), text)
  }
  const folder = join(top, 'me', '.ralph', 'worktrees', 'x', '1')
  mkdirSync(folder, { recursive: true })
  return { top, put, folder, from: (path: string): string => path.slice(top.length + 1) }
}

test('settings that tools look for above their folder are found, up to the root; others, and those in the folder itself, are not', (t) => {
  const { top, put, folder, from } = above(t)
  const found = ['me/pytest.ini', 'me/.cargo/config.toml', 'me/.ralph/worktrees/vitest.config.ts', 'go.work', 'me/ORDERS.md']
  const others = ['me/notes.txt', 'me/.ralph/config.yaml', 'me/.ralph/worktrees/x/1/package.json', 'me/.cargo/bin/x']
  for (const name of [...found, ...others]) put(name)
  const all = settingsAbove(folder, (name) => name === 'ORDERS.md')
  assert.deepEqual(
    all
      .filter((path) => path.startsWith(`${top}/`))
      .map(from)
      .sort(),
    found.sort(),
  )
})

test('a package that is added above the folder of the gates is moved away; one that was there stays', (t) => {
  const { top, put, folder, from } = above(t)
  put('me/node_modules/old/index.js')
  const since = fileClock(top)
  const home = join(top, 'me')
  const kept = keepPackagesAbove(folder, home, since)
  const aside = (path: string): string => join(top, 'aside', from(path).replaceAll('/', '-'))
  assert.deepEqual(kept.moveAway(aside), [])
  put('me/node_modules/@a/new/index.js', 'work')
  put('me/.node_modules/cart/index.js')
  assert.deepEqual(
    kept.moveAway(aside).map(({ path }) => from(path)),
    ['me/node_modules/@a/new', 'me/.node_modules/cart'],
  )
  assert.equal(readFileSync(join(top, 'aside/me-node_modules-@a-new/index.js'), 'utf8'), 'work')
  assert.deepEqual(
    ['old', '@a/new'].map((name) => existsSync(join(home, 'node_modules', name))),
    [true, false],
  )
  // After a kill only the time tells.
  put('me/node_modules/later/index.js')
  assert.deepEqual(
    keepPackagesAbove(folder, home, since)
      .moveAway(aside)
      .map(({ path }) => from(path)),
    ['me/node_modules/later'],
  )
})

test('of a new link to packages elsewhere the link is moved away, and the packages stay where they are', (t) => {
  const { top, put, folder, from } = above(t)
  put('other/node_modules/one/index.js')
  put('other/@scope/two/index.js')
  put('me/node_modules/old/index.js')
  const kept = keepPackagesAbove(folder, undefined, fileClock(top))
  symlinkSync(join(top, 'other', 'node_modules'), join(top, 'node_modules'))
  symlinkSync(join(top, 'other', '@scope'), join(top, 'me', 'node_modules', '@scope'))
  const moved = kept.moveAway((path) => join(top, 'aside', from(path).replaceAll('/', '-')))
  assert.deepEqual(
    moved.map(({ path, to }) => [from(path), lstatSync(to).isSymbolicLink()]),
    [
      ['me/node_modules/@scope', true],
      ['node_modules', true],
    ],
  )
  assert.deepEqual([readdirSync(join(top, 'other/node_modules')), readdirSync(join(top, 'other/@scope'))], [['one'], ['two']])
  assert.deepEqual(readdirSync(join(top, 'me/node_modules')), ['old'])
})
