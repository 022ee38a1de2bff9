/** What a seed determines: a plan, a policy, and how often things go wrong. */

import { hookNames } from '../src/core/types/words.ts'
import type { Gate, Plan, Policy, Story } from '../src/core/types.ts'
import { aPlan, aPolicy, aStory } from './builders.ts'
import { gateCommands } from './checkout.ts'
import type { Random } from './random.ts'

/** How often each misfortune happens, from 0 to 1. */
export type Temper = {
  lies: number
  idles: number
  fails: number
  throttles: number
  timeouts: number
  asks: number
  tests: number
  claims: number
  /** Of its claims, the share in plain words, without the signal. */
  wordy: number
  meddles: number
  refusals: number
  weakens: number
  denials: number
  mumbles: number
  /** Parallel work conflicts, or somebody's files are in the way. */
  conflicts: number
  /** Agents commit the user's changes, or discard them. */
  careless: number
  /** An agent commits somewhere else than on its branch. */
  strays: number
  /** Commits and continues, without ever marking the story as done. */
  toils: number
  /** Marks the story as done and changes nothing. */
  repeats: number
  /** Hooks refuse. */
  vetoes: number
}

export type Scenario = {
  plan: Plan | null
  policy: Policy
  temper: Temper
  /** How often Ralph itself is killed, at most. */
  kills: number
  /** Slow gates let the work of other workers pile up. */
  gatesMs: number
  userActs: number
  /** How often the user writes to files, between runs and after a kill. */
  userWrites: number
  hasGit: boolean
  runs: number
}

export const calm: Temper = {
  lies: 0,
  idles: 0,
  fails: 0,
  throttles: 0,
  timeouts: 0,
  asks: 0,
  tests: 0,
  claims: 0,
  wordy: 0.5,
  meddles: 0,
  refusals: 0,
  weakens: 0,
  denials: 0,
  mumbles: 0,
  conflicts: 0,
  careless: 0,
  strays: 0,
  toils: 0,
  repeats: 0,
  vetoes: 0,
}

export function scenarioOf(random: Random): Scenario {
  const chance = random.next()
  if (chance < 0.03) return talkersOf(random)
  if (chance > 0.845 && chance < 0.885) return contestsOf(random)
  if (chance > 0.885 && chance < 0.9) return hookedOf(random)
  if (chance > 0.9 && chance < 0.92) return relayOf(random)
  if (chance > 0.92) return flakyOf(random) // of the same draw, so that other worlds stay the same as before there were these
  if (random.chance(0.1)) return crowdOf(random)
  if (random.chance(0.04)) return toilersOf(random)
  return random.chance(0.04) ? doubtersOf(random) : anyOf(random)
}

/** Agents that keep committing at a failing gate, report the same error and end well, or time out; and honest slow ones. */
function toilersOf(random: Random): Scenario {
  const stories = Array.from({ length: random.int(1, 4) }, (_, i) => aStory(`S${i + 1}`))
  const rarely = (): number => random.pick([0, 0, 0.2])
  return {
    plan: aPlan(stories),
    policy: aPolicy({
      maxAttempts: random.pick([0, 1, 5, 9]),
      maxIterations: 18,
      pick: random.chance(0.2) ? 'agent' : 'ralph',
      workers: random.int(1, 2),
      gates: [{ name: 'tests', command: random.pick(['content', 'content', 'fail']) }],
    }),
    temper: { ...calm, toils: random.pick([0.6, 0.9, 1]), lies: rarely(), fails: rarely(), timeouts: random.pick([0, 0.3, 1]) },
    kills: random.int(0, 1),
    gatesMs: 60_000,
    userActs: random.int(0, 2),
    userWrites: 0,
    hasGit: random.chance(0.9),
    runs: random.int(1, 2),
  }
}

