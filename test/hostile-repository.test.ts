/** A repository that wants to run something when Ralph looks at it: by names, by git's configuration, by links. Nothing of it runs. */
import assert from 'node:assert/strict'
import { chmodSync, readdirSync } from 'node:fs'
import { test } from 'node:test'
import { projectFor, type Steps, type TestProject } from './support/project.ts'

/** What would have run left a file of this kind. */
const traces = (p: TestProject): string[] =>
  readdirSync(p.root)
    .filter((name) => name.startsWith('ran'))
    .sort()

const leaves: Steps = [
  { write: { path: '$(touch ran-file)', text: 'x\n' } },
  { write: { path: '-rf', text: 'x\n' } },
  { write: { path: '--output=ran-option', text: 'x\n' } },
  { write: { path: 'two words;touch ran-words', text: 'x\n' } },
  { write: { path: 'line\ntouch ran-line', text: 'x\n' } },
  { write: { path: ':(exclude)*', text: 'x\n' } },
  { write: { path: '`touch ran-tick`.txt', text: 'x\n' } },
]

test('names of stories, branches and files are never read by a shell, nor as options of git', async (t) => {
  const id = '$(touch ran-story)`touch ran-tick`;touch ran-semicolon'
  const p = projectFor(t, {
    stories: [{ id }, { id: '--upload-pack=touch ran-option', title: '"; touch ran-title; "' }],
    branch: 'work/$(touch,ran-branch)',
    script: { otherwise: [...leaves, { flip: '$RALPH_STORY' }, { say: 'It is there.' }] },
    config: { gates: { tests: 'test ! -e refuse' } },
  })
  const { code, out, err } = await p.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.deepEqual(traces(p), [])
  const committed = p.git('ls-tree', '-r', '-z', '--name-only', 'HEAD').split('\0')
  for (const { write } of leaves as { write: { path: string } }[]) assert.ok(committed.includes(write.path), write.path)
})

test('a story with such a name fails and is put aside on a branch, and nothing runs', async (t) => {
  const p = projectFor(t, {
    stories: [{ id: '$(touch ran-story);touch ran-more' }, { id: '-x --exec=touch' }],
    script: { otherwise: [...leaves, { commit: 'feat: it' }, { flip: '$RALPH_STORY' }] },
    config: { gates: { tests: 'false' }, defaults: { max_attempts: 1 }, circuit_breaker: { no_progress_threshold: 0 } },
  })
  const { code, out, err } = await p.run('run', '--no-archive')
  assert.ok(code === 1 || code === 4, out + err)
  assert.deepEqual(traces(p), [])
  assert.match(p.git('branch', '--list', 'wip/*'), /wip\/ralph-fail-/)
})

test('a branch name that is an option of git is refused as a name, and nothing runs', async (t) => {
  for (const branch of ['--orphan', '-f', '--upload-pack=touch ran']) {
    const p = projectFor(t, { branch })
    const { code, out, err } = await p.run('run', '--no-archive')
    assert.equal(code, 65, `${branch}: ${out}${err}`)
    assert.deepEqual(traces(p), [])
  }
})

test("programs that a repository's configuration names do not run when Ralph looks at it; its commit hooks and filters do, as with any git", async (t) => {
  const p = projectFor(t, {
    files: { '.gitattributes': '*.txt diff=shown filter=cleaned\n*.bin merge=merged\n', 'a.txt': 'a\n' },
    script: {
      otherwise: [
        { write: { path: 'a.txt', text: 'changed by $RALPH_STORY\n' } },
        { write: { path: 'b.txt', text: 'new\n' } },
        { flip: '$RALPH_STORY' },
        { say: 'It is there.' },
      ],
      reviews: { 'S-1': [[{ say: '{"missing": [], "extra": [], "reason": "", "verdict": "pass"}' }]] },
    },
    config: { gates: { tests: 'true' }, review: { enabled: true } },
  })
  const runs = (name: string): string => `touch ${p.path(`ran-${name}`)}; cat`
  const named: Record<string, string> = {
    'core.fsmonitor': `touch ${p.path('ran-fsmonitor')};`,
    'core.pager': runs('pager'),
    'pager.diff': runs('pager'),
    'diff.external': `touch ${p.path('ran-external')};`,
    'diff.shown.textconv': `touch ${p.path('ran-textconv')}; cat`,
    'diff.shown.command': `touch ${p.path('ran-command')};`,
    'merge.merged.driver': `touch ${p.path('ran-merge')};`,
    'alias.status': `!touch ${p.path('ran-alias')};`,
    'alias.commit': `!touch ${p.path('ran-alias')};`,
    'core.editor': `touch ${p.path('ran-editor')};`,
    'sequence.editor': `touch ${p.path('ran-editor')};`,
    'core.askPass': `touch ${p.path('ran-askpass')};`,
    'credential.helper': `!touch ${p.path('ran-credential')};`,
    'core.sshCommand': `touch ${p.path('ran-ssh')};`,
    'gpg.program': p.path('.git/gpg'),
    'log.showSignature': 'true',
    'core.alternateRefsCommand': `touch ${p.path('ran-refs')};`,
    'trailer.x.command': `touch ${p.path('ran-trailer')};`,
    'interactive.diffFilter': runs('filter-shown'),
    'protocol.ext.allow': 'always',
    'submodule.recurse': 'true',
    'filter.cleaned.clean': runs('clean'),
  }
  for (const [key, value] of Object.entries(named)) p.git('config', key, value)
  p.write('.git/gpg', `#!/bin/sh\ntouch ${p.path('ran-gpg')}\n`)
  p.write('.git/hooks/pre-commit', `#!/bin/sh\ntouch ${p.path('ran-hook')}\n`)
  for (const file of ['.git/gpg', '.git/hooks/pre-commit']) chmodSync(p.path(file), 0o755)
  const { code, out, err } = await p.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  for (const command of ['status', 'why', 'report', 'doctor']) await p.run(command)
  assert.deepEqual(traces(p), ['ran-clean', 'ran-hook'])
})

test("a submodule's configuration runs nothing either", async (t) => {
  const p = projectFor(t, {
    script: { otherwise: [{ write: { path: 'a.txt', text: 'a\n' } }, { flip: '$RALPH_STORY' }] },
    config: { gates: { tests: 'false' }, defaults: { max_attempts: 1 } },
  })
  p.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', p.root, 'part')
  p.git('commit', '-q', '-m', 'a part')
  p.git('-C', 'part', 'config', 'core.fsmonitor', `touch ${p.path('ran-part')};`)
  p.write('part/README.md', 'changed\n')
  const { code, out, err } = await p.run('run', '--no-archive')
  assert.ok(code === 1 || code === 4, out + err)
  assert.deepEqual(traces(p), [])
  p.git('status')
  assert.deepEqual(traces(p), ['ran-part'], 'a git of anyone else does run it')
})
