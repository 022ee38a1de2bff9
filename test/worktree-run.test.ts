/** Runs in a worktree of the feature: the checkout stays the user's, and every command in it finds the run. */
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { untilFile } from './support/processes.ts'
import { prd, quickProjectFor, type Steps, type TestProject } from './support/project.ts'

const waits: Steps = [{ run: 'touch "$HOME/../up-$RALPH_STORY"; while ! test -e "$HOME/../go"; do sleep 0.02; done' }]
const done: Steps = [
  { write: { path: '$RALPH_STORY.txt', text: 'done\n' } },
  { run: 'git add $RALPH_STORY.txt && git commit -qm "feat: $RALPH_STORY"' },
  { flip: '$RALPH_STORY' },
]

/** The worktree of a feature. */
function placeOf(made: TestProject, feature: string): string {
  const all = join(made.home, '.ralph/worktrees')
  const project = readdirSync(all).find((name) => existsSync(join(all, name, '.features')))
  return join(all, project ?? '', '.features', feature)
}

test('a run with --worktree leaves the checkout alone, every command there finds it, and archive removes it', async (t) => {
  const made = quickProjectFor(t, {
    files: { 'a.txt': 'old\n' },
    branch: 'feature/thing',
    script: { otherwise: [...waits, ...done] },
  })
  made.write('a.txt', 'mine\n')
  made.write('.ralph/other/prd.json', prd('other', '', [{ id: 'O-1' }]))
  const runs = [made.start('run', '--worktree', '-f', 'thing'), made.start('run', '--worktree', '-f', 'other')]
  await untilFile(made, '../up-S-1')
  await untilFile(made, '../up-O-1')
  const status = await made.run('status', '-f', 'thing', '--json')
  assert.equal(JSON.parse(status.out).feature, 'thing', status.out)
  assert.match((await made.run('list')).out, /^other +running .*\nthing +running /m)
  assert.equal((await made.run('say', '-f', 'thing', 'a note')).code, 0)
  assert.deepEqual(
    [made.git('branch', '--show-current'), made.git('status', '--porcelain')],
    ['main', ' M a.txt\n?? .ralph/other/'],
  )
  made.git('commit', '-qam', 'mine')
  made.git('switch', '-qc', 'elsewhere')
  made.write('../go', '')
  for (const { ended } of runs) {
    const { code, out } = await ended
    assert.equal(code, 0, out)
    const [, csv = ''] = /^Log: +(\S+)$/m.exec(out) ?? []
    assert.equal(existsSync(resolve(made.root, csv)), true, out)
  }
  assert.deepEqual(
    [made.git('branch', '--show-current'), made.has('S-1.txt'), made.read('a.txt')],
    ['elsewhere', false, 'mine\n'],
  )
  assert.equal(made.git('show', 'feature/thing:S-1.txt'), 'done')
  assert.equal(made.git('show', 'feature/other:O-1.txt'), 'done')
  assert.match((await made.run('status', '-f', 'thing')).out, /1 of 1|1\/1|S-1/)
  const why = await made.run('why', '-f', 'thing')
  const [, log = ''] = /^Look at: .*\((\S+)\)$/m.exec(why.out) ?? []
  assert.equal(existsSync(resolve(made.root, log)), true, why.out)
  const passed = await made.run('retry', '-f', 'thing', 'S-1')
  const [, plan = ''] = /mark it as open in (\S+), then/.exec(passed.err) ?? []
  assert.equal(existsSync(resolve(made.root, plan)) && plan.startsWith('/'), true, passed.err)
  made.write('.ralph/third/prd.json', prd('third', '', [{ id: 'T-1' }]))
  made.write('.ralph/fourth/prd.json', prd('fourth', '', [{ id: 'F-1' }]))
  const { out: found } = await made.run('status')
  assert.match(found, /^Feature: +(?:thing|other)$/m, 'the last one that ran, though it did so elsewhere')
  assert.equal((await made.run('logs', '-f', 'thing')).code, 0)
  const place = placeOf(made, 'thing')
  assert.equal(existsSync(place), true)
  const archived = await made.run('archive', '-f', 'thing')
  assert.equal(archived.code, 0, archived.err)
  assert.equal(existsSync(place), false)
  const [name] = readdirSync(made.path('.ralph/archive'))
  assert.match(readFileSync(made.path(`.ralph/archive/${name}/events.jsonl`), 'utf8'), /"kind":"run.ended"/)
  made.git('merge', '-q', 'feature/thing')
  assert.equal(made.has('S-1.txt'), true)
})

