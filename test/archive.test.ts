/** The archive: what a finished feature leaves behind, where it goes, and that nothing of it is lost. */

import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { finishes } from './support/loop.ts'
import { untilEvent } from './support/processes.ts'
import { type ProjectSketch, projectFor, type TestProject } from './support/project.ts'

const projectWith = (t: TestContext, sketch: ProjectSketch = {}): TestProject =>
  projectFor(t, { script: { otherwise: finishes }, ...sketch })

/** Names under a folder of .ralph, with today's date taken out of them. */
const names = (project: TestProject, folder: string): string[] =>
  existsSync(project.path(folder))
    ? readdirSync(project.path(folder))
        .sort()
        .map((name) => name.replace(/^\d{4}-\d\d-\d\d/, '<date>'))
    : []
const archived = (project: TestProject, name: string): string =>
  `.ralph/archive/${readdirSync(project.path('.ralph/archive')).find((found) => found.replace(/^\d{4}-\d\d-\d\d-/, '') === name)}`

async function assertExit(exit: number, project: TestProject, ...args: string[]): Promise<string> {
  const { code, out, err } = await project.run(...args)
  assert.equal(code, exit, `ralph ${args.join(' ')}: ${out}${err}`)
  return out
}

test('a complete run is archived, its logs beside the archive, and the tree ends clean [R-CMD-3]', async (t) => {
  const project = projectWith(t)
  const out = await assertExit(0, project, 'run')
  assert.match(out, /Log: +\.ralph\/logs\/\d{4}-\d\d-\d\d-thing\/summary\.csv/)
  assert.equal(project.has('.ralph/thing'), false)
  assert.deepEqual(names(project, '.ralph/archive'), ['<date>-thing'])
  assert.deepEqual(names(project, '.ralph/logs'), ['<date>-thing'])
  const folder = archived(project, 'thing')
  assert.deepEqual(
    readdirSync(project.path(folder))
      .filter((name) => name !== 'inbox')
      .sort(),
    ['events.jsonl', 'prd.json', 'progress.txt', 'report.json', 'report.md', 'status.json'],
  )
  assert.ok(readdirSync(project.path(folder.replace('archive', 'logs'))).includes('iteration-001.log'))
  assert.equal(project.git('status', '--porcelain'), '')
  assert.deepEqual(
    project
      .git('ls-files', '.ralph/archive')
      .split('\n')
      .map((file) => file.split('/').at(-1)),
    ['prd.json', 'progress.txt', 'report.json', 'report.md'],
  )
})

test('specs move to the archive with their feature: they are not missed in the old place and restored there as a feature that has never run', async (t) => {
  const project = projectWith(t, { files: { '.ralph/thing/specs/.gitkeep': '', '.ralph/thing/specs/api.md': 'GET /\n' } })
  const out = await assertExit(0, project, 'run')
  assert.doesNotMatch(out, /restored/)
  assert.equal(project.has('.ralph/thing'), false)
  assert.equal(project.read(`${archived(project, 'thing')}/specs/api.md`), 'GET /\n')
  assert.match(await assertExit(0, project, 'why'), /ended COMPLETE \(exit 0\)/)
  assert.equal(project.git('status', '--porcelain'), '')
})

test('status and why read the archive when the feature is gone [R-CMD-3, R-TEL-3]', async (t) => {
  const project = projectWith(t)
  await assertExit(0, project, 'run')
  assert.match(await assertExit(0, project, 'status'), /Feature: +thing\nState: +ended: complete/)
  assert.equal(JSON.parse(await assertExit(0, project, 'status', '-f', 'thing', '--json')).outcome, 'complete')
  assert.match(await assertExit(0, project, 'why'), /ended COMPLETE \(exit 0\)[\s\S]*\.ralph\/logs\/.*-thing\/iteration-001\.log/)
  assert.match(await assertExit(0, project, 'breaker'), /Circuit breaker: CLOSED/)
  await assertExit(64, project, 'run')
})