/** Gates that fail by chance, and agents that mark stories as done again without a change. */
function flakyOf(random: Random): Scenario {
  const stories = Array.from({ length: random.int(2, 6) }, (_, i) => aStory(`S${i + 1}`))
  const gates: Gate[] = [
    { name: 'tests', command: 'flaky' },
    { name: 'lint', command: random.pick(['flaky', 'content', 'pass']) },
  ]
  return {
    plan: random.chance(0.1) ? null : aPlan(stories),
    policy: aPolicy({
      maxAttempts: random.pick([0, 3, 9]),
      maxStuck: 0,
      sameError: 0,
      maxIterations: 20,
      pick: random.chance(0.2) ? 'agent' : 'ralph',
      workers: random.int(1, 3),
      baseline: random.pick(['strict', 'strict', 'tolerate'] as const),
      gates: gates.slice(0, random.int(1, 2)),
      review: { ...(random.chance(0.3) ? { spec: 'judge' } : {}), final: [] },
      proof: { suspicion: random.pick(['reserve', 'ask', 'refuse'] as const), minimum: 'gated', crossExamine: 'auto' },
    }),
    temper: { ...calm, repeats: 0.5, lies: 0.1, weakens: 0.1, claims: 0.2, conflicts: random.pick([0, 0.2]) },
    kills: random.int(0, 2),
    gatesMs: 60_000,
    userActs: random.int(0, 3),
    userWrites: random.pick([0, 0.2]),
    hasGit: random.chance(0.9),
    runs: random.int(1, 3),
  }
}

/** With hooks that fail, and now and then refuse. */
function hookedOf(random: Random): Scenario {
  const stories = Array.from({ length: random.int(1, 5) }, (_, i) => aStory(`S${i + 1}`))
  return {
    plan: random.chance(0.15) ? null : aPlan(stories),
    policy: aPolicy({
      hooks: hookNames.filter(() => random.chance(0.6)),
      maxIterations: 15,
      maxAttempts: random.int(1, 3),
      maxStuck: random.int(0, 3),
      decide: random.pick(['stop', 'park'] as const),
      workers: random.int(1, 3),
      gates: [{ name: 'tests', command: random.pick(['content', 'pass']) }],
      review: { ...(random.chance(0.3) ? { spec: 'judge' } : {}), final: [] },
    }),
    temper: {
      ...calm,
      lies: 0.1,
      asks: 0.1,
      claims: 0.2,
      idles: 0.1,
      meddles: 0.1,
      conflicts: random.pick([0, 0.2]),
      vetoes: 0.15,
    },
    kills: random.int(0, 3),
    gatesMs: 60_000,
    userActs: random.int(0, 4),
    userWrites: random.pick([0, 0.2]),
    hasGit: random.chance(0.9),
    runs: random.int(1, 3),
  }
}

/** Several attempts on one story at once: at its last attempt, or because it asks for them. */
function contestsOf(random: Random): Scenario {
  const stories = Array.from({ length: random.int(1, 4) }, (_, i) =>
    aStory(`S${i + 1}`, random.chance(0.25) ? { bestOf: random.int(1, 3) } : {}),
  )
  return {
    plan: aPlan(stories),
    policy: aPolicy({
      bestOf: random.int(2, 4),
      maxAttempts: random.int(1, 3),
      maxIterations: random.int(3, 20),
      maxStuck: random.pick([0, 3]),
      decide: random.pick(['stop', 'park'] as const),
      session: random.pick(['fresh', 'resume'] as const),
      workers: random.int(1, 3),
      gates: [{ name: 'tests', command: 'content' }],
      review: { ...(random.chance(0.3) ? { spec: 'judge' } : {}), final: [] },
    }),
    temper: {
      ...calm,
      lies: random.pick([0.2, 0.6]),
      idles: 0.1,
      asks: random.pick([0, 0.1]),
      timeouts: random.pick([0, 0.2]),
      conflicts: random.pick([0, 0.2]),
    },
    kills: random.int(0, 3),
    gatesMs: 60_000,
    userActs: random.int(0, 3),
    userWrites: random.pick([0, 0.2]),
    hasGit: random.chance(0.95),
    runs: random.int(1, 3),
  }
}

/** Agents that take each other's calls while one is at its usage limit. */
function relayOf(random: Random): Scenario {
  const stories = Array.from({ length: random.int(2, 6) }, (_, i) =>
    aStory(`S${i + 1}`, random.chance(0.2) ? { agent: random.pick(['another', 'second']) } : {}),
  )
  const listed = ['scripted', 'second', 'third'].slice(0, random.int(2, 3))
  return {
    plan: random.chance(0.1) ? null : aPlan(stories),
    policy: aPolicy({
      fallback: { implementer: listed, reviewer: listed.slice(0, random.int(1, 2)), learner: listed.slice(1) },
      agent: 'scripted',
      maxIterations: 20,
      onLimit: random.pick(['wait', 'wait', 'exit', 'ask'] as const),
      session: random.pick(['fresh', 'resume'] as const),
      workers: random.int(1, 3),
      gates: [{ name: 'tests', command: 'content' }],
      review: { ...(random.chance(0.5) ? { spec: random.pick(['scripted', 'judge']) } : {}), final: [] },
      ...(random.chance(0.4) ? { learn: { agent: 'scripted', aggregateEvery: 2 } } : {}),
    }),
    temper: { ...calm, throttles: random.pick([0.2, 0.5]), refusals: random.pick([0, 0.2]), lies: 0.1, timeouts: 0.1 },
    kills: random.int(0, 2),
    gatesMs: 60_000,
    userActs: random.int(0, 3),
    userWrites: 0,
    hasGit: random.chance(0.9),
    runs: random.int(1, 2),
  }
}

