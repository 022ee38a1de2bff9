import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import fc from 'fast-check'
import { committed, env, type TestRepository } from '../../../../test/support/repository.ts'
import { gitIn } from '../run.ts'
import { plainMerge } from './plain-merge.ts'
import { openObjects } from './read.ts'
import { storeIn } from './write.ts'

type Files = Record<string, string>
type Changes = Record<string, string | undefined>
/** Names that sort in their own way as folders, one that is not ASCII, and one that is a file here and a folder there. */
const names = ['a', 'a.b', 'a/x', 'a-b/x', 'd/e/f', 'd/e/g', 'd/h', 'ü/ö', '.ralph/p', '.ralph/q/r']
const text = fc.constantFrom('1\n', '2\n', '1\n2\n3\n4\n5\n6\n7\n8\n')
/** What both took away and one moved elsewhere: a file, and a file whose place a folder took. */
const examples: [Changes, Changes, Changes][] = [
  [{ a: '1\n' }, { a: undefined }, { a: undefined, 'ü/ö': '1\n' }],
  [{ a: '1\n' }, { 'a/x': '2\n' }, { 'a/x': '2\n', 'ü/ö': '1\n' }],
  [{ 'd/h': '2\n' }, { 'd/h': undefined }, { 'd/h': undefined, 'a-b/x': '2\n' }],
]
const edits = fc.dictionary(fc.constantFrom(...names), fc.option(text, { nil: undefined }), { maxKeys: 4 })

/** A commit of these files alone; where a name is a file and a folder, the file gives way. */
function commitOf(place: TestRepository, files: Files, parent?: string): string {
  const isFolder = (name: string): boolean => Object.keys(files).some((other) => other.startsWith(`${name}/`))
  const lines = Object.entries(files)
    .filter(([name]) => !isFolder(name))
    .map(([name, content]) => `M 644 inline "${name}"\ndata <<E\n${content}E\n`)
  const from = parent === undefined ? '' : `from ${parent}\n`
  const stream = `reset refs/heads/x\ncommit refs/heads/x\ncommitter a <a@b> 1 +0000\ndata 1\nx\n${from}deleteall\n${lines.join('')}\n`
  execFileSync('git', ['fast-import', '--quiet', '--force'], { cwd: place.top, env, input: stream })
  return place.sh('rev-parse', 'x')
}

const edited = (files: Files, changes: Changes): Files => {
  const all = { ...files, ...changes }
  return Object.fromEntries(Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined))
}

test('what two lines of work changed apart becomes the tree that git makes of it; where git sees a conflict, it is left to git', async () => {
  const place = await committed()
  const [run, objects] = [gitIn(place.top, env), openObjects(place.git, env)]
  const store = storeIn({ dir: `${place.top}/.git`, algorithm: 'sha1' }, run, objects, env)
  let [plain, left] = [0, 0]
  await fc.assert(
    fc.asyncProperty(edits, edits, edits, async (base, one, other) => {
      const begun = edited({ 'z/keep': 'z\n', 'd/e/f': '1\n' }, base)
      const fork = commitOf(place, begun)
      const ours = commitOf(place, edited(begun, one), fork)
      const theirs = commitOf(place, edited(begun, other), fork)
      const merged = await plainMerge({ objects, store }, { fork, ours, theirs }, { path: ['nowhere'], side: 'ours' })
      const { code, out } = await run(['merge-tree', '--write-tree', '--name-only', ours, theirs], { kind: 'write' })
      if (merged === null) left += 1
      else {
        plain += 1
        assert.deepEqual([code, out.toString().split('\n')[0]], [0, merged])
      }
    }),
    { numRuns: 60, examples },
  )
  objects.close()
  assert.ok(plain > 10 && left > 0, `${plain} were plain, ${left} were left to git`)
  place.sh('fsck', '--strict')
})

test('the folder that is one side’s alone is taken from it whole, wherever it lies, and a folder that becomes empty is gone', async () => {
  const place = await committed()
  const [run, objects] = [gitIn(place.top, env), openObjects(place.git, env)]
  const store = storeIn({ dir: `${place.top}/.git`, algorithm: 'sha1' }, run, objects, env)
  const begun = { 'app/.ralph/plan': 'old\n', 'app/x': 'x\n', 'app/y': 'y\n', 'b/1': '1\n', 'b/2': '2\n' }
  const fork = commitOf(place, begun)
  const ours = commitOf(place, edited(begun, { 'app/.ralph/plan': 'ours\n', 'app/x': 'X\n', 'b/1': undefined }), fork)
  const theirs = commitOf(place, edited(begun, { 'app/.ralph/plan': 'theirs\n', 'app/y': 'Y\n', 'b/2': undefined }), fork)
  const merge = (side: 'ours' | 'theirs') =>
    plainMerge({ objects, store }, { fork, ours, theirs }, { path: ['app', '.ralph'], side })
  for (const side of ['ours', 'theirs'] as const) {
    const tree = (await merge(side))!
    const contents = ['app/.ralph/plan', 'app/x', 'app/y'].map((name) => place.sh('show', `${tree}:${name}`))
    assert.deepEqual(contents, [side, 'X', 'Y'])
    assert.equal(place.sh('ls-tree', '--name-only', tree), 'app')
  }
  objects.close()
})
