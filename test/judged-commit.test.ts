/** A story passes only when the content that is on the branch was seen green: hooks, hidden files and the user's own changes do not count. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { eventsOf } from './support/loop.ts'
import { untilFile } from './support/processes.ts'
import { type ProjectSketch, projectFor, type Steps, type TestProject } from './support/project.ts'

/** Green before the work and after it; red where the work is half done. */
const gate = 'test "$(cat app.txt)" = "$(cat wanted.txt)" && echo ran >> "$HOME/gates"'
const wants: Steps = [{ write: { path: 'wanted.txt', text: 'new\n' } }]
const ends: Steps = [{ flip: '$RALPH_STORY' }, { say: 'Done.' }]
const works: Steps = [...wants, { write: { path: 'app.txt', text: 'new\n' } }]

const projectOf = (t: TestContext, otherwise: Steps, sketch: ProjectSketch = {}): TestProject =>
  projectFor(t, {
    script: { otherwise },
    ...sketch,
    files: { 'app.txt': 'old\n', 'wanted.txt': 'old\n', ...sketch.files },
    config: { gates: { tests: gate }, defaults: { max_attempts: 1 }, ...sketch.config },
  })

/** Whether the gate is green on what the branch has, and nothing else. */
function isGreenOnBranch(project: TestProject): boolean {
  const clone = join(project.home, 'clone')
  project.git('-c', 'core.hooksPath=/dev/null', 'clone', '-q', '--no-local', project.root, clone)
  return spawnSync('sh', ['-c', 'test "$(cat app.txt)" = "$(cat wanted.txt)"'], { cwd: clone }).status === 0
}

/** [exit code, whether the story passes, whether the branch is green] */
async function outcome(project: TestProject, ...args: string[]): Promise<[number | null, boolean, boolean]> {
  const { code } = await project.run('run', '--no-archive', '-n', '1', ...args)
  return [code, project.passing().length > 0, isGreenOnBranch(project)]
}

const passed = [0, true, true]
/** Its work is on the branch, and does not pass. */
const refused = [1, false, true]
const told = (project: TestProject): string[] => eventsOf(project, 'noticed').map(({ what }) => what)
const reds = (project: TestProject): string =>
  [...eventsOf(project, 'gates.ended'), ...eventsOf(project, 'landing.ended')]
    .flatMap(({ results }) => results.filter((result) => !result.passed).map(({ output }) => output))
    .join('\n')
const gateRuns = (project: TestProject): number => readFileSync(join(project.home, 'gates'), 'utf8').trim().split('\n').length

function hook(project: TestProject, name: string, text: string): void {
  project.write(name, `#!/bin/sh\n${text}\n`)
  chmodSync(project.path(name), 0o755)
}

const sayHook = (name: string, text: string): Steps => [
  { run: `mkdir -p .githooks; printf '#!/bin/sh\\n${text}\\n' > .githooks/${name}; chmod +x .githooks/${name}` },
]

test('a commit hook of the user that breaks the work: the story is refused, because the commit is not what the gates saw [R-PROOF-2]', async (t) => {
  const project = projectOf(t, [...works, ...ends])
  hook(project, '.git/hooks/pre-commit', 'echo formatted > app.txt; git add app.txt')
  const { code, out } = await project.run('run', '--no-archive', '-n', '1')
  assert.deepEqual([code, project.passing()], [1, []], out)
  assert.match(out, /a commit hook changed/)
})

test('a commit hook of the user that formats the work: the gates run again on what was committed, and the story passes [R-PROOF-2]', async (t) => {
  const project = projectOf(t, [...works, ...ends])
  hook(project, '.git/hooks/pre-commit', 'echo formatted > app.txt; echo formatted > wanted.txt; git add app.txt wanted.txt')
  assert.deepEqual(await outcome(project), passed)
  assert.equal(gateRuns(project), 3) // before the run, after the agent, after the commit
})