/** Few stories, many workers, slow gates and a busy user: landings wait for each other, and sometimes conflict. */
function crowdOf(random: Random): Scenario {
  const stories = Array.from({ length: random.int(2, 5) }, (_, i) => aStory(`S${i + 1}`, touching(random)))
  return {
    plan: aPlan(stories),
    policy: aPolicy({
      workers: 3,
      maxIterations: 20,
      gates: [{ name: 'tests', command: 'content' }],
      review: { ...(random.chance(0.5) ? { spec: 'judge' } : {}), final: [] },
    }),
    temper: { ...calm, idles: 0.3, lies: 0.1, conflicts: random.pick([0.1, 0.5, 0.9]) },
    kills: random.int(0, 2),
    gatesMs: 1_800_000,
    userActs: random.int(2, 6),
    userWrites: 0.2,
    hasGit: true,
    runs: 2,
  }
}

/** Agents that ask and fail: several questions at once, and answers whose story fails after all. */
function doubtersOf(random: Random): Scenario {
  const stories = Array.from({ length: random.int(2, 4) }, (_, i) => aStory(`S${i + 1}`))
  return {
    plan: aPlan(stories),
    policy: aPolicy({
      decide: 'park',
      maxStuck: 0,
      sameError: 0,
      maxAttempts: random.int(1, 2),
      workers: random.int(1, 2),
      gates: [{ name: 'tests', command: 'content' }],
    }),
    temper: { ...calm, asks: 0.5, lies: 0.4 },
    kills: random.int(0, 2),
    gatesMs: 60_000,
    userActs: random.int(4, 10),
    userWrites: 0.2,
    hasGit: true,
    runs: 3,
  }
}

/** No plan, and agents that say they are done without the signal: a person must decide. */
function talkersOf(random: Random): Scenario {
  return {
    plan: null,
    policy: aPolicy({
      doneSignals: random.int(1, 3),
      maxStuck: random.pick([0, 3]),
      sameError: 0,
      baseline: random.pick(['strict', 'tolerate'] as const),
      gates: random.pick<Gate[]>([[], [{ name: 'tests', command: 'content' }]]),
      review: { final: random.pick([[], ['judge']]) },
    }),
    temper: { ...calm, claims: 0.9, wordy: 0.9, idles: 0.4 },
    kills: random.int(0, 2),
    gatesMs: 60_000,
    userActs: random.int(0, 6),
    userWrites: 0.2,
    hasGit: true,
    runs: 3,
  }
}

function anyOf(random: Random): Scenario {
  const plan = random.chance(0.12) ? null : planOf(random)
  return {
    plan,
    policy: policyOf(random, plan),
    temper: random.chance(0.1) ? calm : temperOf(random),
    kills: random.chance(0.5) ? random.int(1, 5) : 0,
    gatesMs: random.pick([1_000, 60_000, 1_800_000]),
    userActs: random.chance(0.5) ? random.int(1, 6) : 0,
    userWrites: random.chance(0.5) ? 0 : random.next(),
    hasGit: random.chance(0.92),
    runs: random.int(1, 3),
  }
}

function planOf(random: Random): Plan {
  const stories: Story[] = []
  const count = random.int(1, 8)
  for (let i = 1; i <= count; i++) {
    const dependsOn = stories.filter(() => random.chance(0.2)).map((story) => story.id)
    stories.push(
      aStory(`S${i}`, {
        priority: random.int(1, 4),
        passes: random.chance(0.1),
        dependsOn,
        skip: random.chance(0.08),
        exitSignal: random.chance(0.1),
        ...(random.chance(0.1) ? { agent: 'another', model: 'stronger' } : {}),
        ...touching(random),
        gates: random.chance(0.15) ? { own: random.pick(['pass', 'content', 'content', 'fail']) } : {},
      }),
    )
  }
  if (random.chance(0.2)) stories.reverse()
  return aPlan(stories, { marks: random.chance(0.25) ? 'log' : 'file' })
}

