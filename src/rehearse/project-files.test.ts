import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../test/support/folder.ts'
import { projectFiles } from './project-files.ts'

test('shell scripts are sources where nothing else is, except those that are named after checks', async (t) => {
  const root = tempFolder(t)
  const write = (path: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), 'x=1\n')
  }
  const sources = async (): Promise<string[]> => (await projectFiles(root, null)).sources.map(({ path }) => path).sort()
  for (const path of ['add.sh', 'lib/protest.sh', 'test.sh', 'tests/all.sh', 'check-all.sh', 'run_tests.sh', 'Makefile'])
    write(path)
  assert.deepEqual(await sources(), ['add.sh', 'lib/protest.sh'])
  write('src/price.js')
  assert.deepEqual(await sources(), ['src/price.js'])
})
