import assert from 'node:assert/strict'
import { chmodSync, existsSync, readdirSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { committed, env, repository, type TestRepository } from '../../../../test/support/repository.ts'
import { gitIn } from '../run.ts'
import { storeIn } from './write.ts'

const unread = { read: () => assert.fail('it is not read'), remember: () => {}, close: () => {} }
const storeOf = ({ top }: TestRepository, algorithm = 'sha1', own = env) =>
  storeIn({ dir: join(top, '.git'), algorithm }, gitIn(top, own), unread, own)
const commitText = (tree: string, { author, committer }: { author: string; committer: string }): Buffer =>
  Buffer.from(`tree ${tree}\nauthor ${author}\ncommitter ${committer}\n\nWith an ü\n`)

for (const algorithm of ['sha1', 'sha256'] as const) {
  test(`what is written is what git reads, by the user whom git knows (${algorithm})`, async () => {
    const place = await repository({ init: [`--object-format=${algorithm}`] })
    const store = storeOf(place, algorithm)
    const tree = store.write('tree', Buffer.alloc(0))
    const commit = store.write('commit', commitText(tree, await store.makers()))
    assert.equal(store.write('tree', Buffer.alloc(0)), tree)
    assert.equal(
      place.sh('log', '-1', '--format=%an <%ae> %cn %s %T', commit),
      `someone <someone@example.org> someone With an ü ${tree}`,
    )
    assert.ok(Math.abs(Number(place.sh('log', '-1', '--format=%ct', commit)) - Date.now() / 1000) < 100)
    place.sh('fsck', '--strict')
    const left = readdirSync(join(place.top, '.git', 'objects'), { recursive: true }).filter((name) =>
      String(name).includes('tmp'),
    )
    assert.deepEqual(left, [])
  })
}

test('a date from the environment is kept, and where git knows nobody it is Ralph', async () => {
  const place = await committed()
  const dated = { ...env, GIT_AUTHOR_DATE: '1700000000 +0130' }
  assert.match((await storeOf(place, 'sha1', dated).makers()).author, / 1700000000 \+0130$/)
  assert.doesNotMatch((await storeOf(place, 'sha1', dated).makers()).committer, / 1700000000 /)
  place.sh('config', 'user.useConfigOnly', 'true')
  for (const key of ['user.name', 'user.email']) place.sh('config', '--unset', key)
  assert.match((await storeOf(place).makers()).committer, /^ralph <ralph@localhost> \d+ [+-]\d{4}$/)
})

test('a repository that a group shares stays open to it', async () => {
  const place = await committed()
  const objects = join(place.top, '.git', 'objects')
  chmodSync(objects, 0o2775)
  const store = storeOf(place)
  const ids = Array.from({ length: 20 }, (_, index) => store.write('commit', Buffer.from(`x${index}`)))
  const made = ids.map((id) => join(objects, id.slice(0, 2))).filter((folder) => readdirSync(folder).length === 1)
  assert.ok(made.length > 0)
  for (const folder of made) assert.equal(statSync(folder).mode & 0o7777, 0o2775)
  assert.ok(ids.every((id) => existsSync(join(objects, id.slice(0, 2), id.slice(2)))))
})

test('an object that is there already is young again, as with git, so that an upkeep that goes on leaves it alone', async () => {
  const place = await committed()
  const store = storeOf(place)
  const id = store.write('commit', Buffer.from('x'))
  const path = join(place.top, '.git', 'objects', id.slice(0, 2), id.slice(2))
  utimesSync(path, 1000, 1000)
  assert.equal(store.write('commit', Buffer.from('x')), id)
  assert.ok(statSync(path).mtimeMs > 2_000_000)
})
