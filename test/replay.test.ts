/** `ralph replay`: a recorded run with other settings, and what that would have saved or lost. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { ReplayData } from '../src/views/replay.ts'
import { filesUnder, finishes, idles } from './support/loop.ts'
import { runOf } from './support/processes.ts'
import { projectFor, type TestProject } from './support/project.ts'

/** S-1 passes at once, S-2 after two idle iterations. */
async function ranProject(t: TestContext, ...flags: string[]): Promise<TestProject> {
  const made = projectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: { stories: { 'S-1': [finishes], 'S-2': [idles, idles, finishes] } },
    config: { gates: { tests: 'true' }, circuit_breaker: { no_progress_threshold: 4 } },
  })
  await made.run('run', '--no-archive', ...flags)
  return made
}

/** What differs from run to run, made even. */
const steady = (out: string): string =>
  out.replaceAll(/\d{8}-\d{6}-[0-9a-f]{4}/g, 'RUN').replaceAll(/(?<=[ ,])[\d.]+s\b/g, 'TIME')

test('with its own settings a run comes to the same decisions, and nothing is changed', async (t) => {
  const made = await ranProject(t)
  const before = filesUnder(made.root)
  const { code, out, err } = await made.run('replay')
  assert.deepEqual([code, err], [0, ''])
  assert.equal(
    steady(out),
    [
      'Run RUN, replayed with its own settings',
      'Recorded:  COMPLETE (4 iterations, $0.04, TIME, 2 stories passed): every story passes, and so does every gate',
      'Replayed:  the same. It makes the same decisions.',
      '',
    ].join('\n'),
  )
  assert.deepEqual(filesUnder(made.root), before)
})

test('the own limits of a run with a timeout multiplier change nothing', async (t) => {
  const made = await ranProject(t, '--timeout-multiplier', '0.5')
  const { out } = await made.run('replay', '--set', 'gates.story_minutes=45,60', '--json')
  const { same, replayed } = JSON.parse(out) as ReplayData
  assert.deepEqual([same, replayed.iterations], [true, 4])
})

test('a stricter breaker would have stopped it earlier: what that saves, and what it loses', async (t) => {
  const made = await ranProject(t)
  const { code, out } = await made.run('replay', '--set', 'circuit_breaker.no_progress_threshold=2')
  assert.equal(code, 0)
  assert.equal(
    steady(out),
    [
      'Run RUN, replayed with circuit_breaker.no_progress_threshold=2',
      'Recorded:  COMPLETE (4 iterations, $0.04, TIME, 2 stories passed): every story passes, and so does every gate',
      'Replayed:  STUCK (3 iterations, $0.03, TIME, 1 story passed): 2 of 2 iterations in a row without progress (iterations 2, 3)',
      'Differs:   after iteration 2: the breaker changes from closed to half-open (1 of 2 iterations in a row without progress (iteration 2))',
      '           Recorded: scripted is called as implementer (priority 2, first open story)',
      'Saved:     1 iteration, $0.01, TIME',
      'Lost:      S-2, which passed in iteration 4',
      'Assumed:   with another prompt, iteration 3 would have had the same result',
      '',
    ].join('\n'),
  )
})

test('where it would have gone on nothing is known, and that is said', async (t) => {
  const made = await ranProject(t, '-n', '2')
  const { code, out } = await made.run('replay', runOf(made), '--set', 'defaults.max_iterations=9')
  assert.equal(code, 0)
  assert.equal(
    steady(out),
    [
      'Run RUN, replayed with defaults.max_iterations=9',
      'Recorded:  INCOMPLETE (2 iterations, $0.02, TIME, 1 story passed): 2 of 2 iterations used, still open: S-2',
      'Replayed:  continues after 2 iterations: scripted is called as implementer (priority 2, first open story)',
      'Differs:   after iteration 2: scripted is called as implementer (priority 2, first open story)',
      '           Recorded: the run ends INCOMPLETE (2 of 2 iterations used, still open: S-2)',
      'Beyond:    unknown: the log does not have this result',
      '',
    ].join('\n'),
  )
})

test('--json has the same for programs', async (t) => {
  const made = await ranProject(t)
  const { out } = await made.run('replay', '--set', 'defaults.max_iterations=2', '--set', 'defaults.max_retries=1', '--json')
  const data = JSON.parse(out) as ReplayData
  const { recorded, replayed, difference, ...rest } = data
  assert.deepEqual(rest, {
    version: 1,
    run: runOf(made),
    set: ['defaults.max_iterations=2', 'defaults.max_retries=1'],
    same: false,
    split: {
      afterIteration: 2,
      recorded: 'scripted is called as implementer (priority 2, first open story)',
      replayed: 'the run ends INCOMPLETE (2 of 2 iterations used, still open: S-2)',
    },
    end: { kind: 'ended', outcome: 'incomplete', because: '2 of 2 iterations used, still open: S-2' },
    lost: [{ story: 'S-2', iteration: 4 }],
    gained: [],
    assumed: [],
  })
  assert.deepEqual(
    [recorded.outcome, recorded.iterations, replayed.outcome, replayed.iterations],
    ['complete', 4, 'incomplete', 2],
  )
  assert.deepEqual([difference.iterations, difference.calls, difference.costUsd], [2, 2, 0.02])
})

test('unknown keys are bad configuration with the nearest name, unknown runs wrong usage with the last ones', async (t) => {
  const made = await ranProject(t, '-n', '1')
  const refused = async (...args: string[]) => {
    const { code, err } = await made.run('replay', ...args)
    return [code, steady(err)]
  }
  assert.deepEqual(await refused('--set', 'max_iteratons=2'), [
    78,
    'ralph: --set max_iteratons=2: unknown setting "max_iteratons"; did you mean "defaults.max_iterations"?\n',
  ])
  assert.deepEqual(await refused('nosuch'), [64, 'ralph: No run nosuch of thing. Last runs: RUN.\n'])
  const [code, err] = await refused('--set', 'model=opus')
  assert.equal(code, 78)
  assert.match(String(err), /^ralph: --set model=opus: cannot replay model: it changes what agents and gates do/)
})

test('a feature that has never run has nothing to replay', async (t) => {
  const made = projectFor(t)
  const { code, out } = await made.run('replay')
  assert.deepEqual([code, out], [0, 'thing has never run. Start with: ralph run\n'])
})