test('work that no hook changes is not checked again [R-PROOF-2]', async (t) => {
  const project = projectOf(t, [...works, ...ends])
  hook(project, '.git/hooks/pre-commit', 'true')
  assert.deepEqual(await outcome(project), passed)
  assert.equal(gateRuns(project), 2)
})

for (const [name, text] of [
  ['post-commit', 'git reset -q HEAD~1'],
  ['pre-commit', 'echo old > app.txt; git add app.txt; echo new > app.txt'],
] as const) {
  test(`a tracked ${name} hook that the agent changed does not run in Ralph’s commit: the work is on the branch [R-PROOF-2]`, async (t) => {
    const project = projectOf(t, [...sayHook(name, text), ...works, ...ends], { files: { '.githooks/README': 'hooks\n' } })
    project.git('config', 'core.hooksPath', '.githooks')
    assert.deepEqual(await outcome(project), passed)
    assert.deepEqual(told(project), ['hooks-changed'])
    assert.equal(project.read(`.githooks/${name}`), `#!/bin/sh\n${text}\n`) // the story's work, like any other file
  })
}

const hidings: Record<string, string> = {
  'skip-worktree': 'git update-index --skip-worktree app.txt',
  'assume-unchanged': 'git update-index --assume-unchanged app.txt',
  'a sparse checkout':
    'git checkout -q app.txt; git sparse-checkout set --no-cone "/*" "!app.txt"; git config sparse.expectFilesOutsideOfPatterns true; echo new > app.txt',
  'git replace': 'git add -A; git replace $(git rev-parse HEAD) $(git commit-tree -m x $(git write-tree))',
}
for (const [how, command] of Object.entries(hidings)) {
  test(`work that the agent hides from git by ${how} is seen again, and refuses its story [R-PROOF-5]`, async (t) => {
    // Committing its own files, Ralph would bring what is replaced along.
    const config = { gates: { tests: gate }, git: { commit_state: false } }
    const project = projectOf(t, [...works, { run: command }, ...ends], { config })
    assert.deepEqual(await outcome(project), refused)
    assert.ok(told(project).includes('git-files-restored'))
  })
}

test('a line that the agent adds to .git/info/exclude is taken back, and the work is committed [R-PROOF-5]', async (t) => {
  const hides = 'printf "app.txt\\n" >> .git/info/exclude; git rm -q --cached app.txt; git commit -qm "chore: untrack"'
  const project = projectOf(t, [...works, { run: hides }, ...ends])
  assert.deepEqual(await outcome(project), passed)
  assert.deepEqual(told(project), ['git-files-restored'])
})

test('with --parallel, work that is hidden in the index of a story’s worktree is seen again, and refuses its story [R-PROOF-5]', async (t) => {
  const project = projectOf(t, [...works, { run: 'git update-index --skip-worktree app.txt' }, ...ends])
  const [code, passes] = await outcome(project, '--parallel', '2')
  assert.deepEqual([code, passes], [1, false])
})

