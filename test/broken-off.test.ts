/** Where a run cannot go on, or is started from an odd place: words and an exit code that is documented, never a trace. */

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { under } from './faults/scene.ts'
import { tempFolder } from './support/folder.ts'
import { runOf, survivors, untilEvent } from './support/processes.ts'
import { type Ended, makeProject, projectFor, ralphProgram } from './support/project.ts'

const hasNoTrace = ({ out, err }: Pick<Ended, 'out' | 'err'>): void => assert.doesNotMatch(out + err, /\n\s+at .*[:(]\d+/)

test('with too few descriptors for its processes a run ends with 69 and says what to raise; with more it goes on', async (t) => {
  const project = projectFor(t, { stories: ['S-1', 'S-2', 'S-3'].map((id) => ({ id })) })
  const limited = (files: number): Ended => {
    const script = `ulimit -n ${files}; exec "${process.execPath}" "${ralphProgram}" run --no-archive --parallel 3`
    const { status, signal, stdout, stderr } = spawnSync('bash', ['-c', script], {
      cwd: project.root,
      env: project.env,
      encoding: 'utf8',
    })
    return { code: status, signal, out: stdout, err: stderr }
  }
  // At the very start, and with the agents' pipes open.
  for (const files of [24, 35]) {
    const ended = limited(files)
    hasNoTrace(ended)
    assert.equal(ended.code, 69, `${files}: ${ended.out}${ended.err}`)
    assert.match(ended.err, /^ralph: .*EMFILE.* Allow more open files \(ulimit -n 1024, or more\)/m)
  }
  if (project.kinds().length > 0) assert.deepEqual(survivors(runOf(project)), [])
  // Agents get no more files than Ralph: three that can do nothing open the breaker.
  const { code, out, err } = await project.run('run', '--no-archive', '--reset-circuit')
  assert.equal(code, 0, out + err)
})

test('a fault while a killed run is resumed, before anyone waits for it, ends with words and 65, and the next run goes on', async (t) => {
  const project = projectFor(t, {
    script: { otherwise: [{ run: 'test -f ../killed || sleep 1000' }, { flip: 'S-1' }, { say: 'Done.' }] },
  })
  const { child, ended } = project.start('run', '--no-archive')
  await untilEvent(project, 'iteration.started')
  child.kill('SIGKILL')
  await ended
  project.write('../killed', '')
  const order = { at: 'start | write .ralph/thing/events.jsonl', how: 'fail' } as const
  const broken = await under(project, order, 'run', '--no-archive')
  hasNoTrace(broken)
  assert.equal(broken.code, 65, broken.out + broken.err)
  assert.match(broken.err, /^ralph: Cannot write .*events\.jsonl: ENOSPC/m)
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
})

test('a fault that nobody waits for ends with 70, one message, and its trace in a file', async (t) => {
  const project = projectFor(t, { script: { otherwise: [{ hang: true }] } })
  project.write(
    '../late.mjs',
    "if (process.argv[1]?.endsWith('ralph.js')) setTimeout(() => Promise.reject(new Error('too late')), 0)\n",
  )
  project.env['NODE_OPTIONS'] = `--import=${project.path('../late.mjs')}`
  const { code, out, err } = await project.run('run')
  hasNoTrace({ out, err })
  assert.equal(code, 70, out + err)
  const [, file] = /^ralph: a bug in Ralph, not your fault: too late\nWhere it happened is in (\S+):/m.exec(err) ?? []
  assert.match(readFileSync(file!, 'utf8'), /Error: too late\n {4}at /)
})

test("git's own variables, as a hook has them, say nothing about where Ralph and its agents work", async (t) => {
  const seen = { run: 'env | grep -c "^GIT_\\(DIR\\|INDEX_FILE\\|WORK_TREE\\|PREFIX\\)=" > seen-$RALPH_STORY; true' }
  const project = projectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: {
      otherwise: [seen, { run: 'git add -A; git commit -qm "feat: $RALPH_STORY"' }, { flip: '$RALPH_STORY' }, { say: 'Done.' }],
    },
  })
  const git = join(project.root, '.git')
  const variables = { GIT_DIR: git, GIT_INDEX_FILE: join(git, 'index'), GIT_WORK_TREE: project.root, GIT_PREFIX: '' }
  Object.assign(project.env, variables, { GIT_LITERAL_PATHSPECS: '1' })
  const { code, out, err } = await project.run('run', '--no-archive', '--parallel', '2')
  assert.equal(code, 0, out + err)
  assert.deepEqual([project.read('seen-S-1'), project.read('seen-S-2')], ['0\n', '0\n'])
  assert.equal(project.git('status', '--porcelain'), '')
})

test("a line feed in the project's path is a character like any other, with several workers too", async (t) => {
  const base = tempFolder(t)
  const project = makeProject({ at: join(base, 'line\nfeed\n'), stories: [{ id: 'S-1' }, { id: 'S-2' }] })
  const { code, out, err } = await project.run('run', '--no-archive', '--parallel', '2')
  assert.equal(code, 0, out + err)
  assert.deepEqual(project.passing(), ['S-1', 'S-2'])
  assert.equal(project.git('status', '--porcelain'), '')
})
