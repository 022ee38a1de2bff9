import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { committed } from '../../../../test/support/repository.ts'
import { readIndex } from './index-file.ts'

const names = ['.own/a', '.own/deep/b', `.own/${'x'.repeat(250)}`, '.own/ä', '.owner', '.a', 'z', '.own.d/c']
const files = Object.fromEntries(names.map((name) => [name, `${name}\n`]))

type Place = Awaited<ReturnType<typeof committed>>

const staged = ({ top }: Place, idBytes: number, path = '.own') =>
  readIndex(readFileSync(join(top, '.git', 'index')), idBytes, path).staged

/** As git lists them: by path, one character per byte. */
function listed({ sh }: Place, path: string): Record<string, string> {
  const lines = sh('ls-files', '-s', '-z', '--', `:(top,literal)${path}`).split('\0').filter(Boolean)
  const entries = lines.map((line) => {
    const [, mode = '', id = '', name = ''] = /^(\d+) (\w+) \d\t(.*)$/s.exec(line) ?? []
    return [Buffer.from(name).toString('latin1'), `${mode} ${id}`]
  })
  return Object.fromEntries(entries)
}

for (const version of ['2', '4'])
  for (const format of ['sha1', 'sha256'])
    test(`an index of version ${version} with ${format} has below a path what git lists there`, async () => {
      const place = await committed(files, { init: [`--object-format=${format}`] })
      place.sh('update-index', '--chmod=+x', '.own/a')
      place.sh('update-index', `--index-version=${version}`)
      for (const path of ['.own', '.own/deep', '.own/ä', 'z', 'none']) {
        const found = staged(place, format === 'sha1' ? 20 : 32, path)
        const said = Object.fromEntries([...(found ?? [])].map(([name, { mode, id }]) => [name, `${mode} ${id}`]))
        assert.deepEqual(said, listed(place, path), path)
      }
    })

test('git is asked where the index alone does not tell', async () => {
  const planned = await committed(files)
  planned.write({ '.own/new': 'x\n' })
  planned.sh('add', '--intent-to-add', '.own/new')
  assert.equal(staged(planned, 20), null)
  assert.equal(staged(planned, 20, 'z')?.size, 1)

  const split = await committed(files)
  split.sh('update-index', '--split-index')
  assert.equal(staged(split, 20), null)

  const sparse = await committed({ ...files, 'far/away/d': 'd\n' })
  sparse.sh('sparse-checkout', 'set', '--cone', '--sparse-index', '.own')
  assert.equal(staged(sparse, 20), null)

  const unmerged = await committed(files)
  const [base, ours, theirs] = ['main', 'ours', 'theirs'].map((name) => {
    if (name !== 'main') unmerged.sh('checkout', '-q', '-b', name, 'main')
    unmerged.write({ '.own/a': name })
    unmerged.sh('commit', '-qam', name)
    return unmerged.sh('rev-parse', 'HEAD')
  })
  unmerged.sh('checkout', '-q', 'ours')
  unmerged.sh('read-tree', '-i', '-m', String(base), String(ours), String(theirs))
  assert.equal(staged(unmerged, 20), null)
})
