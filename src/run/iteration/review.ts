/** One call of a reviewer: a fresh context that sees the story, its criteria and the diff, and changes nothing. */
import { join } from 'node:path'
import { givesOrders } from '../../adapters/agents/list.ts'
import { replaceFile } from '../../adapters/files/files.ts'
import type { Older } from '../../adapters/git/checkout.ts'
import { callAgent } from '../../adapters/process/agent-call.ts'
import { featureLabel, projectTemplates, specsFolder } from '../../adapters/project/layout.ts'
import { resultsOf } from '../../core/decide/gates.ts'
import { endedFlight } from '../../core/evolve/flights.ts'
import { noUsage, withPrice } from '../../core/figures/price.ts'
import { countingStories, listed, storyNamed } from '../../core/plan/stories.ts'
import { type Finding, wordsOf } from '../../core/proof/finding.ts'
import { foundByRules } from '../../core/proof/findings-of.ts'
import { type Survivor, survivorWords } from '../../core/proof/mutants/mutation.ts'
import { readReview, reviewResult, reviewSchema } from '../../core/review/answer.ts'
import type { Dismissed, EarlierReviews, LastReview } from '../../core/review/findings.ts'
import { reviewPrompt } from '../../core/review/prompt.ts'
import type { State } from '../../core/state.ts'
import type { ReviewEnded } from '../../core/types/results.ts'
import type { EventOf, ReviewFinding, Scope } from '../../core/types.ts'
import { beginningOf } from '../failure/checkpoint.ts'
import type { Deed } from '../parts.ts'
import { watchJudge } from '../preflight/users-settings.ts'
import type { World } from '../world.ts'
import { type CallResult, doorsOf, errorOf, exitOf, throttledIn, traceOfCall } from './call-result.ts'
import { limitsOf, slow } from './gates.ts'
import { changedOrders, checkoutFor, fromProject, type Look, undoJudgesChanges } from './guard-judge.ts'
import { ownBudgetEnd } from './iteration.ts'
import { costLeft } from './task.ts'
import { type Watching, watchCall } from './watch-call.ts'

type ReviewStarted = Omit<EventOf<'review.started'>, 'at' | 'run'>

export async function runReview(world: World, started: ReviewStarted, deed: Deed): Promise<ReviewEnded> {
  const { state, report } = deed
  const { iteration, review } = started
  const { agent, model } = world.agents.reviewer(started.agent, started.again !== undefined)
  const schema = {
    name: `review_${review}`,
    path: join(world.logs, `review-${review}.json`),
    schema: reviewSchema(review, {
      hasQuestions: suspicionsOf(state, iteration).length + survivorsFor(started, state).length > 0,
      hasEarlier: openBefore(started, state).length > 0,
    }),
  }
  // Codex reads it from there, and its provider takes only schemas that require every field.
  const strict = { ...schema.schema, required: Object.keys(schema.schema.properties) }
  replaceFile(schema.path, `${JSON.stringify(strict, null, 2)}\n`)
  const look = await checkoutFor(world, 'the reviewer', report, { older: ordersAtStart(world, state) })
  const orders = look.isShared ? await changedOrders(world, state) : []
  if (orders.length > 0) {
    await look.over()
    return withoutJudge(started, agent.name, orders)
  }
  const earlier = await earlierReviews(world, started, state, look)
  const prompt = world.mask.text(
    await promptFor(world, started, state, { look, earlier, hasSchema: agent.answersInSchema === true }),
  )
  const [softMs, hardMs] = limitsOf(world, review === 'quality' ? 'gates.quality_minutes' : 'gates.review_minutes')
  world.screen.gate({ name: review, command: `review by ${agent.name}${model === '' ? '' : ` (${model})`}` })
  const watching = watchCall(world, { iteration, agent, model }, deed)
  const writtenMeanwhile = watchJudge(world, iteration, report)
  const slowTimer = setTimeout(() => report(slow(`the ${review} review`, softMs, hardMs)), softMs)
  const call = await callAgent({
    agent: fromProject(agent, world),
    task: {
      prompt,
      cwd: look.cwd,
      model,
      env: { ...look.env, ...roleEnv(started, state), ...traceOfCall(world, started.call), RALPH_MODEL: model },
      isReadOnly: true,
      schema,
      ...costLeft(state, started),
    },
    ...doorsOf(world, iteration),
    sandbox: look.sandbox,
    timeoutMs: hardMs,
    stop: watching.stop,
    onHeard: watching.heard,
    isUsageWatched: watching.isUsageWatched,
    onEntry: (entry, transcript) => {
      watching.entry(entry, transcript)
      world.screen.entry(entry, transcript)
    },
  }).finally(() => {
    clearTimeout(slowTimer)
    watching.close()
  })
  const written = writtenMeanwhile()
  const changed = await undoJudgesChanges(world, look, { iteration, who: 'the reviewer' }, report)
  const common = {
    iteration,
    review,
    story: started.story,
    agent: agent.name,
    usage: withPrice(call.transcript.usage, call.transcript.model, { settings: world.settings, asked: model }),
    durationMs: call.end.durationMs,
    outputChars: call.transcript.outputChars,
  }
  watching.spent(common.usage)
  const throttled = throttledIn(world, call, agent)
  const meanwhile = { ...earlier, dismissed: dismissedOf(started, world.state()) }
  const answer = answered(world, started, call, { watching, throttled, changed, written, earlier: meanwhile })
  const seen = look.commit === undefined || answer.result?.findings === undefined ? {} : { seen: look.commit }
  return { ...common, ...seen, ...answer }
}

