import assert from 'node:assert/strict'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { committed, env } from '../../../../test/support/repository.ts'
import { Failure } from '../../../core/failure.ts'
import { gitIn } from '../run.ts'
import { openObjects } from './read.ts'
import { verifiedIn } from './verify.ts'

/** Other content under the id of a.txt. */
function forge(top: string, id: string): void {
  const path = join(top, '.git', 'objects', id.slice(0, 2), id.slice(2))
  chmodSync(path, 0o644)
  writeFileSync(path, deflateSync(Buffer.from('blob 2\0b\n')))
}

test('a loose object with another content than its id stands for is not read, and found', async () => {
  const { git, sh } = await committed()
  const since = Date.now()
  const objects = openObjects(git.top, env)
  const verified = verifiedIn(join(git.top, '.git', 'objects'), gitIn(git.top, env))
  sh('commit', '-q', '--allow-empty', '-m', 'second')
  assert.deepEqual(await verified.verify(since - 1000), [])
  forge(git.top, sh('rev-parse', 'HEAD:a.txt'))
  await assert.rejects(objects.read('HEAD:a.txt'), Failure)
  await assert.rejects(verified.verify(since), /does not have the content that its id stands for/)
  assert.equal((await objects.read('HEAD'))?.type, 'commit')
  objects.close()
})

test('so is one in a pack, where whoever packed it forged it before', async () => {
  const { git, sh } = await committed()
  const verified = verifiedIn(join(git.top, '.git', 'objects'), gitIn(git.top, env))
  sh('repack', '-adfq')
  assert.deepEqual(await verified.verify(0), [])
  const { git: other, sh: inOther } = await committed()
  forge(other.top, inOther('rev-parse', 'HEAD:a.txt'))
  inOther('repack', '-adfq')
  await assert.rejects(verifiedIn(join(other.top, '.git', 'objects'), gitIn(other.top, env)).verify(0), /\.pack in .* its id/)
})
