import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { withPathsNow } from './archived.ts'

test('paths of a run in its own worktree are shown whole, and those that are whole already stay as they are', () => {
  const main = tempFolder()
  const root = `${main}/there`
  const dir = `${root}/.ralph/login`
  const shown = (text: string): string => withPathsNow(text, { root, dir, feature: 'login', main })
  assert.equal(shown('first read .ralph/login/logs/a.log'), `first read ${dir}/logs/a.log`)
  assert.equal(shown('fix .ralph/login/blocked.txt'), `fix ${dir}/blocked.txt`)
  for (const text of [`${dir}/logs/a.log`, '.ralph/login2/blocked.txt', 'x.ralph/login/a']) assert.equal(shown(text), text)
  assert.equal(
    withPathsNow('.ralph/login/logs/a.log, .ralph/login/b', { root, dir, feature: 'login' }),
    '.ralph/login/logs/a.log, .ralph/login/b',
  )
})
