/** A run as spans: what it did, when, within what, and what came of it. A fold of its log, so that a run that goes on after a kill goes on here too. */
import { judgedFlight } from '../../core/evolve/flights.ts'
import type { State } from '../../core/state.ts'
import { later } from '../../core/text/time.ts'
import type { Event, EventOf, GateResult, Instant, Role, Scope, Usage } from '../../core/types.ts'

export type SpanFacts = Record<string, string | number | boolean>
/** `key`: the same in every fold of the log; `within`: the key of the span around it; `isCall`: another program does it. */
export type LogSpan = {
  key: string
  within: string | null
  name: string
  isCall?: true
  startedAt: Instant
  endedAt: Instant
  facts: SpanFacts
  /** Why it did not do what it was for. */
  problem?: string
}

type OpenSpan = Omit<LogSpan, 'endedAt'>
/** `isAgain`: there may be more than one of its name, so its time is in its key. */
type SpanStart = Omit<OpenSpan, 'within'> & { within?: string; isAgain?: true }

export type SpanFold = {
  /** The spans that end with this event. `before`: the state before it. */
  add(event: Event, before: State): LogSpan[]
}

const wholeRun = 'run'

export function spanFold(): SpanFold {
  let open = new Map<string, OpenSpan>()
  let agents = new Map<number, string>()
  let calls = new Map<number, number>()

  const start = ({ isAgain, within: around = wholeRun, ...span }: SpanStart): LogSpan[] => {
    const key = isAgain ? `${span.key} ${span.startedAt}` : span.key
    open.set(span.key, { ...span, key, within: open.get(around)?.key ?? null })
    return []
  }
  const end = (key: string, at: Instant, facts: SpanFacts = {}, problem?: string): LogSpan[] => {
    const span = open.get(key)
    if (span === undefined) return []
    open.delete(key)
    const endedAt = at < span.startedAt ? span.startedAt : at
    return [{ ...span, endedAt, facts: { ...span.facts, ...facts }, ...(problem === undefined ? {} : { problem }) }]
  }
  const within = (iteration: Scope): string => (open.has(keyOf(iteration)) ? keyOf(iteration) : wholeRun)
  const part = (event: { at: Instant; iteration: Scope }, key: string, name: string, facts: SpanFacts = {}): LogSpan[] =>
    start({ isAgain: true, key, within: within(event.iteration), name, startedAt: event.at, facts })
  const call = (event: Event & { call: number }, role: Role, around: string, facts: SpanFacts = {}): LogSpan[] => {
    const agent = agents.get(event.call) ?? ''
    const called = {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': agent,
      'gen_ai.provider.name': providerOf(agent),
    }
    const key = callKey(event.call)
    return start({
      ...{ key, within: around, name: `invoke_agent ${agent}`, isCall: true, startedAt: event.at },
      facts: { ...called, 'ralph.role': role, ...facts },
    })
  }

  const add = (event: Event, before: State): LogSpan[] => {
    const { at } = event
    switch (event.kind) {
      case 'run.started':
        open = new Map()
        agents = new Map()
        calls = new Map()
        return start({
          ...{ key: wholeRun, name: 'run', startedAt: at },
          facts: { 'ralph.run': event.run, 'ralph.feature': event.feature, 'ralph.stories': event.plan?.stories.length ?? 0 },
        })
      case 'run.resumed': // what ran then is made again; an iteration gets its own end
        return [...open.keys()].flatMap((key) =>
          /^(run|iteration|call)\b/.test(key) && !isRoleCall(key, calls) ? [] : end(key, at, {}, 'lost to a kill'),
        )
      case 'call.requested':
        agents.set(event.call, event.agent)
        return []
      case 'iteration.started': {
        const { iteration, story, attempt, mode } = event
        const facts = { 'ralph.iteration': iteration, 'ralph.story': story ?? '', 'ralph.attempt': attempt, 'ralph.mode': mode }
        start({ key: keyOf(iteration), name: 'iteration', startedAt: at, facts })
        if (mode === 'check') return []
        calls.set(iteration, event.call)
        return call(event, 'implementer', keyOf(iteration), { 'ralph.story': story ?? '' })
      }
      case 'iteration.ended': {
        const { usage, exit, model, session, tools } = event
        const more = {
          ...usageFacts(usage),
          'ralph.exit': exit,
          ...(model === undefined ? {} : { 'gen_ai.request.model': model }),
          ...(session === undefined ? {} : { 'gen_ai.conversation.id': session }),
          ...(tools === undefined ? {} : { 'ralph.tools': tools }),
        }
        const isGood = exit === 'ok'
        return end(
          `call ${calls.get(event.iteration)}`,
          at,
          isGood ? more : { ...more, 'error.type': exit },
          isGood ? undefined : exit,
        )
      }
      case 'gates.started':
        return part(event, `gates ${event.iteration}`, 'gates')
      case 'gates.ended':
        return gatesEnded(event)
      case 'review.started':
        return call(event, 'reviewer', within(event.iteration), {
          'ralph.review': event.review,
          'ralph.story': event.story ?? '',
        })
      case 'review.ended': {
        const { result, exit, usage } = event
        const key = [...open.values()].find(
          ({ facts }) =>
            facts['ralph.role'] === 'reviewer' &&
            facts['ralph.review'] === event.review &&
            facts['ralph.story'] === (event.story ?? ''),
        )?.key
        const said: SpanFacts = result === undefined ? {} : { 'ralph.passed': result.passed }
        return end(
          key ?? '',
          at,
          { ...usageFacts(usage), ...said, 'ralph.exit': exit },
          event.problem ?? (exit === 'ok' ? undefined : exit),
        )
      }
      case 'learning.started':
        return call(event, 'learner', wholeRun, { 'ralph.story': event.story })
      case 'skill.started':
        return call(event, 'learner', wholeRun, { 'ralph.skill': event.category })
      case 'learning.ended':
      case 'skill.ended': {
        const key = [...open.values()].find(({ facts }) => facts['ralph.role'] === 'learner')?.key
        return end(key ?? '', at, usageFacts(event.usage), event.problem)
      }
      case 'examination.started':
        return part(event, `examination ${event.iteration}`, 'cross-examination')
      case 'examination.ended':
        return end(`examination ${event.iteration}`, at, {}, event.problem)
      case 'mutants.started':
        return part(event, `mutants ${event.iteration}`, 'mutants')
      case 'mutants.ended':
        return end(`mutants ${event.iteration}`, at, { 'ralph.tried': event.tried, 'ralph.killed': event.killed }, event.problem)
      case 'landing.started':
        return part(event, `landing ${event.iteration}`, 'landing', { 'ralph.story': event.story })
      case 'landing.ended': {
        const red = event.results.find(({ passed }) => !passed)
        return end(`landing ${event.iteration}`, at, { 'ralph.landed': red === undefined }, red && `${red.name} failed`)
      }
      case 'hook.started':
        return part(event, `hook ${event.hook}`, `hook ${event.hook}`)
      case 'hook.ended':
        return end(`hook ${event.hook}`, at, { 'ralph.how': event.how }, event.how === 'done' ? undefined : event.how)
      case 'wait.started':
        return start({ isAgain: true, key: 'wait', name: 'wait', startedAt: at, facts: { 'ralph.for': event.for } })
      case 'wait.ended':
        return end('wait', at)
      case 'iteration.settled': {
        const { verdict, progress, passed } = judgedFlight(before, event.iteration)?.judged ?? {}
        const facts = { 'ralph.verdict': verdict ?? '', 'ralph.progress': progress ?? '', 'ralph.passed': passed?.length ?? 0 }
        return end(keyOf(event.iteration), at, facts, verdict === 'failed' ? 'failed' : undefined)
      }
      case 'run.ended': {
        const left = [...open.keys()].filter((key) => key !== wholeRun).flatMap((key) => end(key, at, {}, 'cut short'))
        const { totals, plan } = before
        const facts = {
          'ralph.outcome': event.outcome,
          'ralph.passed': plan?.stories.filter(({ passes }) => passes).length ?? 0,
          'ralph.iterations': totals.iterations,
          'ralph.cost_usd': totals.costUsd,
        }
        return [...left, ...end(wholeRun, at, facts, event.outcome === 'complete' ? undefined : event.outcome)]
      }
      default:
        return []
    }
  }

  /** They ran one after the other. */
  const gatesEnded = ({ iteration, results, at }: EventOf<'gates.ended'>): LogSpan[] => {
    const around = open.get(`gates ${iteration}`)
    if (around === undefined) return []
    let startedAt = around.startedAt
    const each = results.map((result, index): LogSpan => {
      const begun = startedAt
      startedAt = later(begun, result.durationMs)
      return gateSpan(result, { key: `${around.key} ${index}`, within: around.key, startedAt: begun, endedAt: startedAt })
    })
    const red = results.filter(({ passed, soft, tolerated }) => !passed && soft !== true && tolerated !== true)
    const problem = red.length === 0 ? undefined : `${red.map(({ name }) => name).join(', ')} failed`
    return [...each, ...end(`gates ${iteration}`, at, { 'ralph.gates': results.length }, problem)]
  }

  return { add }
}