const ignoring: Record<string, string> = {
  'a new line in .gitignore': 'printf "gen/\\n" >> .gitignore',
  'a new nested .gitignore': 'printf "*\\n" > gen/.gitignore',
}
for (const [how, command] of Object.entries(ignoring))
  for (const parallel of [[], ['--parallel', '2']]) {
    test(`work in files that ${how} hides is not on the branch: the story is refused and the file is named${parallel.length > 0 ? ', with --parallel too' : ''} [R-PROOF-2]`, async (t) => {
      const needs = 'test ! -e wants-gen || test -e gen/app.txt'
      const makes: Steps = [
        { write: { path: 'wants-gen', text: '' } },
        { write: { path: 'gen/app.txt', text: 'new\n' } },
        { run: command },
      ]
      const project = projectOf(t, [...makes, { commit: 'feat: it' }, ...ends], { config: { gates: { tests: needs } } })
      const { code, out } = await project.run('run', '--no-archive', '-n', '1', ...parallel)
      assert.deepEqual([code, project.passing()], [1, []], out)
      assert.match(reds(project), /gen\//)
    })
  }

test('work that an agent hides by the user’s own list of ignored files is seen again, and is committed [R-PROOF-2] [R-PROOF-6]', async (t) => {
  const hides =
    'mkdir -p "$HOME/.config/git"; printf "app.txt\\n" > "$HOME/.config/git/ignore"; git rm -q --cached app.txt; git commit -qm "chore: untrack"'
  const project = projectOf(t, [...works, { run: hides }, ...ends])
  assert.deepEqual(await outcome(project), passed)
})

test('a dependency folder that a story ignores may be new: the gates have what the project asks for [R-PROOF-2]', async (t) => {
  const needs = 'test ! -e wants || { test -e node_modules/x/index.js && test ! -e node_modules/y; }'
  const makes: Steps = [
    { write: { path: 'wants', text: '' } },
    { write: { path: 'package.json', text: '{"dependencies": {"x": "1"}}' } },
    { write: { path: 'node_modules/y/index.js', text: '1\n' } },
    { write: { path: 'node_modules/x/index.js', text: '1\n' } },
    { write: { path: 'cache.log', text: 'x\n' } },
    { write: { path: '.gitignore', text: 'node_modules\n*.log\n' } },
  ]
  const project = projectOf(t, [...makes, ...ends], { config: { gates: { tests: needs } } })
  const { code, out } = await project.run('run', '--no-archive', '-n', '1')
  assert.deepEqual([code, project.passing()], [0, ['S-1']], out)
})

test('work in a file that the user has uncommitted is not on the branch: the story is refused, and the user is asked [R-PROOF-2]', async (t) => {
  const project = projectOf(t, [...works, ...ends])
  project.write('app.txt', 'half\n')
  project.write('wanted.txt', 'half\n')
  project.git('checkout', '-q', 'wanted.txt')
  const { code, out } = await project.run('run', '--no-archive', '-n', '1')
  assert.deepEqual([code, project.passing()], [3, []], out)
  assert.match(out, /The agent changed app\.txt.* commit or stash your changes/s)
  assert.equal(project.read('app.txt'), 'half\n')
})

test('a story passes beside uncommitted files of the user that it does not need [R-PROOF-2]', async (t) => {
  const project = projectOf(t, [...works, ...ends])
  project.write('notes.txt', 'mine\n')
  assert.deepEqual(await outcome(project), passed)
  assert.equal(project.git('status', '--porcelain'), '?? notes.txt')
})

for (const how of ['is left untracked', 'is committed as a link']) {
  test(`work in a repository inside the project that ${how} is not on the branch: the story is refused and the folder is named [R-PROOF-2]`, async (t) => {
    const adds = how.endsWith('link') ? 'git add -A 2>/dev/null && git commit -qm "feat: it"' : 'true'
    const makes: Steps = [
      { write: { path: 'wants-inner', text: '' } },
      { write: { path: 'inner/app.txt', text: 'new\n' } },
      { run: `(cd inner && git init -q && git add -A && git -c user.name=x -c user.email=x@x commit -qm x); ${adds}` },
    ]
    const needs = 'test ! -e wants-inner || test -e inner/app.txt'
    const project = projectOf(t, [...makes, ...ends], { config: { gates: { tests: needs } } })
    const { code, out } = await project.run('run', '--no-archive', '-n', '1')
    assert.deepEqual([code, project.passing()], [1, []], out)
    assert.match(reds(project), /inner\//)
  })
}

test('what a gate leaves in its checkout helps no later gate, and is not left in the project [R-PROOF-2]', async (t) => {
  const makes: Steps = [{ write: { path: 'wants', text: '' } }]
  // Red once, and green from then on, if its file stayed.
  const needs = 'test ! -e wants || test -e made.txt || { echo made > made.txt; false; }'
  const script = { iterations: [[...makes, ...ends], ends] }
  const project = projectOf(t, [], { script, config: { gates: { tests: needs }, defaults: { max_attempts: 2 } } })
  const { code, out } = await project.run('run', '--no-archive', '-n', '2')
  assert.deepEqual([code, project.passing()], [1, []], out)
  assert.equal(project.has('made.txt'), false)
})

test('work that an agent had hidden from git when Ralph was killed is seen again by the next run, and is committed [R-PROOF-5] [R-ITER-4]', async (t) => {
  const hides: Steps = [{ run: 'git update-index --skip-worktree app.txt' }, { flip: '$RALPH_STORY' }]
  const waits: Steps = [{ run: 'touch .ralph/thing/logs/up; while :; do sleep 0.02; done' }]
  const config = { gates: { tests: gate }, process: { grace_seconds: 0.2 } }
  const project = projectOf(t, [], { script: { iterations: [[...works, ...hides, ...waits], ends] }, config })
  const run = project.start('run', '--no-archive')
  await untilFile(project, '.ralph/thing/logs/up')
  run.child.kill('SIGKILL')
  await run.ended
  assert.deepEqual(await outcome(project), passed)
})

for (const [does, breaks] of [
  ['breaks', true],
  ['formats', false],
] as const) {
  test(`with --parallel, a commit hook of the user that ${does} the work: the gates run again before it lands [R-PROOF-2]`, async (t) => {
    const project = projectOf(t, [...works, ...ends])
    const wanted = breaks ? '' : 'echo formatted > wanted.txt;'
    hook(project, '.git/hooks/pre-commit', `echo formatted > app.txt; ${wanted} git add app.txt wanted.txt`)
    assert.deepEqual(await outcome(project, '--parallel', '2'), breaks ? [1, false, true] : passed)
  })
}

test('a check that the agent made fail outside the work tree is no excuse: it could run in a checkout when the run began [R-PROOF-2]', async (t) => {
  const check = 'test "$PWD" = "$(cat "$HOME/root")" && test -e gen/app.txt'
  const makes: Steps = [
    { write: { path: 'check.sh', text: check } },
    { write: { path: 'gen/app.txt', text: 'new\n' } },
    { write: { path: '.gitignore', text: 'gen/\n' } },
  ]
  const files = { 'check.sh': 'true\n' }
  const project = projectOf(t, [...makes, ...ends], { files, config: { gates: { tests: 'sh check.sh' } } })
  writeFileSync(join(project.home, 'root'), project.root)
  const { code, out } = await project.run('run', '--no-archive', '-n', '1')
  assert.deepEqual([code, project.passing()], [1, []], out)
})

test('gates that cannot run in a checkout at all judge the work tree, and that is told [R-PROOF-2]', async (t) => {
  const check = 'test "$PWD" = "$(cat "$HOME/root")"'
  const project = projectOf(t, [...works, ...ends], { config: { gates: { tests: check } } })
  writeFileSync(join(project.home, 'root'), project.root)
  project.write('notes.txt', 'mine\n')
  assert.deepEqual(await outcome(project), passed)
  assert.deepEqual(told(project), ['tree-judged'])
})

for (const [what, seconds, minutes, expected] of [
  [
    'a check that waits for ever without a hidden file is refused: time that runs out is no excuse',
    600,
    [0.015, 0.02],
    [1, false, false],
  ],
] as const)
  test(`${what} [R-PROOF-2]`, async (t) => {
    const build = `${gate} && { test -d cache || sleep ${seconds}; }`
    const makes: Steps = [{ write: { path: '.gitignore', text: 'cache/\n' } }, { write: { path: 'cache/x', text: 'x\n' } }]
    const files = { 'wanted.txt': 'not yet\n' } // red before the work, without a build
    const config = { gates: { tests: build, tests_minutes: minutes } }
    const project = projectOf(t, [...makes, ...works, ...ends], { files, config })
    assert.deepEqual(await outcome(project), expected)
  })