test('after a kill it continues in its worktree, also if somebody deleted that; a branch that is checked out elsewhere is told with the fix', async (t) => {
  const made = quickProjectFor(t, {
    branch: 'feature/thing',
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: { stories: { 'S-1': [done], 'S-2': [[...waits, ...done], done] } },
    config: { workspace: 'worktree', worktree: { setup: 'touch "$HOME/../set-up-$RANDOM"; echo once >> "$HOME/../setups"' } },
  })
  made.git('switch', '-qc', 'feature/thing')
  const refused = await made.run('run')
  assert.equal(refused.code, 65)
  assert.match(refused.err, /The branch feature\/thing is checked out in .*\. Switch there to another branch/)
  made.git('switch', '-q', 'main')
  const run = made.start('run')
  await untilFile(made, '../up-S-2')
  run.child.kill('SIGKILL')
  await run.ended
  assert.equal(made.read('../setups'), 'once\n')
  rmSync(placeOf(made, 'thing'), { recursive: true })
  made.write('../go', '')
  const { code, out, err } = await made.run('run')
  assert.equal(code, 0, out + err)
  const log = readFileSync(join(placeOf(made, 'thing'), '.ralph/thing/events.jsonl'), 'utf8')
  assert.equal(log.match(/"kind":"run.started"/g)?.length, 1)
  assert.deepEqual([made.git('show', 'feature/thing:S-2.txt'), made.git('status', '--porcelain')], ['done', ''])
})

test('dependencies that Ralph copied into the worktree, also a second time after a kill, are not taken for changes of the agent', async (t) => {
  const made = quickProjectFor(t, {
    branch: 'feature/thing',
    files: {
      '.gitignore': 'node_modules\n',
      'package.json': '{ "name": "own", "scripts": { "test": "vitest run" }, "devDependencies": { "vitest": "1.0.0" } }\n',
      'check.sh': "node -e \"require('dep'); require('vitest')\" && node_modules/.bin/vitest\n",
    },
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: { stories: { 'S-1': [done], 'S-2': [[...waits, ...done], done] } },
    config: { gates: { tests: 'sh check.sh' } },
  })
  made.write('node_modules/dep/index.js', 'module.exports = 1\n') // by hand: no package.json
  made.write(
    'node_modules/vitest/package.json',
    '{ "name": "vitest", "version": "1.0.0", "main": "vitest.cjs", "bin": "vitest.cjs" }\n',
  )
  made.write('node_modules/vitest/vitest.cjs', '#!/usr/bin/env node\n')
  made.write('node_modules/.package-lock.json', '{}\n')
  mkdirSync(made.path('node_modules/.bin'))
  chmodSync(made.path('node_modules/vitest/vitest.cjs'), 0o755)
  symlinkSync('../vitest/vitest.cjs', made.path('node_modules/.bin/vitest'))
  const run = made.start('run', '--worktree')
  await untilFile(made, '../up-S-2')
  run.child.kill('SIGKILL')
  await run.ended
  rmSync(placeOf(made, 'thing'), { recursive: true })
  made.write('../go', '')
  const { code, out, err } = await made.run('run', '--worktree')
  assert.equal(code, 0, out + err)
  const events = readFileSync(join(placeOf(made, 'thing'), '.ralph/thing/events.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const [started] = events.filter(({ kind }) => kind === 'run.started')
  assert.ok(Object.keys(started.programs.installed).includes('vitest@1.0.0'), JSON.stringify(started.programs))
  assert.deepEqual(
    events.filter(({ what, findings = [], reserved = [] }) => what === 'tree-judged' || findings.length + reserved.length > 0),
    [],
  )
  assert.doesNotMatch(run.output() + out, /reservation|red in a clean checkout/)
})
