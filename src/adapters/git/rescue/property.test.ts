import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { committed, pictureOf, rescueAt, type TestRepository } from '../../../../test/support/repository.ts'

const NAMES = ['a', 'b', 'dir/c', 'dir/d', 'dir', 'e/f/g', 'h', 'odd "name"\n*']
const KEY = 'feature/story'
const FAIL = 'wip/ralph-fail-story-20260109-120000'

const name = fc.constantFrom(...NAMES)
const edit = fc.oneof(
  fc.record({ do: fc.constant('write' as const), path: name }),
  fc.record({ do: fc.constant('delete' as const), path: name }),
  fc.record({ do: fc.constant('rename' as const), path: name, to: name }),
  fc.record({ do: fc.constant('chmod' as const), path: name }),
  fc.record({ do: fc.constant('link' as const), path: name }),
  fc.record({ do: fc.constant('add' as const), path: name }),
  fc.record({ do: fc.constant('unstage' as const), path: name }),
)
const act = fc.oneof(
  { weight: 4, arbitrary: edit },
  fc.record({ do: fc.constantFrom('commit' as const, 'commit-all' as const, 'amend' as const, 'show-ignored' as const) }),
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('other' as const), path: fc.constantFrom('other/x', 'other/y', 'a', 'h') }),
  },
)
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never

test("R-ESC-2 whatever happened and wherever it is killed: the user's work is in the tree, the story's on its branch, all is reachable", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(edit, { maxLength: 6 }),
      fc.array(act, { maxLength: 8 }),
      fc.array(fc.nat({ max: 45 }), { maxLength: 3 }),
      async (users, acts, kills) => {
        const place = await committed({ a: 'a0\n', b: 'b0\n', 'dir/c': 'c0\n', h: 'h0\n', '.gitignore': '*.ignored\n' })
        const world = worldAt(place)
        for (const each of users) world.act(each)
        place.write({ 'x.ignored': "the user's\n" })
        const before = look(place)
        await rescued(place, Infinity, (rescue) => rescue.save(KEY))
        assert.deepEqual(look(place), before)
        for (const each of acts) world.act(each)
        const failed = look(place)
        const aside = {
          key: KEY,
          branch: FAIL,
          message: 'wip',
          ownCommits: world.own,
          notes: [{ path: '.ralph/s.md', text: 's' }],
        }
        for (const steps of kills)
          await rescued(place, steps, (rescue) => rescue.putAside(aside)).catch((error) =>
            assert.match(error.message, /\bkilled\b/),
          )
        const result = await rescued(place, Infinity, (rescue) => rescue.putAside(aside))
        const after = look(place)
        if ('problem' in result) {
          assert.match(result.problem, /conflicts with later commits|is in the way/)
          return assert.deepEqual(after, failed)
        }
        assert.equal(result.how, world.hasOthers() ? 'reverted' : 'reset')
        if (result.how === 'reset') assert.deepEqual(after, before)
        else checkReverted(place, before, after, world.others)
        checkBranch(place, before, failed)
        checkReachable(place, [...world.own, ...world.others], [before, failed])
      },
    ),
    { numRuns: 12 },
  )
})

/** A picture, and each file's mode and id: committed, staged, on disk. */
function look(place: TestRepository) {
  const picture = pictureOf(place)
  const inHead = listed(place, 'ls-tree', '-r', '-z', 'HEAD')
  const staged = listed(place, 'ls-files', '--stage', '-z')
  const onDisk = new Map(Object.entries(picture.files).map(([path, text]) => [path, idOf(text)]))
  const paths = [...new Set([...inHead.keys(), ...staged.keys(), ...onDisk.keys()])].filter((path) => !path.endsWith('.ignored'))
  const isDirty = (path: string) => onDisk.get(path) !== inHead.get(path) || staged.get(path) !== inHead.get(path)
  return { ...picture, inHead, staged, onDisk, paths, dirty: new Set(paths.filter(isDirty)) }
}
type Look = ReturnType<typeof look>

function listed(place: TestRepository, ...args: string[]): Map<string, string> {
  const lines = place
    .sh(...args)
    .split('\0')
    .filter(Boolean)
  return new Map(
    lines.map((line) => {
      const [, mode, id, path] = /^(\d+) (?:\w+ )?(\w{40})(?: \d)?\t(.*)$/s.exec(line)!
      return [path!, `${mode} ${id}`]
    }),
  )
}

function idOf(text: string): string {
  const [mode, content] = text.startsWith('-> ')
    ? ['120000', text.slice(3)]
    : text.startsWith('x ')
      ? ['100755', text.slice(2)]
      : ['100644', text]
  return `${mode} ${createHash('sha1').update(`blob ${content.length}\0${content}`, 'latin1').digest('hex')}`
}

async function rescued<T>(
  place: TestRepository,
  steps: number,
  use: (rescue: ReturnType<typeof rescueAt>) => Promise<T>,
): Promise<T> {
  let left = steps
  const rescue = rescueAt(place.top, () => {
    if (left-- <= 0) throw new Error('killed')
  })
  return use(rescue).finally(rescue.close)
}

