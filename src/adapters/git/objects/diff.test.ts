import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { committed, env } from '../../../../test/support/repository.ts'
import { diffFiles } from './diff.ts'
import { openObjects } from './read.ts'

test('the files that differ are those that git names: new, changed, gone, another mode, a file in the place of a folder', async (t) => {
  const { top, git, sh } = await committed()
  const objects = openObjects(git.top, env)
  t.after(() => objects.close())
  for (const folder of ['same', 'deep/er', 'becomes-file']) mkdirSync(join(top, folder), { recursive: true })
  for (const file of ['same/kept', 'deep/er/changed', 'deep/er/gone', 'becomes-file/inside', 'becomes-folder', 'mode', 'ä b'])
    writeFileSync(join(top, file), `${file}\n`)
  sh('add', '-A')
  sh('commit', '-q', '-m', 'before')
  const before = sh('rev-parse', 'HEAD')
  for (const path of ['becomes-file', 'becomes-folder', 'deep/er/gone']) rmSync(join(top, path), { recursive: true })
  writeFileSync(join(top, 'becomes-file'), 'now a file\n')
  mkdirSync(join(top, 'becomes-folder'))
  for (const file of ['becomes-folder/inside', 'deep/er/changed', 'deep.txt', 'ä b']) writeFileSync(join(top, file), 'new\n')
  chmodSync(join(top, 'mode'), 0o755)
  symlinkSync('mode', join(top, 'link'))
  sh('add', '-A')
  sh('commit', '-q', '-m', 'after')
  const named = sh('-c', 'core.quotePath=false', 'diff-tree', '-r', '--no-renames', '--name-only', before, 'HEAD').split('\n')
  assert.equal(named.length, 10)
  assert.deepEqual((await diffFiles(objects, before, 'HEAD')).toSorted(), named.toSorted())
  assert.deepEqual(await diffFiles(objects, 'HEAD', 'HEAD'), [])
})
