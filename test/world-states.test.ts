/** States of the world that nobody wishes for: each has one behaviour, which docs/when-things-go-wrong.md tells. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { under } from './faults/scene.ts'
import { failingSketch, failureBranches } from './support/failing.ts'
import { isLong } from './support/long.ts'
import { endOf, eventsOf, leaves } from './support/loop.ts'
import { inMemory, madeIn } from './support/memory.ts'
import { makeProject, type ProjectSketch, projectFor, type Steps, type TestProject } from './support/project.ts'

const projectWith = (t: TestContext, sketch: ProjectSketch = {}): TestProject =>
  projectFor(t, { script: { otherwise: leaves }, ...sketch })

const callsOf = (project: TestProject): number =>
  project.has('.ralph/thing/events.jsonl') ? eventsOf(project, 'iteration.started').length : 0

async function assertRun(project: TestProject, code: number, words?: RegExp): Promise<void> {
  const ended = await project.run('run', '--no-archive')
  assert.equal(ended.code, code, ended.out + ended.err)
  if (words !== undefined) assert.match(ended.out + ended.err, words)
}

/** Two branches that disagree about one file, on the second of them. */
function quarrel(project: TestProject): void {
  project.git('checkout', '-q', '-b', 'other')
  for (const [branch, text] of [
    ['main', 'one\n'],
    ['other', 'two\n'],
  ] as const) {
    project.git('checkout', '-q', branch)
    project.write('quarrel.txt', text)
    project.git('add', 'quarrel.txt')
    project.git('commit', '-q', '-m', text.trim())
  }
}

const conflicts = (project: TestProject, ...args: string[]): void => assert.throws(() => project.git(...args))

for (const [what, open, close] of [
  ['rebase', (project: TestProject) => conflicts(project, 'rebase', 'main'), ['rebase', '--abort']],
  ['merge', (project: TestProject) => conflicts(project, 'merge', 'main'), ['merge', '--abort']],
  ['cherry-pick', (project: TestProject) => conflicts(project, 'cherry-pick', 'main'), ['cherry-pick', '--abort']],
  ['revert', (project: TestProject) => conflicts(project, 'revert', '--no-edit', 'HEAD~1'), ['revert', '--abort']],
  ['bisect', (project: TestProject) => void project.git('bisect', 'start'), ['bisect', 'reset']],
] as const) {
  test(`while a ${what} is open no run begins: 65 with the way out, no call, and nothing is touched [R-ESC-2]`, async (t) => {
    const project = projectWith(t)
    quarrel(project)
    if (what === 'revert') {
      project.write('quarrel.txt', 'three\n')
      project.git('commit', '-qam', 'three')
    }
    open(project)
    const before = [project.git('status', '--porcelain'), project.git('rev-parse', 'HEAD')]
    await assertRun(project, 65, new RegExp(`A ${what} is open in .*git ${what} (--abort|reset).*then run again`))
    assert.deepEqual([project.git('status', '--porcelain'), project.git('rev-parse', 'HEAD')], before)
    assert.equal(callsOf(project), 0)
    project.git(...close)
    await assertRun(project, 0)
  })
}

test('a lock of the index that a killed git left stops a run before its first call: 65, and named', async (t) => {
  const project = projectWith(t)
  project.write('.git/index.lock', '')
  await assertRun(
    project,
    65,
    /\.git\/index\.lock exists: another git process is running here, or one was killed\. If no git is running, remove it/,
  )
  assert.equal(callsOf(project), 0)
  rmSync(project.path('.git/index.lock'))
  await assertRun(project, 0)
  assert.equal(callsOf(project), 1)
})

for (const [what, script, stories, code] of [
  ['passes', { otherwise: [...leaves.slice(0, 1), { run: ': > .git/index.lock' }, ...leaves.slice(1)] }, ['S-1'], 0],
  ['fails', { stories: { 'S-1': [[...spoiled(), { run: ': > .git/index.lock' }]] }, otherwise: leaves }, ['S-1', 'S-2'], 1],
] as const) {
  test(`a lock of the index left in the middle of a story that ${what} stops the run with 65; without it the next goes on, and nothing is done twice`, async (t) => {
    const project = projectWith(t, {
      ...failingSketch,
      config: { ...failingSketch.config, defaults: { max_attempts: 1 } },
      stories: stories.map((id) => ({ id })),
      script: script as ProjectSketch['script'] & object,
    })
    await assertRun(project, 65, /index\.lock exists.*remove it\..* Fix that, then run again to continue/)
    assert.equal(callsOf(project), 1)
    rmSync(project.path('.git/index.lock'))
    await assertRun(project, code)
    assert.equal(callsOf(project), stories.length)
    assert.equal(failureBranches(project).length, code)
    assert.deepEqual(project.passing(), [stories.at(-1)])
    assert.equal(project.git('status', '--porcelain'), '')
  })
}

