import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { committed } from '../../../test/support/repository.ts'
import { marksIn } from './objects/index-file.ts'

const files = Object.fromEntries(['a.txt', `deep/${'x'.repeat(200)}/b.txt`, 'deep/c.txt', 'd'].map((name) => [name, `${name}\n`]))

for (const version of ['2', '4'])
  for (const format of ['sha1', 'sha256'])
    for (const bit of ['assume-unchanged', 'skip-worktree']) {
      test(`a file with ${bit} is found in an index of version ${version} with ${format}, and git sees it again`, async () => {
        const place = await committed(files, { init: [`--object-format=${format}`] })
        const has = (): boolean => marksIn(readFileSync(join(place.top, '.git', 'index')), format === 'sha1' ? 20 : 32).hasBits
        place.sh('update-index', `--index-version=${version}`)
        assert.deepEqual([has(), await place.git.unwatched()], [false, []])
        place.sh('update-index', `--${bit}`, 'd')
        assert.deepEqual([has(), await place.git.unwatched()], [true, ['d']])
        place.write({ d: 'changed\n' })
        assert.equal(place.sh('status', '--porcelain'), '')
        await place.git.watch(['d'])
        assert.deepEqual([has(), place.sh('status', '--porcelain')], [false, ' M d'])
      })
    }

test('files that a sparse checkout took away are there again; bits in a split index are found', async () => {
  const place = await committed(files)
  place.sh('sparse-checkout', 'set', '--no-cone', '/d')
  assert.equal(existsSync(join(place.top, 'a.txt')), false)
  place.sh('config', '--worktree', '--unset', 'core.sparseCheckout')
  const hidden = await place.git.unwatched()
  assert.equal(hidden.length, 3)
  await place.git.watch(hidden)
  assert.deepEqual([place.sh('status', '--porcelain'), await place.git.unwatched()], ['', []])
  place.sh('update-index', '--skip-worktree', 'd')
  place.sh('update-index', '--split-index')
  assert.deepEqual(await place.git.unwatched(), ['d'])
})

test('a repository inside the project that was added is found; a submodule is none', async () => {
  const place = await committed(files)
  for (const name of ['inner', 'module']) {
    place.sh('init', '-q', name)
    place.sh('-C', name, '-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '-q', '--allow-empty', '-m', 'x')
  }
  place.write({ '.gitmodules': '[submodule "module"]\n\tpath = module\n\turl = ./module\n' })
  assert.deepEqual(await place.git.embedded(), [])
  place.sh('add', 'inner', 'module')
  assert.deepEqual([await place.git.embedded(), await place.git.unwatched()], [['inner/'], []])
})
