/** The simulated side of a world: the simulator's hands and repository, with a script in place of chance. */
import type { Players } from '../../sim/agent.ts'
import { aReading, aResult, aReview } from '../../sim/builders.ts'
import type { Clock } from '../../sim/clock.ts'
import { randomFrom } from '../../sim/random.ts'
import { calm } from '../../sim/scenario.ts'
import { type Script, worldOf } from '../../sim/world.ts'
import { readReview } from '../../src/core/review/answer.ts'
import { later } from '../../src/core/text/time.ts'
import type { Event, EventOf, Report, Scope } from '../../src/core/types.ts'
import { type ConformanceWorld, turnOf, words } from './world.ts'

/** Plan and settings are what the real side has made of the files. */
export async function simulatedEvents(
  world: ConformanceWorld,
  { plan, policy }: EventOf<'run.started'>,
  hears = (fact: Report): Report => fact,
): Promise<Event[]> {
  const events: Event[] = []
  let pointsLeft = Number.POSITIVE_INFINITY
  const { kills } = world
  let runs = 0
  /** Every gate fails in such a run: the worlds that have them have one gate. */
  const byChance = (fact: Report): Report => {
    if (fact.kind !== 'gates.ended' || !world.flaky?.includes(++runs)) return fact
    return { ...fact, results: fact.results.map(({ name, command }) => aResult(name, false, { command, output: '✖ one' })) }
  }
  const script: Script = {
    hears: (fact) => hears(byChance(fact)),
    players: (clock, tell) => playersIn(world, clock, tell, () => (pointsLeft = 1), events),
    isKillDue: () => {
      if (--pointsLeft > 0) return false
      pointsLeft = Number.POSITIVE_INFINITY
      return true
    },
  }
  const simulated = worldOf({
    scenario: {
      plan: structuredClone(plan),
      policy,
      temper: calm,
      kills: 0,
      gatesMs: 1_000,
      userActs: 0,
      userWrites: 0,
      hasGit: world.hasNoGit !== true,
      runs: 1,
    },
    random: randomFrom(1),
    watch: (event) => {
      events.push(event)
      if (event.kind === world.userWritesAt) simulated.repository.userAdds()
      if (event.kind === kills?.after && events.filter(({ kind }) => kind === event.kind).length === kills.nth)
        pointsLeft = kills.points
    },
    script,
  })
  if (world.hasUsersFile) simulated.repository.userWrites(false, false)
  await simulated.oneRun('r1')
  return events
}

const problemOf = (reading: { ok: boolean; problem?: string }): string => reading.problem ?? ''

const unreadLesson = 'The answer has no JSON object or YAML document with "successes", "failures" and "discoveries".'

/** As the scripted agent prints them. */
const messages = {
  'usage-limit': 'usage limit reached (five_hour)',
  overload: 'API Error: 529 Overloaded.',
  login: 'Invalid API key · Fix external API key',
  unreadable: 'Ralph did not understand the line that scripted printed: {"kind":"of another version"}',
  'unknown-option': "scripted does not know an option that Ralph uses: error: unknown option '--new'",
}