/** What agents and people do, as far as it is possible at the moment. */
function worldAt({ top, sh }: TestRepository) {
  const first = sh('rev-parse', 'HEAD')
  const [own, others]: [string[], string[]] = [[], []]
  let count = 0
  const stat = (path: string) => {
    try {
      return lstatSync(join(top, path))
    } catch {
      return undefined
    }
  }
  const isFree = (path: string) => {
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder))
      if (stat(folder)?.isDirectory() === false) return false
    return !stat(path)?.isDirectory()
  }
  const commit = (...args: string[]): string | null => {
    try {
      sh('commit', '-q', '-m', `commit ${++count}`, ...args)
      return sh('rev-parse', 'HEAD')
    } catch {
      return null // nothing to commit
    }
  }
  const ready = (path: string) => {
    mkdirSync(dirname(join(top, path)), { recursive: true })
    rmSync(join(top, path), { force: true })
  }
  function act(it: Act): void {
    const path = 'path' in it ? join(top, it.path) : ''
    if ('path' in it && it.do !== 'delete' && !isFree(it.path)) return
    if (it.do === 'write') {
      mkdirSync(dirname(path), { recursive: true })
      if (stat(it.path)?.isSymbolicLink()) rmSync(path)
      writeFileSync(path, `content ${++count}\n`)
    } else if (it.do === 'delete') rmSync(path, { force: true, recursive: true })
    else if (it.do === 'rename' && stat(it.path) && isFree(it.to) && it.path !== it.to) {
      ready(it.to)
      renameSync(path, join(top, it.to))
    } else if (it.do === 'chmod' && stat(it.path)?.isFile()) chmodSync(path, 0o755)
    else if (it.do === 'link') {
      ready(it.path)
      symlinkSync(`nowhere ${++count}`, path)
    } else if (it.do === 'add' && stat(it.path)) sh('--literal-pathspecs', 'add', '--', it.path)
    else if (it.do === 'unstage') sh('--literal-pathspecs', 'rm', '-rq', '--cached', '--ignore-unmatch', '--force', '--', it.path)
    else if (it.do === 'commit' || it.do === 'commit-all') {
      if (it.do === 'commit-all') sh('add', '-A')
      const made = commit()
      if (made !== null) own.push(made)
    } else if (it.do === 'amend' && own.at(-1) === sh('rev-parse', 'HEAD') && own.at(-1) !== first) {
      const made = commit('--amend', '--all', '--allow-empty')
      if (made !== null) own.splice(-1, 1, made)
    } else if (it.do === 'show-ignored') writeFileSync(join(top, '.gitignore'), `nothing ${++count}\n`)
    else if (it.do === 'other') {
      act({ do: 'write', path: it.path as (typeof NAMES)[number] })
      sh('add', '--', it.path)
      const made = commit('--only', '--', it.path)
      if (made !== null) others.push(made)
    }
  }
  return { act, own, others, hasOthers: () => others.length > 0 }
}

/** Others' commits are there; what they did not touch is as the user had it. */
function checkReverted(place: TestRepository, before: Look, after: Look, others: string[]): void {
  for (const other of others) place.sh('merge-base', '--is-ancestor', other, 'HEAD')
  const touched = new Set(others.map((other) => place.sh('diff-tree', '-r', '--name-only', '--no-commit-id', other)))
  for (const path of new Set([...before.paths, ...after.paths, 'x.ignored'])) {
    if (touched.has(path)) continue
    assert.equal(after.files[path], before.files[path], path)
    assert.equal(after.staged.get(path), before.staged.get(path), path)
  }
}

/** The branch has the tree as the story left it; what the user had uncommitted, and is as it was, has the version of HEAD. */
function checkBranch(place: TestRepository, before: Look, failed: Look): void {
  const onBranch = listed(place, 'ls-tree', '-r', '-z', FAIL)
  // Where the story made a file of a folder, nothing can be in it any more; one that the user made is not the story's.
  const isStorys = (file: string) => failed.onDisk.get(file) !== before.onDisk.get(file)
  const isGone = (path: string) => [...failed.onDisk.keys()].some((file) => path.startsWith(`${file}/`) && isStorys(file))
  const isUsers = (path: string) => before.dirty.has(path) && before.files[path] === failed.files[path] && !isGone(path)
  assert.equal(place.sh('rev-parse', `${FAIL}^`), failed.head)
  assert.equal(place.sh('show', `${FAIL}:.ralph/s.md`), 's')
  for (const path of failed.paths)
    assert.equal(onBranch.get(path), isUsers(path) ? failed.inHead.get(path) : failed.onDisk.get(path), path)
}

function checkReachable(place: TestRepository, commits: string[], looks: Look[]): void {
  const reachable = new Set(place.sh('rev-list', '--objects', '--no-object-names', '--all').split('\n'))
  const contents = looks.flatMap(({ paths, onDisk, staged }) => paths.flatMap((path) => [onDisk.get(path), staged.get(path)]))
  const ids = [...commits, ...contents.flatMap((content) => (content === undefined ? [] : [content.split(' ')[1]!]))]
  assert.deepEqual(
    ids.filter((id) => !reachable.has(id)),
    [],
  )
}
