import assert from 'node:assert/strict'
import { chmodSync, readFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { committed, env } from '../../../../test/support/repository.ts'
import { restoreEmptied } from './emptied.ts'

test('files that a power cut emptied get their committed or staged content; others stay as they are', async () => {
  const place = await committed({
    'a.txt': 'a\n',
    'b.txt': 'b\n',
    'c.txt': 'c\n',
    'old.txt': 'old\n',
    'none.txt': '',
    'run.sh': 'x\n',
  })
  const at = (name: string): string => join(place.top, name)
  place.write({ 'b.txt': 'staged\n' })
  place.sh('add', 'b.txt')
  for (const name of ['a.txt', 'b.txt', 'old.txt']) truncateSync(at(name))
  writeFileSync(at('c.txt'), '\0\0\0\0')
  chmodSync(at('run.sh'), 0o755)
  place.write({ 'new.txt': '' })
  const now = Date.now()
  utimesSync(at('old.txt'), new Date(now - 3_600_000), new Date(now - 3_600_000))
  const there = { top: place.top, worktrees: '/nowhere', env }
  assert.deepEqual(await restoreEmptied(there, { fromMs: now - 60_000, toMs: now + 60_000 }), ['a.txt', 'b.txt', 'c.txt'])
  assert.deepEqual(
    ['a.txt', 'b.txt', 'c.txt', 'old.txt', 'none.txt', 'new.txt'].map((name) => readFileSync(at(name), 'utf8')),
    ['a\n', 'staged\n', 'c\n', '', '', ''],
  )
})
