import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { compiled } from '../../../test/support/memory.ts'
import type { Plan } from '../../core/types.ts'
import type { Project } from '../project.ts'
import { archiveFeature, archiveLastRun, finishArchives } from './archive.ts'

const folder = tempFolder()
const env = { PATH: process.env['PATH'], HOME: folder, LANG: 'C.UTF-8', GIT_CONFIG_NOSYSTEM: '1', ...compiled }
const today = '2026-01-09T12:00:00.000Z'
const tomorrow = '2026-01-10T12:00:00.000Z'
const lastPlan: Plan = { file: 'prd.json', branch: 'feature/old', stories: [], marks: 'file' }
let projects = 0

/** A feature after a run, its plan made over since. */
function featureAfterRun(): Project {
  const root = join(folder, String(++projects))
  const files = {
    'prd.json': 'the new plan',
    'prompt.md': 'prompt',
    'progress.txt': 'progress',
    'events.jsonl': 'events',
    'status.json': 'status',
    'report.md': 'report',
    'state.md': 'state',
    'specs/a.md': 'spec',
    'learnings/one.yaml': 'learning',
    'inbox/1.json': 'request',
    'logs/iteration-001.log': 'log',
    'logs/last-prd.json': 'the plan that ran',
  }
  const dir = join(root, '.ralph', 'thing')
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), text)
  }
  return { root, home: folder, feature: 'thing', dir, label: '.ralph/thing' }
}

/** Every file but the rules for git by its path, with its content. */
function filesIn(root: string): Record<string, string> {
  const found = readdirSync(root, { recursive: true, encoding: 'utf8' })
  const names = found.filter((name) => name !== '.gitignore' && statSync(join(root, name)).isFile())
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(root, name), 'utf8')]))
}

/** Archives in a process of its own that dies by SIGKILL before its change number `count` to the file system; false: it did not come to that. */
function diesAt(count: number, call: string): boolean {
  const program = `
    import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    let left = ${count}
    for (const name of ['mkdirSync', 'renameSync', 'cpSync', 'rmSync', 'writeFileSync']) {
      const deed = fs[name]
      fs[name] = (...args) => {
        if (left-- === 0) process.kill(process.pid, 'SIGKILL')
        return deed(...args)
      }
    }
    syncBuiltinESMExports()
    const archive = await import(${JSON.stringify(import.meta.resolve('./archive.ts'))})
    archive.${call}`
  const { signal, status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    env,
    encoding: 'utf8',
  })
  assert.ok(signal === 'SIGKILL' || status === 0, stderr)
  return signal === 'SIGKILL'
}

test('R-CMD-3 the last run goes to the archive with its own plan, and the new plan stays', () => {
  const project = featureAfterRun()
  archiveLastRun(project, today, lastPlan)
  assert.deepEqual(filesIn(join(project.root, '.ralph')), {
    'archive/2026-01-09-thing/events.jsonl': 'events',
    'archive/2026-01-09-thing/learnings/one.yaml': 'learning',
    'archive/2026-01-09-thing/prd.json': 'the plan that ran',
    'archive/2026-01-09-thing/progress.txt': 'progress',
    'archive/2026-01-09-thing/prompt.md': 'prompt',
    'archive/2026-01-09-thing/report.md': 'report',
    'archive/2026-01-09-thing/specs/a.md': 'spec',
    'archive/2026-01-09-thing/state.md': 'state',
    'archive/2026-01-09-thing/status.json': 'status',
    'logs/2026-01-09-thing/iteration-001.log': 'log',
    'logs/2026-01-09-thing/last-prd.json': 'the plan that ran',
    'thing/prd.json': 'the new plan',
    'thing/prompt.md': 'prompt',
    'thing/specs/a.md': 'spec',
  })
})

test('R-CMD-3 killed at any point and run again the next day, the last run is in one archive, whole', () => {
  const undisturbed = featureAfterRun()
  archiveLastRun(undisturbed, today, lastPlan)
  const expected = filesIn(undisturbed.root)
  for (let count = 0; ; count++) {
    const project = featureAfterRun()
    const call = `archiveLastRun(${JSON.stringify(project)}, '${today}', ${JSON.stringify(lastPlan)})`
    const isKilled = diesAt(count, call)
    // The next run knows by the log of events whether there is a last run.
    const isLeft = existsSync(join(project.dir, 'events.jsonl'))
    if (isLeft) archiveLastRun(project, tomorrow, lastPlan)
    const found = Object.entries(filesIn(project.root)).filter(([name]) => !/\.tmp-/.test(name))
    // Killed before it had chosen a name, the name is that of the next day.
    assert.deepEqual(Object.fromEntries(found.map(([name, text]) => [name.replace('01-10', '01-09'), text])), expected)
    if (!isKilled) break
  }
})