test('--no-archive leaves the feature where it is, and so does an end that is not complete [R-CMD-3]', async (t) => {
  const project = projectWith(t, { stories: [{ id: 'S-1' }, { id: 'S-2' }] })
  await assertExit(1, project, 'run', '-n', '1')
  await assertExit(0, project, 'run', '--story', 'S-1')
  await assertExit(0, project, 'run', '--no-archive')
  assert.deepEqual(names(project, '.ralph/archive'), [])
  assert.ok(project.has('.ralph/thing/events.jsonl'))
  assert.equal(project.git('status', '--porcelain'), '')
})

test('by command: logs beside or, with --include-logs, inside; a name that is taken gets -2 [R-CMD-3]', async (t) => {
  const project = projectWith(t, { stories: [{ id: 'S-1' }, { id: 'S-2' }] })
  const plan = project.read('.ralph/thing/prd.json')
  await assertExit(1, project, 'run', '-n', '1')
  // Rules of a version that knew no logs in the archive.
  const older = project.read('.ralph/.gitignore').replace(/^archive\/.*\n/gm, '')
  project.write('.ralph/.gitignore', older)
  assert.match(await assertExit(0, project, 'archive'), /Archived thing to \.ralph\/archive\/\d{4}-\d\d-\d\d-thing\n/)
  assert.equal(project.git('status', '--porcelain'), '')

  project.write('.ralph/thing/prd.json', plan)
  await assertExit(1, project, 'run', '-n', '1')
  project.write('.ralph/.gitignore', older)
  assert.match(await assertExit(0, project, 'archive', '--include-logs'), /-thing-2\n/)
  assert.deepEqual(names(project, '.ralph/archive'), ['<date>-thing', '<date>-thing-2'])
  assert.deepEqual(names(project, '.ralph/logs'), ['<date>-thing'])
  assert.ok(project.has(`${archived(project, 'thing-2')}/logs/iteration-001.log`))
  assert.equal(project.git('status', '--porcelain'), '')
  assert.equal(project.git('log', '--all', '--format=', '--name-only', '--', '*/logs/*', '*/events.jsonl'), '')
})

test('a live run cannot be archived under its feet: 75 [R-LOCK-1, R-CMD-3]', async (t) => {
  const project = projectWith(t, { script: { otherwise: [{ hang: true }] }, config: { process: { grace_seconds: 0.1 } } })
  const run = project.start('run')
  await untilEvent(project, 'iteration.started')
  await assertExit(75, project, 'archive')
  run.child.kill('SIGTERM')
  assert.equal((await run.ended).code, 143)
  assert.ok(project.has('.ralph/thing/prd.json'))
})

test('a plan made over for another branch: the last run is archived with its own plan, the new one runs [R-CMD-3, Z01]', async (t) => {
  const project = projectWith(t, { branch: 'feature/old', stories: [{ id: 'S-1' }, { id: 'S-2' }] })
  await assertExit(1, project, 'run', '-n', '1')
  const progress = project.read('.ralph/thing/progress.txt')
  project.write(
    '.ralph/thing/prd.json',
    project
      .read('.ralph/thing/prd.json')
      .replaceAll('S-', 'N-')
      .replace('feature/old', 'feature/new')
      .replaceAll('true', 'false'),
  )
  const out = await assertExit(0, project, 'run', '--no-archive')
  assert.match(out, /The plan's branch changed: the last run is in \.ralph\/archive\/.*-thing/)
  const folder = archived(project, 'thing')
  const old = JSON.parse(project.read(`${folder}/prd.json`))
  assert.deepEqual(
    [old.branchName, old.userStories.map(({ id, passes }: { id: string; passes: boolean }) => `${id} ${passes}`)],
    ['feature/old', ['S-1 true', 'S-2 false']],
  )
  assert.equal(project.read(`${folder}/progress.txt`), progress)
  assert.deepEqual(project.passing(), ['N-1', 'N-2'])
  assert.deepEqual(
    [
      project.kinds().slice(0, 2),
      project
        .events()
        .filter((event) => event.kind === 'iteration.started')
        .map((event) => event.iteration),
    ],
    [
      ['branch.created', 'run.started'],
      [1, 2],
    ],
  )
  assert.equal(project.git('branch', '--show-current'), 'feature/new')
  assert.equal(project.git('status', '--porcelain'), '')
})
