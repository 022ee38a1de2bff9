import assert from 'node:assert/strict'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { commitIn, committed, env, newFolder, type TestRepository } from '../../../../test/support/repository.ts'
import { repairRepository, reviveHead } from './damage.ts'

const repair = ({ top }: TestRepository, heads: string[] = [], branch: string | null = 'main') =>
  repairRepository({ top, dir: join(top, '.git'), env }, { branch, heads })

/** As a power cut leaves what was written last: the file is there, its content is not. */
function cut({ top }: TestRepository, ...ids: string[]): void {
  for (const id of ids) {
    const path = join(top, '.git', 'objects', id.slice(0, 2), id.slice(2))
    chmodSync(path, 0o644)
    truncateSync(path)
  }
}
const idsOf = ({ sh }: TestRepository, ...names: string[]): string[] => names.map((name) => sh('rev-parse', name))
const damaged = ({ top }: TestRepository): number =>
  existsSync(join(top, '.git/ralph-damaged/objects')) ? readdirSync(join(top, '.git/ralph-damaged/objects')).length : 0

test('a sound repository is left alone', async () => {
  const place = await committed()
  assert.equal(await repair(place), null)
})

test('HEAD at an empty object: the branch goes back to the newest commit that is whole, and the files stay as they are', async () => {
  const place = await committed({ 'a.txt': 'a\n' })
  const whole = commitIn(place, 'b.txt', 'b\n')
  commitIn(place, 'c.txt', 'c\n')
  commitIn(place, 'd.txt', 'd\n')
  place.write({ 'mine.txt': "the user's\n" })
  // Of the first only a file is lost, of the second all.
  cut(place, ...idsOf(place, 'HEAD~1:c.txt', 'HEAD', 'HEAD^{tree}', 'HEAD:d.txt'))
  const repaired = await repair(place)
  assert.ok(repaired !== null && 'did' in repaired)
  assert.equal(repaired.head, whole)
  assert.match(
    repaired.did.join('; '),
    /^4 objects in .git could not be read; main is at \w{10} again, the newest intact commit$/,
  )
  assert.equal(place.sh('rev-parse', 'main'), whole)
  assert.deepEqual(place.sh('status', '--porcelain').split('\n'), ['?? c.txt', '?? d.txt', '?? mine.txt'])
  assert.equal(readFileSync(join(place.top, 'd.txt'), 'utf8'), 'd\n')
  assert.ok(damaged(place) > 0)
  place.sh('add', '-A')
  place.sh('commit', '-q', '-m', 'again') // the same content can be written again
  assert.equal(place.sh('fsck', '--no-dangling', '--no-reflogs'), '')
  assert.equal(await repair(place), null)
})

test('what the log knows of helps where git has no history of the branch', async () => {
  const place = await committed({ 'a.txt': 'a\n' })
  const [first] = idsOf(place, 'HEAD') as [string]
  const second = commitIn(place, 'b.txt', 'b\n')
  cut(place, second)
  for (const log of ['HEAD', 'refs/heads/main']) writeFileSync(join(place.top, '.git/logs', log), '')
  const repaired = await repair(place, [second, first])
  assert.ok(repaired !== null && 'did' in repaired && repaired.head === first)
})

test('empty refs, an empty index, an empty HEAD and a worktree without its files: each is made good or goes aside', async () => {
  const place = await committed({ 'a.txt': 'a\n' })
  const [head] = idsOf(place, 'HEAD') as [string]
  place.sh('update-ref', 'refs/ralph/kept', 'HEAD')
  place.sh('worktree', 'add', '-q', '--detach', newFolder())
  const git = (name: string): string => join(place.top, '.git', name)
  const [worktree] = readdirSync(git('worktrees')) as [string]
  for (const name of ['refs/heads/main', 'refs/ralph/kept', 'index', 'HEAD', `worktrees/${worktree}/gitdir`])
    truncateSync(git(name))
  assert.ok(reviveHead(git(''), 'main'))
  assert.equal(reviveHead(git(''), 'main'), false)
  const repaired = await repair(place, [head])
  assert.ok(repaired !== null && 'did' in repaired, JSON.stringify(repaired))
  assert.equal(place.sh('rev-parse', 'main'), head)
  assert.equal(place.sh('status', '--porcelain'), '')
  assert.equal(place.sh('for-each-ref', 'refs/ralph'), '')
  assert.equal(existsSync(git(`ralph-damaged/worktrees/${basename(worktree)}`)), true)
  assert.equal(statSync(git('ralph-damaged/refs/ralph/kept')).size, 0)
})

test('half of HEAD, and zeros, are the branch of the run again; a branch with a shorter name stays checked out', async () => {
  const { top } = await committed({ 'a.txt': 'a\n' })
  const dir = join(top, '.git')
  const revived = (text: string): [boolean, string] => {
    writeFileSync(join(dir, 'HEAD'), text)
    return [reviveHead(dir, 'main'), readFileSync(join(dir, 'HEAD'), 'utf8')]
  }
  const whole = 'ref: refs/heads/main\n'
  for (const torn of ['ref: refs/hea', 'ref: refs/heads/ma', '\0'.repeat(21), '']) assert.deepEqual(revived(torn), [true, whole])
  for (const meant of [whole, whole.trim(), 'ref: refs/heads/ma\n', `${'a'.repeat(40)}\n`])
    assert.deepEqual(revived(meant), [false, meant])
})

test('where no commit can be read it says so, and what to do', async () => {
  const place = await committed({ 'a.txt': 'a\n' })
  cut(place, ...idsOf(place, 'HEAD'))
  const repaired = await repair(place)
  assert.match(
    repaired !== null && 'problem' in repaired ? repaired.problem : '',
    /is damaged, as after a power cut \(git: .*\), and its branch has no intact commit\. Your files are still there\. Restore \.git/,
  )
})
