import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileClock, tempFolder } from '../../../test/support/folder.ts'
import { lookUp, watchPrograms, watchShadows } from './known-programs.ts'

function machine(t: TestContext) {
  const root = tempFolder(t)
  const [early, late] = [join(root, 'early'), join(root, 'late')]
  const project = join(root, 'project')
  for (const folder of [early, late, join(project, 'bin')]) mkdirSync(folder, { recursive: true })
  const where = { root: project, env: { PATH: `${join(project, 'bin')}:${early}:${late}` } }
  const program = (folder: string, name: string, text = '#!/bin/sh\n'): void => {
    writeFileSync(join(folder, name), text)
    chmodSync(join(folder, name), 0o755)
  }
  /** The one watch of these programs: it is asked again and again. */
  const watches = new Map<ReturnType<typeof lookUp>, ReturnType<typeof watchPrograms>>()
  const found = (known: ReturnType<typeof lookUp>) => {
    const watch = watches.get(known) ?? watchPrograms(known, where)
    watches.set(known, watch)
    return watch().map(({ rule, words, isCertain }) => `${rule}${isCertain ? '!' : ''}: ${words.replaceAll(`${root}/`, '')}`)
  }
  return { early, late, project, where, program, found }
}

test('a program that comes before the known one is evidence; one that changed, or that the project brings, a suspicion', (t) => {
  const { early, late, project, where, program, found } = machine(t)
  for (const name of ['npm', 'node', 'mine']) program(late, name)
  const known = lookUp(['mine', 'absent'], where)
  assert.deepEqual(
    known.map(({ name }) => name),
    ['mine', 'node', 'npm'],
  )
  assert.deepEqual(found(known), [])
  program(early, 'npm', '#!/bin/sh\nexit 0\n')
  program(late, 'node', '#!/bin/sh\nexit 0\n')
  program(join(project, 'bin'), 'mine')
  program(early, 'absent') // it was not there, so it takes no one's place
  assert.deepEqual(found(known), [
    'runner-shadowed: put project/bin/mine before late/mine: gates would start it as mine. Remove project/bin/mine',
    'runner-changed: changed the program node (late/node), which gates or reviewers may start',
    'runner-shadowed!: put early/npm before late/npm: gates would start it as npm. Remove early/npm',
  ])
  rmSync(join(early, 'npm'))
  rmSync(join(project, 'bin', 'mine'))
  program(late, 'node') // the same again
  assert.deepEqual(found(known), [])
})

test('a file that becomes a program later, and a link that leads elsewhere later, are noticed', (t) => {
  const { early, late, where, program, found } = machine(t)
  for (const name of ['npm', 'node']) program(late, name)
  program(early, 'real')
  symlinkSync(join(early, 'real'), join(late, 'make'))
  const known = lookUp([], where)
  assert.deepEqual(found(known), [])
  writeFileSync(join(early, 'npm'), '#!/bin/sh\n', { mode: 0o644 })
  symlinkSync(join(early, 'nowhere'), join(early, 'node'))
  assert.deepEqual(found(known), [])
  chmodSync(join(early, 'npm'), 0o755)
  assert.match(found(known).join(), /^runner-shadowed!: put early\/npm before late\/npm/)
  rmSync(join(early, 'npm'))
  assert.deepEqual(found(known), [])
  program(early, 'nowhere')
  program(early, 'real', '#!/bin/sh\nexit 0\n')
  assert.deepEqual(
    found(known).map((words) => words.split(':')[0]),
    ['runner-changed', 'runner-shadowed!'],
  )
})

test('where the known one was removed, the next one in PATH is a suspicion', (t) => {
  const { early, late, where, program, found } = machine(t)
  for (const folder of [early, late]) program(folder, 'npm')
  const known = lookUp([], where)
  rmSync(join(early, 'npm'))
  assert.match(found(known).join(), /^runner-shadowed: put late\/npm before early\/npm/)
})

test('any program that comes before one of the same name since is evidence; one that was there, or takes no one’s place, is not', (t) => {
  const { early, late, project, where, program } = machine(t)
  for (const name of ['diff', 'jq', 'pip', 'cmp']) program(late, name)
  program(early, 'pip')
  const since = fileClock(project)
  const shadows = watchShadows(where, since)
  const found = (look: () => ReturnType<typeof shadows>) => look().map(({ file, isCertain }) => [file, isCertain === true])
  assert.deepEqual(found(shadows), [])
  program(early, 'pip', '#!/bin/sh\necho newer\n')
  program(early, 'own')
  program(early, 'diff')
  writeFileSync(join(early, 'cmp'), 'not a program')
  program(join(project, 'bin'), 'jq')
  const expected = [
    [join(early, 'diff'), true],
    [join(project, 'bin', 'jq'), false],
  ]
  assert.deepEqual(found(shadows), expected)
  // After a kill only the time tells.
  assert.deepEqual(found(watchShadows(where, since)), [[join(early, 'diff'), true], [join(early, 'pip'), true], expected[1]])
})

test('a program that is put behind one of the same name takes no one’s place; older files that a folder brings to the front do', (t) => {
  const { early, late, project, where, program } = machine(t)
  const aside = `${early}-aside`
  mkdirSync(aside)
  program(early, 'cargo')
  program(aside, 'diff')
  program(late, 'diff')
  const since = fileClock(project)
  const shadows = watchShadows(where, since)
  program(late, 'cargo')
  assert.deepEqual(shadows(), [])
  rmSync(early, { recursive: true })
  renameSync(aside, early)
  assert.deepEqual(
    shadows().map(({ file }) => file),
    [join(early, 'diff')],
  )
})
