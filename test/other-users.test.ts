/** Another user of the same machine: what they can read of a run, and what they see of it in the list of processes. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { lstatSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { replaceFile } from '../src/adapters/files/files.ts'
import { projectFor, ralphProgram } from './support/project.ts'

test('logs, events, requests and the folder of the user are for this user alone, whatever the umask', async (t) => {
  const p = projectFor(t, {
    script: { otherwise: [{ say: '<promise>BLOCKED:no key</promise>' }] },
    config: { gates: { tests: 'true' } },
  })
  const open = spawnSync('sh', ['-c', `umask 0; exec ${process.execPath} ${ralphProgram} run`], {
    cwd: p.root,
    env: p.env,
    encoding: 'utf8',
  })
  assert.equal(open.status, 2, open.stdout + open.stderr)
  const modeOf = (path: string): string => (lstatSync(path).mode & 0o777).toString(8)
  const paths = [
    join(p.home, '.ralph'),
    join(p.dir, 'logs'),
    join(p.dir, 'inbox'),
    join(p.dir, 'events.jsonl'),
    join(p.dir, 'logs', 'iteration-001.log'),
  ]
  assert.deepEqual(paths.map(modeOf), ['700', '700', '700', '600', '600'])
})

test('no key and no prompt stands on a command line, where every user of the machine reads it', async (t) => {
  const p = projectFor(t, {
    files: { '.ralph/agent.sh': 'cat > /dev/null; ps -Aww -o args= > seen.txt; echo done\n' },
    config: { agent: { name: 'mine', command: ['sh', './.ralph/agent.sh'], env: { OWN_TOKEN: 'token-of-the-agent-1' } } },
    stories: [{ id: 'S-1', description: 'words that only the prompt has' }],
  })
  p.env['SOME_API_KEY'] = 'key-of-the-run-1'
  await p.run('run', '-n', '1')
  const seen = p.read('seen.txt')
  assert.ok(seen.includes('agent.sh'), 'the agent saw itself')
  for (const secret of ['token-of-the-agent-1', 'key-of-the-run-1', 'words that only the prompt has'])
    assert.ok(!seen.includes(secret), secret)
})

test('a link that someone put where Ralph will write for a moment is not followed', (t) => {
  const p = projectFor(t, { isGit: false })
  const target = join(dirname(p.root), 'target')
  writeFileSync(target, 'as it was')
  const names = Array.from({ length: 50 }, (_, index) => `.a.txt.tmp-${process.pid}-${index + 1}`)
  for (const name of names) symlinkSync(target, p.path(name))
  assert.throws(() => replaceFile(p.path('a.txt'), 'new'), { code: 'ELOOP' })
  assert.equal(lstatSync(target).size, 'as it was'.length)
})

test('temporary folders have names that nobody can guess, and are removed', async (t) => {
  const p = projectFor(t, { config: { gates: { tests: 'true' } } })
  const { code, out, err } = await p.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.deepEqual(readdirSync(p.env['TMPDIR']!).sort(), ['home', 'project'])
})