function spoiled(): Steps {
  return [{ write: { path: 'S-1.bad', text: 'x\n' } }, { flip: 'S-1' }, { say: 'Done.' }]
}

test('on a detached HEAD stories pass and are committed there; one that fails stays where it is, and the run ends with 1', async (t) => {
  const project = projectWith(t, { stories: [{ id: 'S-1' }] })
  project.git('checkout', '-q', '--detach')
  await assertRun(project, 0)
  assert.equal(project.git('log', '-1', '--format=%s', '--grep=^feat'), 'feat: S-1 - Story S-1')
  assert.equal(project.git('log', '--format=%s', 'main'), 'start')

  const failing = projectWith(t, failingSketch)
  failing.git('checkout', '-q', '--detach')
  await assertRun(failing, 1, /the work of S-1 could not be moved to a branch: HEAD of .* is not on a branch/)
  assert.ok(failing.has('S-1.bad'))
})

test('in a linked worktree a run keeps to it: its own lock, branch and failed story; the main one is not touched', async (t) => {
  const project = projectWith(t, { ...failingSketch, stories: [{ id: 'S-1' }, { id: 'S-2' }] })
  const linked = join(project.root, '..', 'linked')
  project.git('worktree', 'add', '-q', '-b', 'side', linked)
  project.write('.git/index.lock', '') // what holds in the main one is no matter here
  const head = project.git('rev-parse', 'main')
  const run = spawnSync(process.execPath, [join(import.meta.dirname, '..', 'bin', 'ralph.js'), 'run'], {
    cwd: linked,
    env: project.env,
    encoding: 'utf8',
  })
  assert.equal(run.status, 1, run.stdout + run.stderr)
  assert.equal(project.git('rev-parse', 'main'), head)
  assert.deepEqual(project.git('-C', linked, 'log', '--format=%s', '--grep=^feat', 'side').split('\n'), ['feat: S-2 - Story S-2'])
  assert.equal(failureBranches(project).length, 1)
  assert.equal(project.git('-C', linked, 'status', '--porcelain'), '')
  assert.equal(project.has('.ralph/thing/events.jsonl'), false)
})

test('a submodule is a commit to Ralph: an agent that moves it has changed something, and it is committed with the story', async (t) => {
  const project = projectWith(t, {
    script: {
      otherwise: [
        { run: 'cd lib && echo new > l.txt && git add -A && git -c user.name=x -c user.email=x@localhost commit -qm new' },
        { flip: '$RALPH_STORY' },
        { say: 'There.' },
      ],
    },
  })
  const lib = join(project.root, '..', 'lib')
  for (const args of [
    ['init', '-q', lib],
    ['-C', lib, 'commit', '-q', '--allow-empty', '-m', 'lib'],
  ])
    project.git('-c', 'user.name=x', '-c', 'user.email=x@localhost', ...args)
  project.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', lib, 'lib')
  project.git('commit', '-q', '-m', 'lib')
  await assertRun(project, 0)
  assert.equal(project.git('rev-parse', 'HEAD:lib'), project.git('-C', 'lib', 'rev-parse', 'HEAD'))
  assert.equal(project.git('status', '--porcelain'), '')
})

const fileCount = isLong ? 100_000 : 10_000

test(`in a repository with ${fileCount.toLocaleString('en')} files a story fails onto its branch, another passes, and the tree is clean`, async (t) => {
  const project = madeIn(inMemory(), () =>
    projectWith(t, {
      ...failingSketch,
      stories: [{ id: 'S-1' }, { id: 'S-2' }],
      config: { ...failingSketch.config, defaults: { max_attempts: 1 } },
    }),
  )
  const blob = project.git('hash-object', '-w', 'README.md')
  const lines = Array.from({ length: fileCount }, (_, n) => `100644 ${blob}\tmany/${n % 100}/${n}.txt\n`)
  spawnSync('git', ['update-index', '--add', '--index-info'], { cwd: project.root, env: project.env, input: lines.join('') })
  project.git('checkout-index', '-a', '-f')
  project.git('commit', '-q', '-m', 'many')
  await assertRun(project, 1)
  assert.deepEqual(project.passing(), ['S-2'])
  assert.equal(failureBranches(project).length, 1)
  assert.equal(project.git('status', '--porcelain'), '')
})

