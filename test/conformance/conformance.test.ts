/** What the simulator assumes is what the program does: in the same worlds the real hands and the simulated ones report the same. */
import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import { eventKinds } from '../../src/core/event-kinds.ts'
import type { Event, EventOf, Report } from '../../src/core/types.ts'
import { comparable } from './compare.ts'
import { realEvents } from './real.ts'
import { worlds } from './scenarios.ts'
import { simulatedEvents } from './simulated.ts'
import type { ConformanceWorld } from './world.ts'

/** Kinds of events that no world here has, and why. */
const byPerson = 'what a person asks for reaches the log without a hand'
const uncompared: Partial<Record<Event['kind'], string>> = {
  noticed: 'the simulator notices nothing: each world lists what the real hands notice',
  'lesson.retired': 'takes ten iterations with one lesson and no skill of it; a file is marked, and nothing comes back',
  'run.paused': 'nothing is done, and nothing comes back',
  'plan.changed': byPerson,
  'breaker.reset': byPerson,
  said: byPerson,
  unblocked: byPerson,
  'question.answered': byPerson,
  'finding.dismissed': 'a person says it, without a decision',
  'criterion.amended': 'follows an answer of a person, without a decision',
  'branch.created': 'written before a run begins; the simulator starts on its branch',
  'pull-request.started': 'follows the end of a run, or a command of a person',
  'pull-request.ended': 'follows the end of a run, or a command of a person',
  'pull-request.reviewed': 'follows a command of a person',
  'pull-request.answered': 'follows a command of a person',
  'pause.requested': byPerson,
  'resume.requested': byPerson,
  'story.retried': byPerson,
  'story.skipped': byPerson,
}

const begun = started()
const simulated = (world: ConformanceWorld, real: Event[], hears?: (fact: Report) => Report): Promise<Event[]> =>
  simulatedEvents(world, real[0] as EventOf<'run.started'>, hears)

const kinds = { real: new Set<string>(), simulated: new Set<string>() }

for (const [name, world] of Object.entries(worlds))
  test(name, async () => {
    const real = await begun.get(name)!
    const events = await simulated(world, real)
    for (const { kind } of real) kinds.real.add(kind)
    for (const { kind } of events) kinds.simulated.add(kind)
    assert.deepEqual(comparable(events), comparable(real))
    const notices = real.flatMap((event) => (event.kind === 'noticed' ? [event.what] : []))
    assert.deepEqual(notices, world.notices ?? [])
  })

test('every kind of event is compared, or it is said why not', () => {
  const compared = [...eventKinds].filter((kind) => kinds.real.has(kind) && kinds.simulated.has(kind))
  assert.deepEqual([...compared, ...Object.keys(uncompared)].sort(), [...eventKinds].sort())
})

const wrongHands: Record<string, { world: string; hears(fact: Report): Report }> = {
  'gates that are never red': {
    world: 'a red gate refuses a flip',
    hears: (fact) =>
      fact.kind === 'gates.ended' ? { ...fact, results: fact.results.map((result) => ({ ...result, passed: true })) } : fact,
  },
  'a look that sees nothing uncommitted': {
    world: 'what is left uncommitted is committed when its story passes',
    hears: (fact) => (fact.kind === 'iteration.ended' ? { ...fact, uncommitted: [] } : fact),
  },
  'a story that is put aside, and the tree is not as before': {
    world: 'a story that fails for good is put aside',
    hears: (fact) => (fact.kind === 'story.put-aside' ? { ...fact, repo: { ...fact.repo, tree: 'another' } } : fact),
  },
}
for (const [name, { world, hears }] of Object.entries(wrongHands))
  test(`a wrong hand is noticed: ${name}`, async () => {
    const real = await begun.get(world)!
    const lines = await simulated(worlds[world]!, real, hears).then(comparable, (error: Error) => [error.message])
    assert.notDeepEqual(lines, comparable(real))
  })

/** The real runs, one more at a time than there are cores: some wait. */
function started(): Map<string, Promise<Event[]>> {
  let free = Array.from({ length: availableParallelism() + 1 }, () => Promise.resolve<unknown>(null))
  const runs = new Map<string, Promise<Event[]>>()
  for (const [name, world] of Object.entries(worlds)) {
    const [first, ...others] = free
    const run = first!.then(() => realEvents(world))
    const over = run.catch(() => {})
    runs.set(name, run)
    free = [...others, over]
  }
  return runs
}
