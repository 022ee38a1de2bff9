import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { commitAll, committed, env, newFolder } from '../../../test/support/repository.ts'
import { hooksIn } from '../../adapters/git/project-hooks.ts'
import { type GitTrace, isUsersCommit, parseTrace, pastHooks } from './git-trace.ts'

test('a commit that no git of the agent made is the user’s; one that was there before, or whose time is unknown, is not known to be', async () => {
  const { git, top, write, sh } = await committed()
  const before = sh('rev-parse', 'HEAD')
  const path = newFolder()
  writeFileSync(path, `${JSON.stringify({ event: 'agent began', time: new Date().toISOString(), head: before })}\n`)
  write({ 'agent.txt': 'a\n' })
  const traced = { ...env, GIT_TRACE2_EVENT: path, GIT_TRACE2_EVENT_BRIEF: '1', GIT_COMMITTER_DATE: '2001-01-01T00:00:00Z' }
  for (const args of [
    ['add', '.'],
    ['commit', '-qm', 'agent'],
  ])
    execFileSync('git', args, { cwd: top, env: traced })
  const agents = sh('rev-parse', 'HEAD')
  const trace = parseTrace(readFileSync(path, 'utf8'))
  assert(trace)
  assert.equal(trace.head, before)
  assert.ok(trace.names.includes('commit'))
  assert.equal(isUsersCommit({ ...trace, startedMs: 0 }, git.madeAt(agents)), false)
  write({ 'user.txt': 'u\n' })
  const users = commitAll({ git, top, write, sh }, 'user')
  const at = git.madeAt(users)
  assert(at)
  const spans = trace.spans.map(({ from, to }) => ({ from: from - 1000, to: to - 1000 })) // a second ago
  assert.equal(isUsersCommit({ ...trace, spans, startedMs: 0 }, at), true)
  assert.equal(isUsersCommit({ ...trace, spans, startedMs: at + 1 }, at), false)
  assert.equal(isUsersCommit({ ...trace, spans, startedMs: 0 }, null), false)
  assert.equal(isUsersCommit({ ...trace, spans: [{ from: at - 5000, to: Number.POSITIVE_INFINITY }], startedMs: 0 }, at), false)
  appendFileSync(
    path,
    'null\n[]\n"x"\n{}\n{"event":5}\n{"event":"cmd_name","name":{}}\n{"event":"version","sid":1,"time":[]}\n{"event":"ver',
  )
  assert.deepEqual(parseTrace(readFileSync(path, 'utf8')), trace)
  assert.equal(parseTrace('{"event":"version"}\n'), null)
})

test('a commit that Ralph makes after the agent has ended is not the user’s, however late it comes', () => {
  const trace = { head: null, startedMs: 1000, names: [], commands: [], spans: [{ from: 2000, to: 2100 }], readMs: 3000 }
  assert.deepEqual(
    [2900, 3001, 9000].map((madeMs) => isUsersCommit(trace, madeMs)),
    [true, false, false],
  )
})

test('commits that have not run the hooks are known by git’s own trace; those that git replays need none', async () => {
  const { top, write, sh } = await committed()
  const path = newFolder()
  const began = `${JSON.stringify({ event: 'agent began', time: new Date().toISOString(), head: sh('rev-parse', 'HEAD') })}\n`
  const hook = join(top, '.git', 'hooks', 'pre-commit')
  mkdirSync(dirname(hook), { recursive: true })
  writeFileSync(hook, '#!/bin/sh\n', { mode: 0o755 })
  const found = (...commands: string[]): string[] => {
    writeFileSync(path, began)
    for (const command of commands) {
      write({ 'agent.txt': `${command}\n` })
      const traced = { ...env, GIT_TRACE2_EVENT: path, GIT_TRACE2_EVENT_BRIEF: '1' }
      execFileSync('sh', ['-ec', `git add .; ${command}`], { cwd: top, env: traced, stdio: 'ignore' })
    }
    const trace = parseTrace(readFileSync(path, 'utf8'))
    assert(trace)
    return pastHooks(trace, hooksIn(dirname(hook)), { made: commands, untraced: [], madeAt: () => Date.now() + 1000 }).map(
      ({ words }) => words,
    )
  }
  const past = (name: string): string => `bypassed the hooks in a commit (git ${name} that did not run pre-commit)`
  assert.deepEqual(found('git commit -qm one', 'git commit -qm two; git revert --no-edit HEAD'), [])
  assert.deepEqual(found('git commit -qnm one'), [past('commit')])
  assert.deepEqual(found('git -c core.hooksPath=/dev/null commit -qm one'), [past('commit')])
  assert.deepEqual(found('git update-ref HEAD $(git commit-tree -p HEAD -m one $(git write-tree))'), [past('commit-tree')])
})

test('a commit that the trace does not have is a suspicion where hooks check commits: a variable that is unset writes none', () => {
  const commit = '1234567890abcdef'
  const trace = { head: null, startedMs: 1000, names: [], commands: [], spans: [] }
  const [made, untraced] = [
    { made: [commit], untraced: [] },
    { made: [], untraced: [commit] },
  ]
  const words = (
    seen: typeof made | typeof untraced,
    { hook = 'pre-commit', from = trace as GitTrace | null, at = 2000 } = {},
  ): string[] =>
    pastHooks(from, [hook], { ...seen, madeAt: () => at }).map(({ words, isCertain }) => `${isCertain ?? false} ${words}`)
  const unknown =
    "false has a commit (1234567890) that is not in git's trace of the agent: unless you made it, pre-commit may not have run"
  assert.deepEqual(words(untraced), [unknown])
  assert.deepEqual(words(made), [unknown])
  assert.deepEqual(words(made, { from: null }), [unknown])
  assert.deepEqual(words(made, { hook: 'post-commit' }), [])
  assert.deepEqual(words(made, { at: 500 }), [], 'of another branch')
  assert.deepEqual(words(made, { from: { ...trace, commands: [{ name: 'rebase', args: [], hooks: [] }] } }), [])
  assert.deepEqual(words(made, { from: { ...trace, commands: [{ name: 'commit', args: [], hooks: ['pre-commit'] }] } }), [])
})
