import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../core/failure.ts'
import { flagSettings, runOptions } from './flags.ts'

test('R-CMD-1 every flag of run is there, once', () => {
  const long = runOptions.map(({ flags }) => /--[a-z-]+/.exec(flags)![0])
  const short = runOptions.flatMap(({ flags }) => /^-[a-z](?=,)/.exec(flags) ?? [])
  assert.deepEqual(
    long.toSorted(),
    '--max-iterations --timeout --rate-limit --calls --baseline --feature --prompt --verbose --quiet --json --no-archive --reset-circuit --dry-run --dangerously-skip-permissions --max-stuck --max-attempts --best-of --max-retries --max-cost --max-tokens --max-duration --timeout-multiplier --on-limit --story --pick --session --decide --agent --agents --model --skip-review --resume --fresh --monitor --parallel --sandbox --dirty --worktree --yes'
      .split(' ')
      .toSorted(),
  )
  assert.deepEqual(short.map(String).toSorted(), ['-f', '-n', '-p', '-r', '-t', '-v', '-y'])
  assert.equal(new Set(runOptions.map(({ name }) => name)).size, runOptions.length)
})

test('what the command line hands over becomes settings', () => {
  const options = {
    maxIterations: '5',
    calls: '9',
    skipReview: true,
    dangerouslySkipPermissions: true,
    verbose: true,
    archive: false,
    maxStuck: '1',
  }
  assert.deepEqual(flagSettings(options), {
    'defaults.max_iterations': '5',
    'defaults.rate_limit_per_hour': '9',
    'review.enabled': false,
    'claude.dangerously_skip_permissions': true,
    'circuit_breaker.no_progress_threshold': '1',
  })
})

test('flags that want opposite things are refused together', () => {
  for (const [one, other] of [
    ['resume', 'fresh'],
    ['verbose', 'quiet'],
    ['monitor', 'json'],
  ] as const)
    assert.throws(
      () => flagSettings({ [one]: true, [other]: true }),
      new Failure(64, `--${one} and --${other} cannot be combined. Use one of them.`),
    )
})

test('a description says what the flag takes and what holds without it', () => {
  const described = Object.fromEntries(runOptions.map(({ name, description }) => [name, description]))
  assert.equal(described['maxIterations'], 'maximum iterations per run (default: 20)')
  assert.equal(described['pick'], 'who picks the next story [ralph|agent] (default: ralph)')
  assert.equal(described['parallel'], 'stories to work on in parallel, each in its own git worktree (default: 1)')
  assert.equal(described['timeout'], 'time limit per iteration (default: 15m)')
  assert.equal(described['calls'], 'the same as --rate-limit')
  assert.equal(described['maxCost'], 'maximum cost per run in USD')
  assert.equal(described['dangerouslySkipPermissions'], 'the agent may use every tool without asking')
})