/** Files and folders that a story will change, according to the plan. */
function touching(random: Random): Pick<Story, 'touches'> {
  if (random.chance(0.6)) return {}
  return { touches: ['src', 'src/*', './docs/', 'docs/guide.md', 'lib/a', 'lib/b'].filter(() => random.chance(0.25)) }
}

function policyOf(random: Random, plan: Plan | null): Policy {
  const workers = random.chance(0.65) ? 1 : random.int(2, 3)
  const startable = plan?.stories.filter((story) => story.dependsOn.length === 0) ?? []
  const maxIterations = random.int(1, 18)
  // Not drawn, so that worlds without a learner stay the same as before there was one.
  const learn = {
    agent: 'pupil',
    aggregateEvery: 1 + (maxIterations % 4),
    ...(maxIterations % 2 === 0 ? { atEnd: true as const } : {}),
  }
  return aPolicy({
    maxIterations,
    maxAttempts: random.chance(0.25) ? 0 : random.int(1, 6),
    maxRetries: random.int(0, 3),
    maxStuck: random.int(0, 4),
    cooldownMinutes: random.chance(0.3) ? random.int(1, 60) : 0,
    doneSignals: random.int(0, 3),
    testLoops: random.int(0, 3),
    pick: random.chance(0.25) ? 'agent' : 'ralph',
    session: random.pick(['fresh', 'resume'] as const),
    onLimit: random.pick(['wait', 'exit', 'ask'] as const),
    budget: {
      costUsd: random.chance(0.1) ? random.int(1, 12) / 64 : null,
      tokens: random.chance(0.1) ? random.int(10, 200) : null,
      durationMs: random.chance(0.1) ? random.int(60_000, 86_400_000) : null,
    },
    ...(startable.length > 0 && random.chance(0.1) ? { only: random.pick(startable).id } : {}),
    gates: gatesOf(random),
    sameError: random.int(0, 4),
    declinePercent: random.pick([0, 70]),
    maxDenied: random.int(0, 2),
    decide: random.pick(['stop', 'park'] as const),
    storyMs: random.chance(0.15) ? { soft: 600_000, hard: random.int(600_000, 7_200_000) } : { soft: 0, hard: 0 },
    baseline: random.chance(0.2) ? 'tolerate' : 'strict',
    ...(maxIterations % 3 === 2 ? { missingTools: 'stop' as const } : {}),
    tamper: random.pick(['warn', 'refuse'] as const),
    proof: {
      suspicion: random.pick(['reserve', 'ask', 'refuse'] as const),
      minimum: random.pick(['unproven', 'gated'] as const),
      crossExamine: random.pick(['auto', 'always', 'off'] as const),
      ...(maxIterations % 5 === 1 ? { mutants: 3 } : {}),
      ...(maxIterations % 7 < 2 ? { heldOut: maxIterations % 7 === 0 ? ('flip' as const) : ('complete' as const) } : {}),
    },
    review: {
      ...(random.chance(0.4) ? { spec: 'judge' } : {}),
      ...(random.chance(0.2) ? { quality: 'judge' } : {}),
      final: random.chance(0.15) ? Array.from({ length: random.int(1, 3) }, () => random.pick(['judge', 'other'])) : [],
    },
    ...(maxIterations % 5 < 2 ? { learn } : {}),
    workers,
  })
}

function gatesOf(random: Random): Gate[] {
  return ['tests', 'lint', 'build'].slice(0, random.int(0, 3)).map((name): Gate => {
    const command = random.chance(0.75) ? random.pick(['pass', 'content', 'content']) : random.pick(gateCommands)
    return { name, command, ...(random.chance(0.2) ? { soft: true } : {}) }
  })
}

function temperOf(random: Random): Temper {
  const often = (): number => (random.chance(0.4) ? 0 : random.next() * random.next())
  return {
    lies: often(),
    idles: often(),
    fails: often() / 2,
    throttles: often() / 2,
    timeouts: often() / 2,
    asks: often() / 3,
    tests: often() / 2,
    claims: often(),
    wordy: random.next(),
    meddles: often(),
    refusals: often() * 0.8,
    weakens: often() / 2,
    denials: often() / 2,
    mumbles: often() / 2,
    conflicts: often(),
    careless: often(),
    strays: often() / 2,
    toils: often() / 2,
    repeats: 0,
    vetoes: 0,
  }
}