function playersIn(
  world: ConformanceWorld,
  clock: Clock,
  tell: (fact: Report) => void,
  kill: () => void,
  events: Event[],
): Players {
  const calls = new Map<string, number>()
  /** What a list has for this call of a story, from 0. */
  const nth = (key: string): number => {
    const times = calls.get(key) ?? 0
    calls.set(key, times + 1)
    return times
  }
  const attemptOf = (iteration: Scope): number =>
    events.findLast(
      (event): event is EventOf<'iteration.started'> => event.kind === 'iteration.started' && event.iteration === iteration,
    )?.attempt ?? 1
  return {
    envelopes: () => ({}),
    act({ iteration, named }) {
      const turn = turnOf(world, named, attemptOf(iteration), iteration)
      const { says = 'nothing', ends, sends } = turn
      const workMs = 1_000 * iteration
      if (sends === 'KILL') clock.after(workMs + 1, kill)
      if (sends === 'INT') clock.after(workMs + 1, () => tell({ kind: 'stop.requested', by: 'SIGINT', now: true }))
      const soon = later(clock.now(), 60_000)
      const throttled = (by: 'usage-limit' | 'overload' | 'login') =>
        ({ kind: 'throttled', by, message: messages[by], ...(by === 'usage-limit' ? { until: soon } : {}) }) as const
      return {
        edits: turn.edits ?? [],
        flips: turn.flips ?? [],
        isAstray: turn.strays === 'apart',
        isTesting: false,
        adds: turn.adds ?? false,
        exit: ends === undefined || ends === 'unreadable' ? 'ok' : ends === 'timeout' ? 'timeout' : 'failed',
        signals:
          ends === undefined
            ? words[says].signals
            : ends === 'failed'
              ? [{ kind: 'error', hash: 'e1', message: 'it broke' }]
              : ends === 'timeout'
                ? []
                : ends === 'unreadable' || ends === 'unknown-option'
                  ? [{ kind: 'unreadable', by: ends === 'unreadable' ? 'lines' : 'option', message: messages[ends] }]
                  : [throttled(ends === 'limit' ? 'usage-limit' : ends)],
        reading: aReading({ status: says === 'asks' ? 'question' : 'unknown' }),
        workMs,
        totalMs:
          workMs +
          (sends !== undefined ? 86_400_000 : turn.after !== undefined ? 1_000_000 : turn.until !== undefined ? 300_000 : 500),
        told: {
          outputChars: 1_000,
          usage: { inputTokens: 1200, outputTokens: 300, costUsd: 0.01 },
          summary: '',
          saidHash: `s${iteration}`,
        },
      }
    },
    review(asked) {
      const key = asked.story ?? 'final'
      const { again } = asked as { again?: string }
      const judgement = world.reviews?.[key]?.[attemptOf(asked.iteration) + (again === undefined ? 0 : 1) - 1] ?? 'pass'
      const { result, ...silent } = aReview(asked)
      const passes = { ...silent, result: { ...result!, durationMs: silent.durationMs } }
      const refused = { ...passes.result, passed: false }
      switch (judgement) {
        case 'pass':
          return passes
        case 'refuse':
          return { ...passes, result: refused }
        case 'question':
          return { ...passes, result: refused, calls: { for: 'question', text: 'what is meant?' } }
        case 'unreadable':
          return { ...silent, problem: problemOf(readReview('no JSON in it', asked.review)) }
        case 'limit':
          return {
            ...silent,
            exit: 'failed',
            throttled: {
              kind: 'throttled',
              by: 'usage-limit',
              message: messages['usage-limit'],
              until: later(clock.now(), 60_000),
            },
          }
        case 'INT':
          clock.after(100, () => tell({ kind: 'stop.requested', by: 'SIGINT', now: true }))
          return { ...passes, durationMs: 86_400_000 }
      }
    },
    mutation: () => ({ tried: 0, killed: 0, survivors: [], problem: 'no changed line could be mutated' }),
    examination: () => ({ oldChecks: { failing: [] }, newChecks: { failing: [] } }),
    lessons: (story) => {
      const list = world.lessons?.[story] ?? []
      const lessons = list[Math.min(nth(`lesson ${story}`), list.length - 1)]
      return lessons === null ? unreadLesson : (lessons ?? 0)
    },
    gathered: () => ({
      lessons: Object.values(world.lessons ?? {})
        .flat()
        .reduce((sum: number, lessons) => sum + (lessons ?? 0), 0),
      due: world.skills ?? [],
    }),
    refusal: (now) => (world.hasOtherCalls && nth('refusal') === 0 ? { until: later(now, 1_000), by: 'rate' } : null),
    baselineAnswer: () => undefined,
    limitChoice: () => ({ choice: 'exit', by: 'silence' }),
    refusesCommit: () => world.hook === 'refuses' && nth('commit') === 0,
    changesCommit: () => false,
    hook: ({ hook }) => world.hooks?.[hook]?.[nth(`hook ${hook}`)] ?? { how: 'done', reason: '' },
    landing: (story) => world.landings?.[story]?.[nth(`landing ${story}`)] ?? 'good',
    isBehind: (story) => (calls.get(`landing ${story}`) ?? 0) > 0,
  }
}
