/** The real side of a world: the built program in a real repository, with agents that play their turns and gates that look at the files. */
import { chmodSync } from 'node:fs'
import { sections } from '../../src/core/learning/skills/skill-file.ts'
import type { Event } from '../../src/core/types.ts'
import { until, withoutWaits } from '../support/processes.ts'
import { makeProject, type Steps, type TestProject } from '../support/project.ts'
import { type ConformanceWorld, finishes, type Judgement, type Turn, words } from './world.ts'

/** A file per story with a line per piece of work; the gate `content` is red while one of them is bad. */
const programs = {
  act: `
mkdir -p work
f="work/\${RALPH_STORY:-whole}.txt"
touch "$f"
piece() { echo "$1 $RALPH_ITERATION $(wc -l < "$f")" >> "$f"; }
case $1 in
  good) sed -i '/^bad/d' work/*; sed -i 's/test.skip/test/' test/a.test.js; rm -f sitecustomize.py; piece good;;
  bad) piece bad;;
  weak) sed -i 's/^test(/test.skip(/' test/a.test.js;;
  cheat) echo 'patch()' > sitecustomize.py;;
  merge) git merge -q -X ours -m merge main;;
  clash) echo "$RALPH_STORY" > work/shared.txt;;
  commit) git add -A -- . ':!mine.txt' ':!.ralph' && git commit -q -m "feat: $RALPH_STORY";;
  take) git add -A && git commit -q -m "feat: $RALPH_STORY";;
  discard) git reset -q --hard && git clean -fdq;;
  stray-ahead) git switch -q -c elsewhere;;
  stray-apart) git checkout -q --orphan elsewhere; git commit -q -m apart;;
  signal) kill -"$2" "$(cat "$TMPDIR/pid")"; while :; do sleep 1; done;;
  logged) while ! grep -q "kind.:.$2.," "$TMPDIR/project/.ralph/thing/events.jsonl"; do sleep 0.02; done;;
  landed) while ! git -C "$TMPDIR/project" cat-file -e "HEAD:work/$2.txt" 2> /dev/null; do sleep 0.02; done;;
esac
`,
  // Gates on a commit have a TMPDIR of their own.
  content: `
if [ -e "$HOME/../kill-gates" ] && [ -e work ]; then rm "$HOME/../kill-gates"; kill -9 "$(cat "$HOME/../pid")"; sleep 60; fi
! grep -rhq '^bad' work 2> /dev/null || { echo 'content is red'; exit 1; }
if [ -e "$HOME/../flaky" ]; then
  echo run >> "$HOME/../runs"
  ! grep -qx "$(wc -l < "$HOME/../runs")" "$HOME/../flaky" || { echo '✖ one'; exit 1; }
fi
`,
  'add-story': `
exec '${process.execPath}' -e '
  const fs = require("node:fs"), { RALPH_PLAN } = process.env, plan = JSON.parse(fs.readFileSync(RALPH_PLAN, "utf8"))
  const id = "N" + (plan.userStories.length + 1)
  plan.userStories.push({ id, title: "Story " + id, priority: Number(process.argv[1]), passes: false })
  fs.writeFileSync(RALPH_PLAN, JSON.stringify(plan, null, 2) + "\\n")
' "$1"
`,
  pass: 'true\n',
  fail: "echo 'it always is'; exit 1\n",
  missing: "echo 'tests is red: it always is'; exit 127\n",
}

/** Agents commit with RALPH_ITERATION in their environment; Ralph itself does not. */
const hooks = {
  refuses:
    '[ -n "$RALPH_ITERATION" ] || [ -e "$TMPDIR/refused" ] || { touch "$TMPDIR/refused"; echo "a hook says no"; exit 1; }\n',
  dies: '[ -n "$RALPH_ITERATION" ] || [ ! -e "$TMPDIR/kill-commit" ] || { rm "$TMPDIR/kill-commit"; kill -9 "$(cat "$TMPDIR/pid")"; sleep 60; }\n',
}

