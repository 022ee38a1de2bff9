/** Deliberate bugs about flaky gates: what runs once more, how often, and what is made of it. */
import type { Mutant } from './mutant.ts'

export const rerunMutants: Mutant[] = [
  {
    name: 'a gate that failed runs again and again',
    file: 'decide/rerun.ts',
    from: '    isRerun ||\n',
    to: '',
  },
  {
    name: 'whatever failed runs once more',
    file: 'decide/rerun.ts',
    from: 'reds.length === 0 || !reds.every(isChance)',
    to: 'reds.length === 0',
  },
  {
    name: 'one flaky gate of two that failed is reason enough',
    file: 'decide/rerun.ts',
    from: 'reds.length === 0 || !reds.every(isChance)',
    to: 'reds.length === 0 || !reds.some(isChance)',
  },
  {
    name: 'gates run once more where nothing was marked done',
    file: 'decide/rerun.ts',
    from: '(story !== null && ended.flips.length === 0)',
    to: '(story === "" && ended.flips.length === 0)',
  },
  {
    name: 'what a story made flaky itself excuses it',
    file: 'proof/flaky/flaky.ts',
    from: '(flake.by === null || !own.includes(flake.by))',
    to: '(flake.by === null || own !== null)',
  },
  {
    name: 'a test that no runner named counts as known',
    file: 'proof/flaky/flaky.ts',
    from: 'failing.length === 0 || failing.length < (census?.failed ?? 0)',
    to: 'failing.length === 0',
  },
  {
    name: 'a second run on other content counts',
    file: 'proof/flaky/flaky.ts',
    from: 'if (!after.passed || !isSameContent)',
    to: 'if (!after.passed)',
  },
  {
    name: 'a pass by a second run is silent',
    file: 'proof/findings-of.ts',
    from: 'if (flaky === undefined) return []',
    to: 'if (flaky === undefined || flaky.length >= 0) return []',
  },
  {
    name: 'a gate that passes where it failed before is silent',
    file: 'proof/flaky/flaky.ts',
    from: 'result.flaky === undefined && failed !== undefined ?',
    to: 'result.flaky === undefined && failed === null ?',
  },
  {
    name: 'a flaky gate refuses where suspicions do',
    file: 'proof/findings-of.ts',
    from: "isCertain !== true && rule !== 'flaky-tests'",
    to: 'isCertain !== true && rule !== undefined',
  },
  {
    name: 'the attempt that a flaky gate cost is lost',
    file: 'evolve/given-back.ts',
    from: 'Math.max(0, story.failedAttempts - back.length)',
    to: 'story.failedAttempts',
  },
  {
    name: 'an attempt comes back without its gates being green',
    file: 'evolve/given-back.ts',
    from: ' && refusal.gates.every(isFlakyNow)',
    to: '',
  },
  {
    name: 'a landing is tried again and again',
    file: 'decide/rerun.ts',
    from: '!flight.isLandedAgain && reds.length > 0',
    to: 'reds.length > 0',
  },
  {
    name: 'the last iteration leaves no second run of the final check',
    file: 'decide/ending.ts',
    from: '  if (wholeRerunDue(state) !== null) return null\n',
    to: '',
  },
  {
    name: 'asked to stop, a gate that would run once more has failed',
    file: 'decide/decide.ts',
    from: ' || rerun !== null',
    to: '',
  },
  {
    name: 'a new run does not know the flaky tests of the last',
    file: 'evolve/run.ts',
    from: '    ran: [],\n',
    to: '    ran: [],\n    flakes: [],\n',
  },
]