test('a finished archive is not written to again, even if its mark was left behind by a kill', () => {
  const project = featureAfterRun()
  const first = archiveLastRun(project, today, lastPlan)
  const before = filesIn(first)
  writeFileSync(join(project.dir, '.archive.tmp-name'), '2026-01-09-thing')
  writeFileSync(join(project.dir, 'events.jsonl'), 'later events')
  const second = archiveLastRun(project, today, lastPlan)
  assert.deepEqual([second, filesIn(first)], [`${first}-2`, before])
})

test('what a run made anew between a kill and the next archive is kept beside the old', () => {
  const project = featureAfterRun()
  mkdirSync(join(project.root, '.ralph/archive/2026-01-09-thing'), { recursive: true })
  writeFileSync(join(project.root, '.ralph/archive/2026-01-09-thing/progress.txt'), 'older')
  writeFileSync(join(project.dir, '.archive.tmp-name'), '2026-01-09-thing')
  const files = filesIn(archiveLastRun(project, tomorrow, lastPlan))
  assert.deepEqual([files['progress.txt'], files['progress.txt-2']], ['older', 'progress'])
})

function inGit(project: Project): (...args: string[]) => string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: project.root, env, encoding: 'utf8' }).trimEnd()
  writeFileSync(
    join(project.root, '.ralph/.gitignore'),
    '*/events.jsonl\n*/status.json\n*/state.md\n*/inbox/\n*/logs/\n/logs/\narchive/*/events.jsonl\narchive/*/status.json\n*.tmp-*\n',
  )
  git('init', '-q', '-b', 'main')
  git('config', 'user.name', 'someone')
  git('config', 'user.email', 'someone@example.org')
  git('add', '-A')
  git('commit', '-q', '-m', 'start')
  return git
}

test('R-CMD-3 a feature whose archive was cut short by a kill at any point is archived, committed, and its logs beside', async () => {
  for (let count = 0; ; count++) {
    const project = featureAfterRun()
    const git = inGit(project)
    const isKilled = diesAt(count, `archiveFeature(${JSON.stringify(project)}, '${today}', false)`)
    if (existsSync(project.dir)) archiveFeature(project, today, false) // the run ends again, and archives again
    const expected = ['2026-01-09-thing']
    if (count % 2 === 1) git('add', '-A', '.ralph') // killed between git's two steps
    assert.deepEqual(await finishArchives(project.root, env, true), [
      'Ralph was killed before it could commit .ralph/archive/2026-01-09-thing. It is committed now.',
    ])
    assert.deepEqual(
      [git('status', '--porcelain'), git('log', '-1', '--format=%s')],
      ['', 'chore(ralph): archive 2026-01-09-thing'],
    )
    assert.deepEqual(
      [readdirSync(join(project.root, '.ralph/archive')), readdirSync(join(project.root, '.ralph/logs'))],
      [expected, expected],
    )
    const left = Object.keys(filesIn(join(project.root, '.ralph/archive')))
    assert.deepEqual(
      left.filter((name) => name.includes('logs/') || name.endsWith('.archive.tmp-name')),
      [],
    )
    assert.deepEqual(await finishArchives(project.root, env, true), [])
    if (!isKilled) break
  }
})

test('an archive that git does not commit is said with its reason', async () => {
  const project = featureAfterRun()
  inGit(project)
  archiveFeature(project, today, false)
  const lock = join(project.root, '.git/index.lock')
  writeFileSync(lock, '')
  assert.deepEqual(await finishArchives(project.root, env, true), [
    `git did not commit .ralph/archive/2026-01-09-thing: ${lock} exists: another git process is running here, or one was killed. If no git is running, remove it.`,
  ])
})

test('logs that were asked to go along stay inside, and nothing is committed where that is off', async () => {
  const project = featureAfterRun()
  const git = inGit(project)
  const archived = archiveFeature(project, today, true)
  assert.deepEqual(await finishArchives(project.root, env, false), [])
  assert.equal(existsSync(join(archived, 'logs/iteration-001.log')), true)
  assert.notEqual(git('status', '--porcelain'), '')
})