export async function realEvents(world: ConformanceWorld): Promise<Event[]> {
  const project = makeProject({
    stories: world.stories,
    isGit: world.hasNoGit !== true,
    config: { review: { enabled: false }, learn: { enabled: false }, ...world.config },
    files: { 'test/a.test.js': "test('adds', () => equal(1 + 1, 2))\n" },
    script: scriptOf(world),
  })
  try {
    for (const [name, text] of Object.entries(programs)) {
      project.write(`../bin/${name}`, `#!/bin/sh${text.startsWith('\n') ? '' : '\n'}${text}`)
      chmodSync(project.path(`../bin/${name}`), 0o755)
    }
    Object.assign(project.env, { PATH: `${project.path('../bin')}:${project.env['PATH']}` })
    if (world.hasHeldOut) project.env['RALPH_PROOF_HELD_OUT'] = 'content'
    if (world.hasUsersFile) project.write('mine.txt', 'of the user\n')
    if (world.kills?.in === 'gates') project.write('../kill-gates', '')
    if (world.flaky !== undefined) project.write('../flaky', world.flaky.map((run) => `${run}\n`).join(''))
    if (world.kills?.in === 'commit') project.write('../kill-commit', '')
    if (world.hook !== undefined || world.kills?.in === 'commit') {
      project.write('.git/hooks/pre-commit', `#!/bin/sh\n${hooks[world.hook ?? 'dies']}`)
      chmodSync(project.path('.git/hooks/pre-commit'), 0o755)
    }
    if (world.hasOtherCalls) {
      withoutWaits(project, '../over')
      const at = new Date(Date.now() - 1_800_000).toISOString()
      project.write('../home/.ralph/calls.json', JSON.stringify({ calls: [{ at, agent: 'scripted' }], limits: {} }))
    }
    await runToEnd(project, world)
    return withoutOwnCommits(project.events(), project)
  } finally {
    project.remove()
  }
}

/** The simulator knows no files of Ralph's: a commit of nothing else, also a merge, is the one before it, and nobody's work. */
function withoutOwnCommits(events: Event[], project: TestProject): Event[] {
  if (!project.has('.git')) return events
  const lines = project.git('rev-list', '--all', '--reflog', '--parents').split('\n')
  const parents = new Map(lines.map((line) => [line.slice(0, 40), line.split(' ').slice(1)]))
  const contents = new Map([...parents.keys()].map((commit) => [commit, contentOf(commit, project)]))
  const before = (commit: string): string => {
    const same = parents.get(commit)?.find((parent) => contents.get(parent) === contents.get(commit))
    return same === undefined ? commit : before(same)
  }
  const isWork = (commit: string): boolean => before(commit) === commit
  const withWork = events.map((event): Event => {
    if (event.kind === 'landing.ended') return { ...event, commits: event.commits.filter(isWork) }
    if (event.kind !== 'iteration.ended') return event
    const { commits, trees } = event
    return {
      ...event,
      commits: commits.filter(isWork),
      trees: commits.length === 0 ? trees : trees.filter((_, i) => isWork(commits[i]!)),
    }
  })
  return JSON.parse(JSON.stringify(withWork).replaceAll(/\b[0-9a-f]{40}\b/g, before))
}

const contentOf = (commit: string, project: TestProject): string =>
  project
    .git('ls-tree', '-r', commit)
    .split('\n')
    .filter((line) => !line.includes('\t.ralph/'))
    .join('\n')

/** Killed, it is run again, which resumes. */
async function runToEnd(project: TestProject, { args = [], userWritesAt }: ConformanceWorld): Promise<void> {
  for (let lives = 0; lives < 4; lives++) {
    const { child, ended, output } = project.start('run', '--no-archive', ...args)
    project.write('../pid', String(child.pid))
    if (userWritesAt !== undefined) {
      await until(userWritesAt, () => project.has('.ralph/thing/events.jsonl') && project.kinds().includes(userWritesAt))
      project.write('mine.txt', 'of the user\n')
      project.write('../over', '')
    }
    const { signal } = await ended
    if (signal !== 'SIGKILL') {
      if (!project.has('.ralph/thing/events.jsonl')) throw new Error(output())
      return
    }
  }
  throw new Error('killed again and again')
}

