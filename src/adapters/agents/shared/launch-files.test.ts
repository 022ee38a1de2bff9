import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { filesFolder, withFiles } from './launch-files.ts'

const start = { command: 'agent', env: { A: 'b' }, stdin: 'Do it.' }

test('a launch without files is as it was', () => {
  const plain = { ...start, args: [filesFolder] }
  const { launch, remove } = withFiles(plain)
  assert.equal(launch, plain)
  remove()
})

test('files lie in a folder that nobody else can read, which arguments and variables name, and are gone afterwards', () => {
  const { launch, remove } = withFiles({
    ...start,
    args: ['--policy', `${filesFolder}/p.toml`],
    env: { A: 'b', P: `${filesFolder}/p.toml` },
    files: { 'p.toml': 'deny' },
  })
  const path = launch.args[1]!
  assert.equal(readFileSync(path, 'utf8'), 'deny')
  assert.equal(statSync(dirname(path)).mode & 0o777, 0o700)
  remove()
  assert.deepEqual([existsSync(dirname(path)), launch.command, launch.env], [false, 'agent', { A: 'b', P: path }])
})
