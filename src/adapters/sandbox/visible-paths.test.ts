import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { projectView } from './visible-paths.ts'

test('objects that a repository borrows, and what those borrow, can be read by agents and reviewers', (t) => {
  const base = tempFolder(t)
  const objects = (name: string): string => join(base, name, '.git', 'objects')
  for (const name of ['far', 'near', 'project']) mkdirSync(join(objects(name), 'info'), { recursive: true })
  writeFileSync(join(objects('near'), 'info', 'alternates'), `${objects('far')}\n`)
  writeFileSync(join(objects('project'), 'info', 'alternates'), `${objects('near')}\n${join(base, 'gone')}\n`)
  const root = join(base, 'project')
  const places = { root, dir: join(root, '.ralph', 'thing'), trusted: [] }
  const views = [true, false].map((isReadOnly) => projectView(places, isReadOnly).seen)
  assert.deepEqual(views, [
    [objects('near'), objects('far')],
    [objects('near'), objects('far')],
  ])
})

test('a trial for no feature makes no folder that looks like one', (t) => {
  const root = tempFolder(t)
  mkdirSync(join(root, '.git', 'hooks'), { recursive: true })
  projectView({ root, trusted: [] }, false)
  assert.equal(existsSync(join(root, '.ralph')), false)
  mkdirSync(join(root, '.ralph'))
  const { writable, guarded, open } = projectView({ root, trusted: [] }, false)
  const own = join(root, '.ralph')
  assert.deepEqual(
    [writable.includes(own), readdirSync(own), open, guarded.filter((path) => path.startsWith(own))],
    [true, [], [], []],
  )
})
