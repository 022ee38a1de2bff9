import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { commitAll, committed, env, newFolder, type TestRepository } from '../../../test/support/repository.ts'
import { openGit } from './git.ts'

type Files = Record<string, string>

/** Two lines of work that split at the first commit: what each has in these files. */
function split(place: TestRepository, ours: Files, theirs: Files): { ours: string; theirs: string } {
  const fork = place.sh('rev-parse', 'HEAD')
  place.write(theirs)
  const other = commitAll(place, 'theirs')
  place.sh('reset', '-q', '--hard', fork)
  place.write(ours)
  return { ours: commitAll(place, 'ours'), theirs: other }
}

test('.ralph/ is one side’s alone wherever the project lies, and names that are not UTF-8 stay as they are', async () => {
  const place = await committed({ 'app/.ralph/plan': 'old\n', 'app/x': 'x\n', 'b/1': '1\n' }, { root: 'app' })
  writeFileSync(Buffer.concat([Buffer.from(join(place.top, 'app/')), Buffer.from([0xff])]), 'latin\n')
  commitAll(place, 'a name in Latin-1')
  const sides = split(
    place,
    { 'app/.ralph/plan': 'ours\n', 'app/x': 'X\n' },
    { 'app/.ralph/plan': 'theirs\n', 'app/.ralph/more': 'm\n', 'b/2': '2\n' },
  )
  for (const [own, files] of [
    ['ours', '"app/\\377"\napp/.ralph/plan\napp/x\nb/1\nb/2'],
    ['theirs', '"app/\\377"\napp/.ralph/more\napp/.ralph/plan\napp/x\nb/1\nb/2'],
  ] as const) {
    const joined = await place.git.joined(sides.ours, sides.theirs, { own, message: 'both\n' })
    assert.ok(joined !== null && 'commit' in joined)
    assert.equal(place.sh('show', `${joined.commit}:app/.ralph/plan`), own)
    assert.deepEqual(
      place.sh('ls-tree', '-r', '--name-only', '--full-tree', joined.commit).split('\n').toSorted(),
      files.split('\n'),
    )
  }
  place.sh('fsck', '--strict')
})

test('a file that is new in a folder which the other side moved stays where it was added', async () => {
  const place = await committed({ 'lib/a': 'a\n'.repeat(9), 'lib/b': 'b\n'.repeat(9) })
  const fork = place.sh('rev-parse', 'HEAD')
  place.write({ 'lib/new': 'n\n' })
  const theirs = commitAll(place, 'theirs')
  place.sh('reset', '-q', '--hard', fork)
  place.sh('mv', 'lib', 'src')
  const ours = commitAll(place, 'ours')
  const joined = await place.git.joined(ours, theirs, { own: 'ours', message: 'both\n' })
  assert.ok(joined !== null && 'commit' in joined)
  assert.equal(place.sh('ls-tree', '-r', '--name-only', joined.commit), 'lib/new\nsrc/a\nsrc/b')
})

test('a git that cannot merge aside merges whole files, and what both changed is a conflict', async () => {
  const place = await committed({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
  const folder = newFolder()
  mkdirSync(folder)
  const refusal = 'case " $* " in *" merge-tree "*) exit 129 ;; esac'
  writeFileSync(join(folder, 'git'), `#!/bin/sh\n${refusal}\nPATH='${env.PATH}' exec git "$@"\n`, { mode: 0o755 })
  const git = await openGit(place.top, { ...env, PATH: `${folder}:${env.PATH}` })
  assert.ok(git)
  const apart = split(place, { 'a.txt': 'ours\n' }, { 'b.txt': 'theirs\n', 'c.txt': 'c\n' })
  const how = { own: 'ours', message: 'both\n' } as const
  const [older, newer] = [await git.joined(apart.ours, apart.theirs, how), await place.git.joined(apart.ours, apart.theirs, how)]
  assert.ok(older && newer && 'commit' in older && 'commit' in newer)
  assert.equal(place.sh('rev-parse', `${older.commit}^{tree}`), place.sh('rev-parse', `${newer.commit}^{tree}`))
  const both = split(place, { 'a.txt': 'one\n' }, { 'a.txt': 'two\n' })
  const conflict = await git.joined(both.ours, both.theirs, how)
  assert.match(conflict !== null && 'conflict' in conflict ? conflict.conflict : '', /^a\.txt: unmerged/)
  git.close()
})
