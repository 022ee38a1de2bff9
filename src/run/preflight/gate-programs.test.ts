import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { newFolder } from '../../../test/support/repository.ts'
import { aSetup } from '../../../test/support/world.ts'
import { gatePrograms } from './gate-programs.ts'

test('programs that a gate, its scripts or a reviewer of another agent start are known', () => {
  const [root, bin] = [newFolder(), newFolder()]
  for (const folder of [root, bin]) mkdirSync(folder, { recursive: true })
  for (const name of ['jq', 'tidy', 'lint', 'codex', 'unused']) {
    writeFileSync(join(bin, name), '')
    chmodSync(join(bin, name), 0o755)
  }
  const setup = aSetup(root, { 'roles.reviewer.agent': 'codex' })
  writeFileSync(join(root, 'check.sh'), 'set -e\njq . a.json | tidy -q\n')
  writeFileSync(join(root, 'package.json'), JSON.stringify({ scripts: { lint: 'lint src' } }))
  const world = { ...setup, env: { PATH: bin } }
  const gates = [
    { name: 'tests', command: 'sh check.sh' },
    { name: 'lint', command: 'npm run lint' },
  ]
  const { found } = gatePrograms(world, { gates }, null, undefined)
  assert.deepEqual(
    found.map(({ name }) => name),
    ['codex', 'jq', 'lint', 'tidy'],
  )
})
