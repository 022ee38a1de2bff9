/** The list of projects that this user has run. */

import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { knownProjects, rememberProject } from './known-projects.ts'

function folder(t: TestContext): string {
  const made = tempFolder(t)
  return made
}

test('a project is listed once, in the order they were first run, and no longer when it is gone', (t) => {
  const home = folder(t)
  const [one, two, gone] = [folder(t), folder(t), join(home, 'gone')]
  assert.deepEqual(knownProjects(home), [])
  for (const root of [one, two]) mkdirSync(join(root, '.ralph'))
  for (const root of [one, gone, two, one]) rememberProject(home, root)
  assert.deepEqual(knownProjects(home), [one, two])
})

test('a home that cannot be written to costs nothing', (t) => {
  const home = join(folder(t), 'file')
  writeFileSync(home, '')
  rememberProject(home, '/somewhere')
  assert.deepEqual(knownProjects(home), [])
})
