/** Runs the user's hooks: with the facts as variables and as JSON, shut in and cleaned up as gates are. */
import { runGate } from '../../adapters/process/gate.ts'
import { knownCost } from '../../core/figures/totals.ts'
import { storyNamed } from '../../core/plan/stories.ts'
import type { State } from '../../core/state.ts'
import { knownJson } from '../../core/text/json.ts'
import type { HookEnded } from '../../core/types/results.ts'
import type { Decision, GateResult, Report, Reporter } from '../../core/types.ts'
import { doorsOf } from '../iteration/call-result.ts'
import { type OwnWorld, restoreOwn } from '../iteration/restore-ralph-files.ts'
import type { Deed, Work } from '../parts.ts'

type HookStarted = Extract<Decision, { kind: 'hook.started' }>

export async function runHook(world: Work, started: HookStarted, { state, stop }: Deed): Promise<HookEnded> {
  const { settings, mask, env } = world
  const { hook, iteration, story } = started
  const input = mask.text(JSON.stringify(factsFor(world, started, state)))
  const result = await runGate(
    { name: `hook ${hook}`, command: settings['hooks'][hook] ?? '' },
    {
      ...doorsOf(world, iteration),
      cwd: world.root,
      env: { ...env, ...variables(knownJson<Facts>(input)), RALPH_FEATURE_DIR: world.dir },
      input: `${input}\n`,
      timeoutMs: settings['process.hook_seconds'] * settings['defaults.timeout_multiplier'] * 1000,
      stop,
    },
  )
  const how = howOf(result, hook.startsWith('before.'))
  const reason = reasonOf(result, how)
  return { hook, iteration, story, how, exitCode: result.exitCode, reason, durationMs: result.durationMs }
}

type Facts = Record<string, string | number | null>

/** Of the end of a run its story is nobody's; what it cost is what is known. */
function factsFor({ run, feature }: Work, { hook, iteration, story, because }: HookStarted, state: State): Facts {
  const stories = state.plan?.stories ?? []
  return {
    hook,
    at: state.at,
    run,
    feature,
    iteration: iteration === 'whole' ? null : iteration,
    story,
    title: storyNamed(state.plan, story)?.title ?? null,
    because,
    grade: story === null ? null : (state.stories[story]?.receipt?.proof?.grade ?? null),
    outcome: state.outcome?.outcome ?? null,
    passed: stories.filter(({ passes }) => passes).length,
    stories: stories.length,
    cost_usd: knownCost(state.totals),
  }
}

/** RALPH_HOOK, RALPH_HOOK_STORY and so on. */
const variables = (facts: Facts): Record<string, string> =>
  Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      name === 'hook' ? 'RALPH_HOOK' : `RALPH_HOOK_${name.toUpperCase()}`,
      value === null ? '' : String(value),
    ]),
  )

function howOf({ ended, exitCode }: GateResult, mayRefuse: boolean): HookEnded['how'] {
  if (ended !== 'exited') return ended
  if (exitCode === 126 || exitCode === 127) return 'missing'
  return exitCode === 0 ? 'done' : exitCode === 1 && mayRefuse ? 'refused' : 'failed'
}

/** What it printed last says why, if it said anything. */
function reasonOf({ output }: GateResult, how: HookEnded['how']): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const said = lines.slice(-lastLines).join('\n').slice(-longest)
  return said === '' && how === 'refused' ? 'it printed no reason' : said
}
const lastLines = 5
const longest = 500

/** After the end of the run: the log gets what was decided, and how it ended. */
export async function runLastHooks(
  world: OwnWorld,
  state: State,
  record: (fact: Report | Decision) => void,
  told: Reporter,
): Promise<void> {
  for (const due of (state.hooks?.due ?? []).filter(({ hook }) => hook === 'run.ended')) {
    const started = { kind: 'hook.started' as const, ...due }
    record(started)
    const ended = await runHook(world, started, { state, report: told, stop: new AbortController().signal })
    await restoreOwn(world, due.iteration, told, `the hook ${due.hook}`)
    record({ kind: 'hook.ended', ...ended })
  }
}