function scriptOf(world: ConformanceWorld) {
  const { turns = {}, reviews = {}, lessons = {} } = world
  const { '': iterations = [], ...stories } = turns
  return {
    stories: Object.fromEntries(Object.entries(stories).map(([id, list]) => [id, list.map(stepsOf)])),
    iterations: iterations.map(stepsOf),
    otherwise: stepsOf(finishes('$RALPH_STORY')),
    reviews: Object.fromEntries(Object.entries(reviews).map(([id, list]) => [id, [...list, 'pass' as const].map(reviewSteps)])),
    lessons: Object.fromEntries([
      ...Object.entries(lessons).map(([id, list]) => [id, list.map((lessons) => lessonSteps(id, lessons))]),
      ...(world.skills ?? []).map((skill) => [
        skill,
        [[{ say: sections.map((name) => `## ${name}\n\nLook twice.\n`).join('\n') }]],
      ]),
    ]),
  }
}

const act = (...args: string[]): Steps[number] => ({ run: `act ${args.join(' ')}` })

function stepsOf(turn: Turn): Steps {
  const { strays, merges, edits = [], clashes, flips = [], adds, deletes, sends, until, after, says = 'nothing', ends } = turn
  return [
    ...(strays === undefined ? [] : [act(`stray-${strays}`)]),
    ...(merges ? [act('merge')] : []),
    ...(clashes ? [act('clash')] : []),
    ...edits.map((edit) => act(edit)),
    ...flips.map((flip) => ({ flip })),
    ...(adds === undefined ? [] : [{ run: `add-story ${adds}` }]),
    ...(deletes
      ? [{ run: 'rm -rf .ralph/config.yaml .ralph/thing/events.jsonl .ralph/thing/status.json .ralph/thing/logs' }]
      : []),
    ...(sends === undefined ? [] : [act('signal', sends)]),
    ...(until === undefined ? [] : [act('logged', until)]),
    ...(after === undefined ? [] : [act('landed', after)]),
    ...endOf(ends),
    ...(ends === undefined ? [{ say: words[says].text }] : []),
  ]
}

function endOf(ends: Turn['ends']): Steps {
  switch (ends) {
    case undefined:
      return []
    case 'failed':
      return [{ fail: { code: 1, text: 'it broke' } }]
    case 'timeout':
      return [{ hang: true }]
    case 'limit':
      return [{ limit: { until: '3s' } }]
    default:
      return [{ [ends]: true }]
  }
}

function reviewSteps(judgement: Judgement): Steps {
  const says = (answer: object): Steps => [{ say: JSON.stringify({ missing: [], extra: [], reason: '', ...answer }) }]
  switch (judgement) {
    case 'pass':
      return says({ verdict: 'pass', reason: 'All of it is there.' })
    case 'refuse':
      return says({ verdict: 'fail', missing: ['the half of it'] })
    case 'question':
      return says({ verdict: 'question', reason: 'what is meant?' })
    case 'unreadable':
      return [{ say: 'no JSON in it' }]
    case 'limit':
      return endOf('limit')
    case 'INT':
      return [act('signal', 'INT')]
  }
}

const lessonSteps = (story: string, lessons: number | null): Steps =>
  lessons === null
    ? [{ say: 'no JSON in it' }]
    : [
        {
          say: JSON.stringify({
            successes: Array.from({ length: lessons }, (_, i) => ({
              pattern: `Look twice at ${i} of ${story}`,
              category: 'testing',
              reusable: true,
            })),
            failures: [],
            discoveries: [],
          }),
        },
      ]