test('a clock that goes back by two hours, or forward, changes no end and no count, and nothing takes less than no time', async (t) => {
  for (const ms of [-7_200_000, 7_200_000]) {
    const project = projectWith(t, { ...failingSketch, stories: [{ id: 'S-1' }, { id: 'S-2' }] })
    const { code, out, err } = await under(project, { clock: [{ after: 40, ms }] }, 'run', '--no-archive')
    assert.equal(code, 1, out + err)
    assert.equal(endOf(project).because, 'failed: S-1')
    assert.deepEqual(project.passing(), ['S-2'])
    const times = project.events().map((event) => Date.parse(event.at))
    assert.ok(
      times.some((at, n) => Math.abs(at - (times[n - 1] ?? at)) > 3_600_000),
      'the clock never jumped',
    )
    assert.deepEqual(
      eventsOf(project, 'iteration.started').map(({ iteration }) => iteration),
      [1, 2, 3],
    )
    assert.ok(!/-\d+(\.\d+)?s\b/.test(out), out)
    assert.deepEqual(
      eventsOf(project, 'iteration.ended').filter(({ durationMs }) => durationMs < 0),
      [],
    )
    await assertRun(project, 1)
  }
})

test('a full disk stops the run with 65 and says where; with room again it goes on, and nothing is lost', async (t) => {
  const filled = [...leaves.slice(0, 1), { run: 'test -f ../freed || cat /dev/zero > zeros 2> /dev/null' }, ...leaves.slice(1)]
  const { project, isReal } = onSmallDisk(t, { script: { otherwise: filled }, files: { '.gitignore': 'zeros\n' } })
  const { code, out, err } = isReal
    ? await project.run('run', '--no-archive')
    : await under(project, { room: 3000 }, 'run', '--no-archive')
  assert.equal(code, 65, out + err)
  assert.match(err, /no space left|out of diskspace/i)
  assert.doesNotMatch(out + err, /bug in Ralph|\n\s+at /)
  const before = project.read('.ralph/thing/events.jsonl').split('\n').slice(0, -1)
  rmSync(project.path('zeros'), { force: true })
  project.write('../freed', '')
  await assertRun(project, 0)
  assert.deepEqual(project.read('.ralph/thing/events.jsonl').split('\n').slice(0, before.length), before)
  assert.equal(project.git('status', '--porcelain'), '')
})

/** On a file system of its own with 4 MiB, where this user may make one; else the layer counts the bytes. */
function onSmallDisk(t: { after(done: () => void): void }, sketch: ProjectSketch): { project: TestProject; isReal: boolean } {
  const disk = mkdtempSync(join(tmpdir(), 'ralph-disk-'))
  const isReal = process.platform === 'linux' && spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]).status === 0
  const project = madeIn(disk, () => makeProject(sketch))
  t.after(() => {
    project.remove()
    if (isReal) spawnSync('umount', [disk])
    rmSync(disk, { recursive: true, force: true })
  })
  return { project, isReal }
}

test('.ralph deleted while a gate runs comes back with its log and plan, and the run ends right [R-FILE-2]', async (t) => {
  const project = projectWith(t, {
    config: {
      agent: { name: 'scripted', script: 'agent.json' },
      gates: { tests: 'test -f once || { : > once; rm -rf .ralph; }' },
    },
    files: { 'agent.json': JSON.stringify({ otherwise: leaves }), '.gitignore': 'once\n' },
  })
  await assertRun(project, 0)
  assert.deepEqual(project.passing(), ['S-1'])
  assert.deepEqual([project.kinds()[0], project.kinds().at(-1)], ['run.started', 'run.ended'])
})

test('.ralph deleted between two runs is a project without a feature: 64 with what to do, and nothing is made up', async (t) => {
  const project = projectWith(t)
  await assertRun(project, 0)
  rmSync(project.path('.ralph'), { recursive: true })
  const { code, err } = await project.run('run')
  assert.equal(code, 64, err)
  assert.match(err, /ralph init/)
  assert.equal(project.has('.ralph'), false)
})
