/** A dirty tree in every state that git knows, and agents that do everything to it: it is in no commit, and as it was. */
import assert from 'node:assert/strict'
import { chmodSync, lstatSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs'
import { test } from 'node:test'
import { eventsOf } from './support/loop.ts'
import { untilFile } from './support/processes.ts'
import { type ProjectSketch, quickProjectFor, type Steps, type TestProject } from './support/project.ts'

const tracked = Object.fromEntries(
  ['staged', 'partly', 'unstaged', 'deleted', 'removed', 'renamed', 'mode', 'link', 'untracked-since'].map((name) => [
    `${name}.txt`,
    `${name}, as committed\nsecond line\n`,
  ]),
)

/** One file in each state. */
function makeDirty(made: TestProject): void {
  made.write('staged.txt', 'staged by the user\n')
  made.git('add', 'staged.txt')
  made.write('partly.txt', 'partly, staged by the user\nsecond line\n')
  made.git('add', 'partly.txt')
  made.write('partly.txt', 'partly, staged by the user\nsecond line, not staged\n')
  made.write('unstaged.txt', 'unstaged by the user\r\n')
  made.git('rm', '-q', 'removed.txt')
  made.git('mv', 'renamed.txt', 'its new name.txt')
  made.git('rm', '-q', '--cached', 'untracked-since.txt')
  made.write('untracked-since.txt', 'edited by the user since\n')
  made.write('intended.txt', 'to be added by the user\n')
  made.git('add', '-N', 'intended.txt')
  made.write('folder/untracked.txt', 'untracked, by the user\n')
  made.write('key.pem', 'a key of the user\n')
  chmodSync(made.path('key.pem'), 0o600)
  chmodSync(made.path('mode.txt'), 0o755)
  made.git('rm', '-q', '-f', '--cached', 'link.txt')
  symlinkSync('nowhere', made.path('own-link'))
  spawnRemove(made, 'deleted.txt')
}

const spawnRemove = (made: TestProject, name: string): void => {
  made.git('-c', `alias.x=!rm ${name}`, 'x')
}

/** Everything that the user can see: bytes, modes, links, and the index. */
function picture(made: TestProject): unknown {
  const names = [...Object.keys(tracked), 'its new name.txt', 'intended.txt', 'folder/untracked.txt', 'key.pem', 'own-link']
  const onDisk = names.map((name) => {
    const stat = lstatSync(made.path(name), { throwIfNoEntry: false })
    if (stat === undefined) return [name, 'gone']
    const text = stat.isSymbolicLink() ? `-> ${readlinkSync(made.path(name))}` : readFileSync(made.path(name), 'utf8')
    return [name, stat.isSymbolicLink() ? '' : (stat.mode & 0o777).toString(8), text]
  })
  return {
    onDisk,
    status: made.git('status', '--porcelain=v1', '--untracked-files=all', '--', ':!.ralph'),
    staged: made.git('diff', '--cached', '--', ':!.ralph'),
  }
}

/** What the user had in no commit, and is in one that a branch has. */
function usersInCommits(made: TestProject): string[] {
  const hashes = [
    'staged.txt',
    'partly.txt',
    'unstaged.txt',
    'untracked-since.txt',
    'intended.txt',
    'folder/untracked.txt',
    'key.pem',
  ]
  const ids = new Map(hashes.map((name) => [made.git('hash-object', name), name]))
  ids.set(made.git('rev-parse', ':partly.txt'), 'partly.txt, as staged')
  const objects = new Set(
    made
      .git('rev-list', '--objects', '--branches')
      .split('\n')
      .map((line) => line.split(' ')[0]),
  )
  return [...ids].filter(([id]) => objects.has(id)).map(([, name]) => name)
}

const acts: Record<string, string> = {
  'add and commit all': 'git add -A && git commit -qm all',
  'commit -a': 'git commit -qam all',
  'stage all': 'git add -A',
  'unstage all': 'git reset -q',
  'checkout .': 'git checkout -q .',
  'reset --hard': 'git reset -q --hard',
  stash: 'git stash -q --include-untracked',
  'stash and pop': 'git stash -q --include-untracked && git stash pop -q',
  'clean -fdx': 'git clean -qfdx -e .ralph',
  rm: 'rm -f *.txt key.pem own-link; rm -r folder',
  mv: 'mkdir sub && mv key.pem folder sub/ && git add -A && git commit -qm moved',
  'mv, uncommitted': 'mkdir sub; mv folder/untracked.txt sub/moved.txt',
  amend: 'git add -A && git commit -q --amend --no-edit',
  rebase: 'git add -A && git commit -qm all && git rebase -q --force-rebase HEAD~2',
  squash: 'git add -A && git reset -q --soft HEAD~1 && git commit -qm squashed',
  chmod: 'chmod 644 mode.txt key.pem',
  branch: 'git switch -qc other && git add -A && git commit -qm all',
  'commit and remove': 'git add -A && git commit -qm all && git rm -qr --cached folder && git commit -qm removed',
}

const doneWith = (text: string): Steps => [
  { write: { path: '$RALPH_STORY.txt', text } },
  { run: 'git add $RALPH_STORY.txt && git commit -qm "feat: $RALPH_STORY" -- $RALPH_STORY.txt' },
  { flip: '$RALPH_STORY' },
]

/** Each story's agent first notes how it finds the tree. */
const notes: Steps = [
  {
    run: 'mkdir -p ../seen && { git status --porcelain -uall -- ":!.ralph"; git diff --cached -- ":!.ralph"; git diff -- ":!.ralph"; cat intended.txt folder/untracked.txt key.pem; stat -c %a key.pem mode.txt; } > ../seen/$RALPH_STORY 2>&1',
  },
]

const sketch = (more: ProjectSketch = {}): ProjectSketch => ({ files: tracked, ...more })

test('whatever agents do to a dirty tree, no commit has it, and the next agent finds it as it was', async (t) => {
  const names = Object.keys(acts)
  const made = quickProjectFor(
    t,
    sketch({
      stories: names.map((_, at) => ({ id: `S-${at}` })),
      script: {
        stories: Object.fromEntries(names.map((name, at) => [`S-${at}`, [[...notes, { run: acts[name] }, ...doneWith(name)]]])),
      },
    }),
  )
  makeDirty(made)
  const before = picture(made)
  const { code, out } = await made.run('run', '--no-archive')
  assert.equal(code, 0, out)
  const first = readFileSync(made.path('../seen/S-0'), 'utf8')
  const others = names.map((_, at) => [
    at === 0 ? 'the start' : names[at - 1],
    readFileSync(made.path(`../seen/S-${at}`), 'utf8'),
  ])
  assert.deepEqual(
    others,
    others.map(([name]) => [name, first]),
  )
  assert.deepEqual(picture(made), before)
  assert.deepEqual(usersInCommits(made), [])
})

test('after a story that fails and is moved to its branch, and after a kill, it is the same', async (t) => {
  const takes = 'git add -A && git commit -qm all && git commit -q --amend -m again --allow-empty'
  const waits: Steps = [{ run: 'test -e ../up || { touch ../up; while :; do sleep 0.02; done; }' }]
  const made = quickProjectFor(
    t,
    sketch({
      stories: [{ id: 'S-1' }, { id: 'S-2' }],
      script: {
        stories: { 'S-1': [[{ run: takes }, ...doneWith('bad')]], 'S-2': [[{ run: takes }, ...waits, ...doneWith('good')]] },
      },
      config: { gates: { tests: '! grep -q bad S-1.txt' }, defaults: { max_attempts: 1 } },
    }),
  )
  makeDirty(made)
  const before = picture(made)
  const run = made.start('run', '--no-archive')
  await untilFile(made, '../up')
  run.child.kill('SIGKILL')
  await run.ended
  assert.notDeepEqual(usersInCommits(made), [])
  const { code, out } = await made.run('run', '--no-archive')
  assert.equal(code, 1, out)
  assert.equal(eventsOf(made, 'story.put-aside').length, 1)
  assert.deepEqual([made.passing(), picture(made)], [['S-2'], before])
  assert.deepEqual(usersInCommits(made), [])
})

test('a story that needs a change of the user’s file is a question, with the change as a patch; once the user has committed, it passes', async (t) => {
  const made = quickProjectFor(t, {
    files: { 'a.txt': 'old\n' },
    script: { otherwise: [{ append: { path: 'a.txt', text: 'story\n' } }, { commit: 'feat: a' }, { flip: 'S-1' }] },
    config: { gates: { tests: 'grep -q story a.txt' } },
  })
  made.write('a.txt', 'mine\n')
  const asked = await made.run('run', '--no-archive')
  assert.equal(asked.code, 3, asked.out)
  assert.deepEqual([made.read('a.txt'), made.git('status', '--porcelain').trim()], ['mine\n', 'M a.txt'])
  assert.match(asked.out, /The agent changed a\.txt, which has your uncommitted changes\./)
  assert.match(made.read('.ralph/thing/logs/your-files-001.patch'), /^\+story$/m)
  made.git('commit', '-qam', 'mine')
  assert.equal((await made.run('answer', 'yes')).code, 0)
  const { code, out } = await made.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.equal(made.read('a.txt'), 'mine\nstory\n')
})

test('after the archive, summary and reports name the patch among the logs beside the archive, where it is then', async (t) => {
  const made = quickProjectFor(t, {
    files: { 'a.txt': 'old\n' },
    script: { otherwise: [{ append: { path: 'a.txt', text: 'story\n' } }, ...doneWith('one')] },
  })
  made.write('a.txt', 'mine\n')
  const { code, out, err } = await made.run('run')
  assert.equal(code, 0, out + err)
  const [name = ''] = readdirSync(made.path('.ralph/archive'))
  const patch = `.ralph/logs/${name}/your-files-001.patch`
  assert.match(made.read(patch), /^\+story$/m)
  const report = await made.run('report')
  for (const text of [out.slice(out.indexOf('Ralph Loop Summary')), report.out, made.read(`.ralph/archive/${name}/report.md`)]) {
    assert.ok(text.includes(`The agent's version is in ${patch}`), text)
    assert.ok(!text.includes('.ralph/thing/logs/'), text)
  }
})

test('--dirty chooses: refuse with the list, leave and name them off limits, or include them in a commit of their own', async (t) => {
  const made = quickProjectFor(t, {
    files: { 'a.txt': 'old\n' },
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: {
      stories: {
        'S-1': [[{ expect: { prompt: 'Off limits: .*: a\\.txt, new\\.txt\\.' } }, ...doneWith('one')]],
        'S-2': [doneWith('two')],
      },
    },
  })
  made.write('a.txt', 'mine\n')
  made.write('new.txt', 'mine\n')
  const refused = await made.run('run', '--dirty', 'refuse')
  assert.equal(refused.code, 65)
  assert.match(refused.err, /2 uncommitted files, and git\.dirty is refuse:\n {2}a\.txt\n {2}new\.txt\n/)
  assert.equal(made.has('.ralph/thing/events.jsonl'), false)
  const left = await made.run('run', '--no-archive', '--story', 'S-1')
  assert.equal(left.code, 0, left.out)
  assert.match(left.out, /2 uncommitted files: a\.txt, new\.txt\. They stay yours, and out of every commit\./)
  assert.equal(made.git('status', '--porcelain'), ' M a.txt\n?? new.txt')
  const included = await made.run('run', '--no-archive', '--dirty', 'include')
  assert.equal(included.code, 0, included.out)
  assert.equal(made.git('log', '-1', '--format=%s', '--', 'a.txt', 'new.txt'), 'wip: uncommitted files at the start of the run')
  assert.equal(made.git('status', '--porcelain'), '')
})
