/** The user's hooks in whole runs: what they are told, what they can refuse, and that no hook ever loses anything. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventOf } from '../src/core/types.ts'
import { endOf, eventsOf, finishes, idles, keptProjectFor, leaves } from './support/loop.ts'
import { canShutIn, runOf, survivors, withoutWaits } from './support/processes.ts'
import { type ProjectSketch, projectFor, type TestProject } from './support/project.ts'

/** A line with its name and facts for each hook. */
const notes = (facts: string): string => `echo "$RALPH_HOOK ${facts}" >> "$HOME/hooks.txt"`
const noted = (project: TestProject): string[] => project.read('../home/hooks.txt').trimEnd().split('\n')
const endsOf = (project: TestProject): string[] => eventsOf(project, 'hook.ended').map(({ hook, how }) => `${hook} ${how}`)

test('each hook runs once where its moment comes, and gets the facts as variables and as JSON', async (t) => {
  const words = notes('i=$RALPH_HOOK_ITERATION s=$RALPH_HOOK_STORY $RALPH_HOOK_PASSED/$RALPH_HOOK_STORIES $RALPH_HOOK_OUTCOME')
  const names = ['run.started', 'before.iteration', 'before.commit', 'iteration.ended', 'story.passed', 'run.ended']
  const project = projectFor(t, {
    stories: [{ id: 'S-1', title: 'One' }, { id: 'S-2' }],
    script: { iterations: [leaves, finishes] },
    config: {
      gates: { tests: 'true' },
      hooks: {
        ...Object.fromEntries(names.map((name) => [name, words])),
        'story.passed': `${words}; cat >> "$HOME/facts.json"; test -f S-1.txt`,
        'run.ended': `${words}; test -f "$RALPH_FEATURE_DIR/report.md"`,
      },
    },
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(noted(project), [
    'run.started i= s= 0/2 ',
    'before.iteration i=1 s=S-1 0/2 ',
    'before.commit i=1 s=S-1 0/2 ',
    'iteration.ended i=1 s=S-1 1/2 ',
    'story.passed i=1 s=S-1 1/2 ',
    'before.iteration i=2 s=S-2 1/2 ',
    'iteration.ended i=2 s=S-2 2/2 ',
    'story.passed i=2 s=S-2 2/2 ',
    'run.ended i= s= 2/2 complete',
  ])
  const [first] = project.read('../home/facts.json').split('\n')
  const { at: _at, run, because: _because, ...facts } = JSON.parse(first!) as Record<string, unknown>
  assert.equal(run, project.events()[0]!.run)
  const about = { hook: 'story.passed', feature: 'thing', iteration: 1, story: 'S-1', title: 'One' }
  assert.deepEqual(facts, { ...about, grade: 'gated', outcome: null, passed: 1, stories: 2, cost_usd: 0.01 })
  assert.deepEqual([...new Set(endsOf(project).map((words) => words.split(' ')[1]))], ['done'])
  assert.equal(project.git('status', '--porcelain'), '')
})

test('before.iteration that exits with 1 ends the run as blocked, with its words; once it lets go, the run goes on', async (t) => {
  const project = projectFor(t, {
    script: { otherwise: finishes },
    config: { hooks: { 'before.iteration': '[ -e "$HOME/thawed" ] || { echo "the branch is frozen" >&2; exit 1; }' } },
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 2, out)
  assert.match(out, /✗ hook before\.iteration refused: the branch is frozen/)
  const because = 'iteration 1: hook before.iteration refused: the branch is frozen'
  assert.deepEqual(endOf(project), { outcome: 'blocked', because })
  assert.match(project.read('.ralph/thing/blocked.txt'), /hook before\.iteration refused: the branch is frozen/)
  assert.deepEqual(eventsOf(project, 'iteration.started'), [])
  project.write('../home/thawed', '')
  await project.run('unblock')
  const again = await project.run('run', '--no-archive')
  assert.equal(again.code, 0, again.out + again.err)
})

test('what before.commit refuses does not pass, and the next prompt says why', async (t) => {
  const project = keptProjectFor(t, {
    script: { otherwise: leaves },
    config: {
      gates: { tests: 'true' },
      hooks: {
        'before.commit': 'mkdir "$HOME/asked" 2> /dev/null || exit 0; git status --short; echo "no licence header"; exit 1',
      },
    },
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  const judged = eventsOf(project, 'iteration.judged')
  assert.deepEqual(
    judged.map(({ passed, refused, failedGates }) => ({ passed, refused, failedGates })),
    [
      { passed: [], refused: ['S-1'], failedGates: ['before.commit'] },
      { passed: ['S-1'], refused: [], failedGates: [] },
    ],
  )
  assert.match(project.prompt(2), /no licence header/)
})

test('a hook that fails, hangs, floods, is missing or leaves processes behind stops nothing, and each is told', async (t) => {
  const sketch: ProjectSketch = {
    script: { otherwise: finishes },
    config: {
      process: { grace_seconds: 0.2, hook_seconds: 600 },
      hooks: {
        'run.started': 'no-such-program',
        'before.iteration': '(trap "" TERM; sleep 100) & head -c 5000000 /dev/zero | tr "\\0" x; exit 3',
        'iteration.ended': 'echo > "$HOME/../late"; sleep 100',
        'story.passed': 'kill -9 $$',
        'run.ended': 'exit 1',
      },
    },
  }
  const project = withoutWaits(projectFor(t, sketch), '../late')
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(endsOf(project), [
    'run.started missing',
    'before.iteration failed',
    'iteration.ended timeout',
    'story.passed failed',
    'run.ended failed',
  ])
  assert.ok(eventsOf(project, 'hook.ended').every(({ reason }) => reason.length <= 500))
  assert.match(out, /! hook run\.started could not start: .*no-such-program.*\. The run continues; see: ralph logs 0/)
  assert.match(out, /! hook iteration\.ended timed out after \S+; the limit is process\.hook_seconds/)
  assert.deepEqual(survivors(runOf(project)), [])
})

test('what a hook changes in the plan, the settings or the inbox has no effect', async (t) => {
  const project = projectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: { otherwise: idles },
    config: {
      gates: { tests: 'true' },
      hooks: {
        'run.started': [
          'sed -i "s/\\"passes\\": false/\\"passes\\": true/" "$RALPH_FEATURE_DIR/prd.json"',
          'echo "gates: {tests: exit 1}" > .ralph/config.yaml',
          'mkdir -p "$RALPH_FEATURE_DIR/inbox"',
          `echo '{"kind":"story.skipped","story":"S-1"}' > "$RALPH_FEATURE_DIR/inbox/1.json"`,
        ].join('; '),
      },
    },
  })
  const plan = project.read('.ralph/thing/prd.json')
  const config = project.read('.ralph/config.yaml')
  const { code, out } = await project.run('run', '-n', '1')
  assert.equal(code, 1, out)
  assert.equal(project.read('.ralph/thing/prd.json'), plan)
  assert.equal(project.read('.ralph/config.yaml'), config)
  const noticed = eventsOf(project, 'noticed').map(({ what }) => what)
  for (const what of ['plan-restored', 'config-restored', 'request-refused'])
    assert.ok(noticed.includes(what), `${what}: ${noticed}`)
})

test('a secret reaches neither a hook’s facts nor the log of what it printed', async (t) => {
  const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'
  const project = projectFor(t, {
    script: { otherwise: [{ say: `<promise>DECIDE:Is ${secret} the key?</promise>` }] },
    config: { hooks: { 'question.asked': 'cat > "$HOME/facts.json"; echo "$MY_TOKEN"; exit 3' } },
  })
  project.env['MY_TOKEN'] = 'a-token-of-mine'
  assert.equal((await project.run('run')).code, 3)
  assert.match(project.read('../home/facts.json'), /"because":"Is ghp_\*\*\* the key\?"/)
  assert.doesNotMatch(project.read('../home/facts.json'), /ghp_0123/)
  assert.deepEqual(
    eventsOf(project, 'hook.ended').map(({ reason }) => reason),
    ['[RALPH masked MY_TOKEN]'],
  )
})

test('killed in a hook: one that was told something is not told twice, and one that may refuse is asked again', async (t) => {
  const dies = (name: string): string =>
    `${notes('')}; mkdir "$HOME/${name}" 2> /dev/null || exit 0; kill -9 "$(cat "$HOME/pid")"; sleep 60`
  const project = projectFor(t, {
    script: { otherwise: finishes },
    config: { hooks: { 'before.iteration': dies('one'), 'iteration.ended': dies('two'), 'story.passed': notes('') } },
  })
  for (let lives = 0; lives < 2; lives++) {
    const { child, ended } = project.start('run', '--no-archive')
    project.write('../home/pid', String(child.pid))
    assert.equal((await ended).signal, 'SIGKILL')
  }
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(noted(project), ['before.iteration ', 'before.iteration ', 'iteration.ended ', 'story.passed'])
  assert.deepEqual(survivors(runOf(project)), [])
})

test('in a sandbox hooks are shut in too', async (t) => {
  const project = projectFor(t, {
    script: { otherwise: finishes },
    config: {
      sandbox: { kind: 'bwrap' },
      hooks: { 'story.passed': `cat "$HOME/mine" || echo "no home for $RALPH_HOOK_STORY"; exit 3` },
    },
  })
  project.write('../home/mine', 'of the user\n')
  const { code, err } = await project.run('run', '--no-archive')
  if (!canShutIn()) {
    assert.equal(code, 69, err)
    assert.deepEqual(eventsOf(project, 'hook.started'), [])
    return
  }
  assert.equal(code, 0, err)
  const [ended] = eventsOf(project, 'hook.ended') as [EventOf<'hook.ended'>]
  assert.match(ended.reason, /no home for S-1/)
})

test('an unknown hook is refused before anything runs, with the nearest name', async (t) => {
  const project = projectFor(t, { config: { hooks: { 'story.pased': 'true' } } })
  const { code, err } = await project.run('run')
  assert.equal(code, 78, err)
  assert.match(err, /hooks[\s\S]*did you mean "story\.passed"\?/)
})