/** In the project itself these files would be its orders, and could even send it to another server: nobody is asked. */
function withoutJudge({ iteration, review, story }: ReviewStarted, agent: string, orders: string[]): ReviewEnded {
  const problem = `The reviewer was not asked: it has no checkout of its own, and ${listed(orders.slice(0, 5))}, which could give it instructions, changed since the run began. Free disk space for a checkout.`
  const result = reviewResult({ review, story, agent }, { ok: false, problem }, { durationMs: 0, how: 'exited' })
  return { iteration, review, story, agent, result, exit: 'ok', usage: noUsage, durationMs: 0, outputChars: 0 }
}

/** Instructions for agents, templates and specs are taken from the commit at which the run began: in the work under review they are the implementer's. */
function ordersAtStart({ feature }: Pick<World, 'feature'>, { home, users }: State): Older[] {
  const folders = [specsFolder(featureLabel(feature)), projectTemplates('')].map((folder) => `/${folder}/`)
  const isOrder = (path: string): boolean => givesOrders(path) || folders.some((folder) => `/${path}`.includes(folder))
  return home === undefined ? [] : [{ at: home.from, isOlder: (path) => isOrder(path) && !users.includes(path) }]
}

/** `changed`: what the reviewer itself did wrong. `written`: settings of agents that somebody else wrote to while it worked. */
type Meanwhile = {
  watching: Watching
  throttled: ReviewEnded['throttled']
  changed: string | null
  written: string[]
  earlier: EarlierReviews
}
type Answer = Pick<ReviewEnded, 'exit' | 'result' | 'problem' | 'throttled' | 'calls'>

function answered(
  world: Pick<World, 'mask'>,
  { review, story, agent }: ReviewStarted,
  call: CallResult,
  { watching, throttled, changed, written, earlier }: Meanwhile,
): Answer {
  const exit = (watching.ended() ?? ownBudgetEnd(call))?.exit ?? exitOf(call)
  const resultFor = (reading: Parameters<typeof reviewResult>[1], how: 'exited' | 'timeout' = 'exited') =>
    reviewResult({ review, story, agent }, reading, { durationMs: call.end.durationMs, how, earlier })
  if (exit === 'stopped' || exit === 'over-budget') return { exit }
  if (changed !== null) return { exit, result: resultFor({ ok: false, problem: changed }) }
  if (throttled !== undefined) return { exit, throttled }
  if (written.length > 0) return { exit, problem: otherSettings(written) }
  if (exit === 'timeout') return { exit, result: resultFor(null, 'timeout') }
  const reading = readReview(world.mask.text(call.transcript.finalMessage), review)
  if (!reading.ok) return { exit, problem: whyNoAnswer(call, watching, world) ?? reading.problem }
  const { verdict, reason } = reading.answer
  const calls = verdict === 'blocked' || verdict === 'question' ? { calls: { for: verdict, text: reason } } : {}
  return { exit, result: resultFor(reading), ...calls }
}

/** It may have asked another server, or had other orders. */
const otherSettings = (paths: string[]): string =>
  `${listed(paths)} changed while the reviewer worked, so it may not have reached your provider: its answer does not count.`

/** If it is not the answer's fault. */
function whyNoAnswer(call: CallResult, watching: Watching, world: Pick<World, 'mask'>): string | undefined {
  const ended = watching.ended()
  if (ended !== null) return `The reviewer was stopped: ${ended.because}`
  return exitOf(call) === 'failed' ? `The reviewer failed: ${world.mask.text(errorOf(call)).slice(0, 300)}` : undefined
}