/** The key of a call's span, by its number. */
export const callKey = (call: number): string => `call ${call}`

const keyOf = (iteration: Scope): string => `iteration ${iteration}`

/** Not an iteration's own call: nobody says how it ended. */
const isRoleCall = (key: string, calls: Map<number, number>): boolean =>
  key.startsWith('call ') && ![...calls.values()].some((call) => key === `call ${call}`)

function gateSpan(
  { name, passed, exitCode, ended, kind }: GateResult,
  rest: Pick<LogSpan, 'key' | 'within' | 'startedAt' | 'endedAt'>,
): LogSpan {
  const facts = {
    'ralph.gate': name,
    'ralph.kind': kind,
    'ralph.passed': passed,
    ...(exitCode === null ? {} : { 'process.exit.code': exitCode }),
  }
  return { ...rest, name: `gate ${name}`, facts, ...(passed ? {} : { problem: ended === 'exited' ? 'failed' : ended }) }
}

/** Names of the GenAI conventions; what an agent does not tell is absent, never 0. */
function usageFacts({ inputTokens, outputTokens, costUsd, cacheReadTokens, cacheWriteTokens }: Usage): SpanFacts {
  const isTold = inputTokens + outputTokens > 0
  return {
    ...(isTold ? { 'gen_ai.usage.input_tokens': inputTokens, 'gen_ai.usage.output_tokens': outputTokens } : {}),
    ...(cacheReadTokens === undefined ? {} : { 'gen_ai.usage.cache_read.input_tokens': cacheReadTokens }),
    ...(cacheWriteTokens === undefined ? {} : { 'gen_ai.usage.cache_creation.input_tokens': cacheWriteTokens }),
    ...(costUsd === null ? {} : { 'ralph.cost_usd': costUsd }),
  }
}

/** Well-known names of the convention; an agent of many providers goes by its own. */
const providerOf = (agent: string): string => providers[agent.split(':')[0] ?? ''] ?? (agent === '' ? 'unknown' : agent)
const providers: Record<string, string> = { claude: 'anthropic', codex: 'openai', gemini: 'gcp.gemini', grok: 'x_ai' }
