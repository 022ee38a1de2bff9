import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { committed, env, newFolder, shIn } from '../../../../test/support/repository.ts'
import { gitIn } from '../run.ts'
import { type Writer, writerIn } from './write.ts'

const writerAt = (top: string, own: NodeJS.ProcessEnv = env): Writer =>
  writerIn({ top, dir: join(top, '.git'), run: gitIn(top, own), algorithm: 'sha1' }, own)

const message = 'two words\n\nand a body: ä\n'

test('commits and trees are those that git itself makes, one after another', async () => {
  const { top, sh } = await committed()
  const writer = writerAt(top)
  const [tree, head] = [sh('rev-parse', 'HEAD^{tree}'), sh('rev-parse', 'HEAD')]
  const date = '1700000000 -0330'
  const mine = await writer.commit({ tree, parents: [head, head], message }, { isUsers: true, date })
  const dated = { ...env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
  const gits = execFileSync('git', ['commit-tree', tree, '-p', head], { cwd: top, env: dated, input: message, encoding: 'utf8' })
  assert.equal(mine, gits.trim())
  const own = await writer.commit({ tree: await writer.tree(Buffer.alloc(0)), parents: [mine], message: 'own\n' }, {})
  assert.equal(
    sh('log', '--format=%an <%ae> %s', own),
    `ralph <ralph@localhost> own\nsomeone <someone@example.org> two words\nsomeone <someone@example.org> first`,
  )
  assert.match(sh('log', '-1', '--format=%ad', '--date=raw', own), new RegExp(`^${String(Math.floor(Date.now() / 100_000))}`))
  sh('fsck', '--strict')
  writer.close()
})

test('a ref is moved again and again, and only from where it was expected', async () => {
  const { top, sh } = await committed()
  const writer = writerAt(top)
  const first = sh('rev-parse', 'HEAD')
  const second = await writer.commit({ tree: sh('rev-parse', 'HEAD^{tree}'), parents: [first], message }, {})
  await writer.setRef('refs/ralph/a', first)
  await assert.rejects(writer.setRef('refs/ralph/a', second, second), /git update-ref failed in .*: .*refs\/ralph\/a/s)
  assert.equal(sh('rev-parse', 'refs/ralph/a'), first)
  await writer.setRef('refs/ralph/a', second, first)
  await writer.setRef('HEAD', second, first)
  assert.deepEqual([sh('rev-parse', 'refs/ralph/a'), sh('rev-parse', 'main')], [second, second])
  writer.close()
})

test('what somebody ends, or what ends by itself after one answer, is no reason to write nothing', async () => {
  const { top, sh } = await committed()
  const folder = newFolder()
  mkdirSync(folder)
  const real = execFileSync('sh', ['-c', 'command -v git'], { env, encoding: 'utf8' }).trim()
  // As a git that is too old: it ends after its first answer.
  writeFileSync(
    join(folder, 'git'),
    `#!/bin/sh\ncase "$*" in *--stdin*) echo "$1" >> ${folder}/starts; head -n 1 | '${real}' "$@";; *) exec '${real}' "$@";; esac\n`,
    { mode: 0o755 },
  )
  const writer = writerAt(top, { ...env, PATH: `${folder}:${env.PATH}` })
  const tree = sh('rev-parse', 'HEAD^{tree}')
  const made: string[] = []
  for (const name of ['one', 'two', 'three']) made.push(await writer.commit({ tree, parents: [], message: name }, {}))
  assert.deepEqual(
    made.map((id) => sh('log', '-1', '--format=%s', id)),
    ['one', 'two', 'three'],
  )
  for (const id of made) await writer.setRef('refs/ralph/a', id)
  assert.equal(sh('rev-parse', 'refs/ralph/a'), made.at(-1))
  // One that does not do is not asked for ever.
  const starts = readFileSync(join(folder, 'starts'), 'utf8').trim().split('\n')
  assert(starts.filter((verb) => verb === 'update-ref').length <= 2, starts.join())
  assert.equal(existsSync(join(top, '.git', 'ralph-object')), false)
  writer.close()
})

test('without a name of the user, commits are by Ralph; without a repository, that is said', async () => {
  const top = newFolder()
  mkdirSync(top)
  shIn(top)('init', '-q', '-b', 'main')
  shIn(top)('config', 'user.useConfigOnly', 'true')
  const writer = writerAt(top)
  const commit = await writer.commit({ tree: await writer.tree(Buffer.alloc(0)), parents: [], message }, { isUsers: true })
  assert.equal(shIn(top)('log', '-1', '--format=%an %cn', commit), 'ralph ralph')
  writer.close()
  const gone = newFolder()
  mkdirSync(gone)
  const none = writerAt(gone)
  await assert.rejects(none.tree(Buffer.from('')), /git hash-object failed in .*not a git repository/s)
  none.close()
})