async function promptFor(
  world: World,
  started: ReviewStarted,
  state: State,
  { look, earlier, hasSchema }: { look: Look; earlier: EarlierReviews; hasSchema: boolean },
): Promise<string> {
  const { review, story: id, again } = started
  const flight = endedFlight(state, started.iteration)
  const story = storyNamed(state.plan, id)
  const text = id === null ? undefined : world.plan.current()?.texts[id]
  const results = flight === undefined ? [] : resultsOf(state, flight)
  return reviewPrompt({
    kind: review,
    feature: world.feature,
    // The implementer writes notes too: they are its words, not the story's.
    story: story && text ? { id: story.id, title: story.title, ...text, notes: '' } : null,
    stories: state.plan === null ? [] : countingStories(state.plan, state.policy).map(({ id, title }) => ({ id, title })),
    diff: await diffFor(world, id, state),
    gates: results.map(({ name, command, passed }) => ({ name, command, passed })),
    weakened: wordsOf(suspicionsOf(state, started.iteration)),
    survivors: survivorsFor(started, state).map(survivorWords),
    ...(review === 'spec'
      ? { earlier: { ...earlier, since: earlier.changed === null ? null : seenBefore(started, state) } }
      : {}),
    missing: look.missing,
    isApart: !look.isShared,
    instructions: world.agents.orders[`review-${review}`],
    problem: again,
    hasSchema,
    promise: world.settings['completion.promise'],
  })
}

/** In the order in which the answers come back. */
function suspicionsOf(state: State, iteration: Scope): Finding[] {
  const flight = endedFlight(state, iteration)
  return flight === undefined ? [] : foundByRules(state, flight).filter(({ isCertain }) => isCertain !== true)
}

/** Whether tests are missing is a question about criteria. */
const survivorsFor = ({ review, iteration }: ReviewStarted, state: State): Survivor[] =>
  (review === 'spec' ? endedFlight(state, iteration)?.mutation?.survivors : undefined) ?? []

const lastReview = ({ review, story }: ReviewStarted, { stories }: State): LastReview | undefined =>
  review === 'spec' && story !== null ? stories[story]?.review : undefined

const openBefore = (started: ReviewStarted, state: State): ReviewFinding[] => lastReview(started, state)?.open ?? []
const seenBefore = (started: ReviewStarted, state: State): string | null => lastReview(started, state)?.seen ?? null
const dismissedOf = ({ story }: ReviewStarted, { stories }: State): Dismissed[] =>
  (story === null ? undefined : stories[story]?.dismissed) ?? []

/** What changed since is asked of git, whose commits nobody can change: one that an agent removed leaves the reviewer free. */
async function earlierReviews(
  { git }: Pick<World, 'git'>,
  started: ReviewStarted,
  state: State,
  { commit }: Pick<Look, 'commit'>,
): Promise<EarlierReviews> {
  const seen = seenBefore(started, state)
  const isKnown = git !== null && seen !== null && commit !== undefined
  return {
    open: openBefore(started, state),
    dismissed: dismissedOf(started, state),
    changed: isKnown ? await git.changedLines(seen, commit) : null,
  }
}

const maxDiffBytes = 100_000

/** The diff of a story since it began, or since the iteration that picked it; of everything since the feature began. */
async function diffFor(
  world: Pick<World, 'feature' | 'git' | 'place'>,
  story: string | null,
  state: State,
): Promise<Parameters<typeof reviewPrompt>[0]['diff']> {
  const { git } = world
  if (git === null) return null
  const { place } = world
  if (place !== undefined && story !== null) {
    const fork = (await git.forkOf('HEAD', place.onto ?? place.before.head ?? 'HEAD')) ?? 'HEAD'
    return { ...(await git.diffFrom(fork, maxDiffBytes)), base: `${story} began`, commit: fork }
  }
  const isBegun = story !== null && state.stories[story]?.isSaved === true
  const key = story === null ? wholeKey(world) : beginningOf(world, isBegun ? story : null)
  const commit = await git.savedAt(key)
  if (commit === null) return null
  const base = story === null ? 'the feature began' : isBegun ? `${story} began` : 'the iteration began'
  return { ...(await git.diffSince(key, maxDiffBytes)), base, commit }
}

/** The name under which the state before the feature is saved, for final reviews. */
export const wholeKey = (world: Pick<World, 'feature'>): string => `${world.feature}/.whole`

/** Once per feature, however many runs it takes. */
export async function saveWhole(world: Pick<World, 'feature' | 'git'>, before: State): Promise<void> {
  const { git } = world
  if (git !== null && (before.run === '' || !(await git.isSaved(wholeKey(world))))) await git.save(wholeKey(world))
}

function roleEnv({ iteration, review, story, again }: ReviewStarted, state: State): Record<string, string> {
  const attempt = state.flights.find((flight) => flight.iteration === iteration)?.attempt ?? 1
  return {
    RALPH_ROLE: 'reviewer',
    RALPH_REVIEW: review,
    RALPH_ITERATION: String(iteration),
    RALPH_STORY: story ?? '',
    RALPH_ATTEMPT: String(attempt),
    RALPH_TRY: again === undefined ? '1' : '2',
  }
}
