/** Runs the held-out check where no agent sees it: in a checkout that is removed afterwards, with its output outside the project. */
import { dirname } from 'node:path'
import { dropFile } from '../../adapters/files/files.ts'
import { layOver } from '../../adapters/files/lay-over.ts'
import type { What } from '../../adapters/git/checkout.ts'
import { runGate } from '../../adapters/process/gate.ts'
import { hardGates, isRed, withTolerance } from '../../core/decide/gates.ts'
import { endedFlight } from '../../core/evolve/flights.ts'
import { countingStories } from '../../core/plan/stories.ts'
import { type AskedStory, type HeldOutEnd, heldOutResult, unmetIn } from '../../core/proof/held-out.ts'
import { about } from '../../core/proof/receipt.ts'
import { isTestFile } from '../../core/tamper/code/languages.ts'
import type { Decision, Gate, GateResult, Scope } from '../../core/types.ts'
import { doorsOf } from '../iteration/call-result.ts'
import { limitsOf, slow } from '../iteration/gates.ts'
import type { Deed, HeldOut } from '../parts.ts'
import { type CheckedGates, checkGates, type GateFolders, withCheckout } from './gates-on-commit.ts'
import { heldOutLogPath } from './held-out-log.ts'

type GatesStarted = Extract<Decision, { kind: 'gates.started' }>

/** The gates, and then the held-out check if it is due and they let it matter. */
export async function checkAll(world: GateFolders, asked: GatesStarted, deed: Deed): Promise<CheckedGates> {
  const checked = await checkGates(world, asked, deed)
  if (asked.heldOut !== true) return checked
  const { ended } = endedFlight(deed.state, asked.iteration) ?? {}
  const left = new Set(world.settings['git.auto_commit'] ? (ended?.uncommitted ?? []) : [])
  const about = { iteration: asked.iteration, results: checked.results, what: (path: string) => left.has(path) }
  return { ...checked, results: await withHeldOut(world, about, deed) }
}

type Judged = { iteration: Scope; results: GateResult[]; what?: What }

/** `results` of the gates on the same content; `what`: which uncommitted files belong to it. It is not run where they have already decided. */
export async function withHeldOut(world: GateFolders, judged: Judged, deed: Deed): Promise<GateResult[]> {
  const { iteration, results } = judged
  const flips = endedFlight(deed.state, iteration)?.ended.flips ?? []
  const reds = withTolerance(results, deed.state).filter(isRed)
  const isOpen = flips.length === 0 ? reds.length === 0 : flips.some((id) => about(reds, id).length === 0)
  return isOpen ? [...results, await heldOutOn(world, judged, deed)] : results
}

async function heldOutOn(world: GateFolders, judged: Judged, deed: Deed): Promise<GateResult> {
  const { git, heldOut } = world
  const { iteration, what = () => false } = judged
  if (deed.stop.aborted) return heldOutResult(notRun('stopped'), [])
  if (git === null || heldOut === undefined) return heldOutResult(notRun('missing'), [])
  const logPath = heldOutLogPath(world, dirname(world.judges.folder), iteration)
  const lines: string[] = []
  const place = {
    what,
    isClean: deed.state.judgedIn === undefined || deed.state.judgedIn === 'clean',
    without: [...deed.state.hidden, ...(endedFlight(deed.state, iteration)?.ended.hidden ?? [])],
    isDiscarded: true,
  }
  const run = (here: GateFolders): Promise<HeldOutEnd> => runIn(here, { heldOut, judged, logPath, lines }, deed)
  const end = await withCheckout({ ...world, git }, place, deed, run).catch((error: Error) => {
    world.screen.say('warn', `  ! The held-out check could not run: ${error.message}`)
    return null
  })
  const { passed, ended } = end ?? notRun('missing')
  if (passed) dropFile(logPath)
  else if (ended !== 'stopped')
    world.screen.say('warn', `  ! The held-out check failed. Its output, which no agent gets: ${logPath}`)
  return heldOutResult(end ?? notRun('missing'), passed ? [] : unmetIn(lines.join('\n'), ...storiesOf(world, iteration, deed)))
}

const notRun = (ended: 'missing' | 'stopped'): HeldOutEnd => ({ passed: false, exitCode: null, ended, durationMs: 0 })

type HeldOutRun = { heldOut: HeldOut; judged: Judged; logPath: string; lines: string[] }

/** With tests of a folder, the hard gates run once more; the first that fails is the answer. */
async function runIn(here: GateFolders, { heldOut, judged, logPath, lines }: HeldOutRun, deed: Deed): Promise<HeldOutEnd> {
  const added = 'folder' in heldOut ? layOver(heldOut.folder, here.root) : []
  const gates = 'folder' in heldOut ? hardGates(deed.state.policy) : [{ name: 'held-out', command: heldOut.command }]
  const [softMs, timeoutMs] = limitsOf(here, 'gates.tests_minutes')
  const [, checked] = storiesOf(here, judged.iteration, deed)
  const results: GateResult[] = []
  for (const gate of gates) {
    here.screen.gate({ name: 'held-out', command: '' })
    const result = await runGate(gate, {
      cwd: here.root,
      env: { ...here.env, RALPH_STORIES: checked.map(({ id }) => id).join(' ') },
      ...doorsOf(here, judged.iteration),
      logPath,
      softMs,
      timeoutMs,
      onSoft: () => deed.report(slow('the held-out check', softMs, timeoutMs)),
      stop: deed.stop,
      isUnlisted: true,
      files: 'folder' in heldOut ? [] : heldOut.files,
      onLine: (line) => lines.length < mostLines && lines.push(line),
    })
    results.push(result)
    if (!result.passed) break
  }
  const durationMs = results.reduce((sum, result) => sum + result.durationMs, 0)
  const { passed = false, exitCode = null, ended = 'missing' } = results.at(-1) ?? {}
  if (!passed || !added.some(isTestFile) || hasMoreTests(gates, judged.results, results))
    return { passed, exitCode, ended, durationMs }
  here.screen.say('warn', '  ! The gates ran no test of the held-out folder. Put its tests where the gates look for tests.')
  return { ...notRun('missing'), durationMs }
}

/** What is read of its output. */
const mostLines = 20_000

/** Than without the folder, as far as they can be counted. */
function hasMoreTests(gates: Gate[], before: GateResult[], after: GateResult[]): boolean {
  const ran = (results: GateResult[], name: string): number | undefined => {
    const { census } = results.find((result) => result.name === name && result.story === undefined) ?? {}
    return census && census.passed + census.failed
  }
  const counted = gates.flatMap(({ name }) => {
    const [own, now] = [ran(before, name), ran(after, name)]
    return own === undefined || now === undefined ? [] : [now > own]
  })
  return counted.length === 0 || counted.includes(true)
}

/** All of the plan, and those that are checked: what was flipped, or all of them. */
function storiesOf(world: GateFolders, iteration: Scope, { state }: Deed): [all: AskedStory[], checked: AskedStory[]] {
  const texts = world.plan.current()?.texts ?? {}
  const counting = state.plan === null ? [] : countingStories(state.plan, state.policy)
  const all = counting.map(({ id }) => ({ id, criteria: texts[id]?.acceptanceCriteria ?? [] }))
  const flips = endedFlight(state, iteration)?.ended.flips ?? []
  return [all, flips.length === 0 ? all : all.filter(({ id }) => flips.includes(id))]
}
