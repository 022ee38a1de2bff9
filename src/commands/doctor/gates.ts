/** The gates in `ralph doctor`: each runs once, and whatever is set around them is looked at. */

import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Git } from '../../adapters/git/git.ts'
import { noteOutsideRun } from '../../adapters/process/calls-outside-runs.ts'
import { setVariables } from '../../adapters/process/child-env.ts'
import { runGate } from '../../adapters/process/gate.ts'
import { projectConfig } from '../../adapters/project/layout.ts'
import type { Sandbox } from '../../adapters/sandbox/wrapped.ts'
import { findTestCommand } from '../../adapters/test-command/find.ts'
import { policyOf } from '../../config/policy.ts'
import type { LoadedSettings } from '../../config/sources.ts'
import { hardGates } from '../../core/decide/gates.ts'
import { Failure } from '../../core/failure.ts'
import { keyLines } from '../../core/proof/key-lines.ts'
import { howItFailed } from '../../core/proof/last-failure.ts'
import { isToolMissing } from '../../core/proof/missing-tool.ts'
import { sayDuration } from '../../core/text/time.ts'
import type { Gate, GateResult } from '../../core/types.ts'
import type { Io } from '../../io.ts'
import type { OnEmpty } from '../../rehearse/gates-on-empty.ts'
import { limitsOf } from '../../run/iteration/gates.ts'
import { openWorkLine } from '../../run/outputs/work-line.ts'
import { maskerOf } from '../../run/preflight/begin.ts'
import { openHeldOut } from '../../run/preflight/held-out.ts'
import { censusWords } from '../../views/proof.ts'
import { attempt, type DoctorFinding } from './finding.ts'

export type GatesPlace = {
  loaded: LoadedSettings
  root: string
  home: string
  git: Git | null
  sandbox: Sandbox | null
  io: Io
  stop: AbortSignal
}

export const gatesIn = ({ settings }: LoadedSettings): Gate[] => hardGates(policyOf(settings, undefined, false, { final: [] }))

export function noGateFinding(root: string, env: Io['env']): DoctorFinding {
  const { command } = findTestCommand(root, env) ?? {}
  const advice = `set one in ${projectConfig('')}: gates: { tests: ${command ?? 'your test command'} }`
  return { mark: '!', what: 'gates', found: 'none: whatever an agent does counts as done', advice }
}

/** A gate that cannot run stops a run before its first call; one that is red does not. */
export async function gateFindings(place: GatesPlace, say: (finding: DoctorFinding) => void): Promise<void> {
  const gates = gatesIn(place.loaded)
  const results: GateResult[] = []
  for (const gate of gates) {
    const result = await ranOnce(gate, place)
    if (result.ended === 'stopped') return
    results.push(result)
    say(gateFinding(result, gate, place.loaded.settings['gates.baseline'] === 'tolerate'))
  }
  if (results.every(({ passed }) => passed)) say(await emptiedFinding(place, gates, results))
}

function gateFinding(result: GateResult, { name, command }: Gate, isTolerant: boolean): DoctorFinding {
  const what = `gate ${name}`
  const counted = result.census === undefined ? '' : `, ${censusWords(result.census)}`
  if (result.passed) return { mark: '✓', what, found: `${command}: passed in ${sayDuration(result.durationMs)}${counted}` }
  const found = [`${command}: ${howItFailed(result)}`, ...keyLines(result.output).map((line) => `  ${line}`)].join('\n')
  if (!isToolMissing(result)) return { mark: '!', what, found, advice: 'it is red before any agent has worked: fix it first' }
  const advice = `install what is missing, or correct the command in ${projectConfig('')}`
  return isTolerant ? { mark: '!', what, found, advice } : { mark: '✗', what, found, advice }
}

async function ranOnce(gate: Gate, { loaded, root, home, sandbox, io, stop }: GatesPlace): Promise<GateResult> {
  const { settings } = loaded
  const run = `doctor-${process.pid}-${Date.now()}`
  const forget = noteOutsideRun(home, run)
  const logs = mkdtempSync(join(tmpdir(), 'ralph-doctor-'))
  const timeoutMs = limitsOf({ settings }, 'gates.tests_minutes')[1]
  const line = openWorkLine(`gate ${gate.name}`, timeoutMs, io)
  line.doing(gate.command)
  const env = setVariables(io.env)
  try {
    return await runGate(gate, {
      cwd: root,
      env,
      tag: run,
      timeoutMs,
      graceMs: settings['process.grace_seconds'] * 1000,
      keep: settings['process.keep'],
      logPath: join(logs, 'gate.log'),
      mask: maskerOf(env, settings),
      sandbox,
      stop,
    })
  } finally {
    line.end()
    forget()
    rmSync(logs, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Whether they can fail at all. Only tried with quick ones: they run once more. */
async function emptiedFinding(place: GatesPlace, gates: Gate[], results: GateResult[]): Promise<DoctorFinding> {
  const tookMs = results.reduce((sum, { durationMs }) => sum + durationMs, 0)
  const isTried = tookMs <= QUICK_GATES_MS && place.sandbox === null && place.git !== null
  switch (isTried ? await onEmptySources(place, gates) : 'unknown') {
    case 'pass':
      return {
        mark: '!',
        what: 'gates',
        found: 'pass with every source file emptied: they cannot fail',
        advice: '"ralph rehearse" shows what else would pass',
      }
    case 'fail':
      return { mark: '✓', what: 'gates', found: 'fail with every source file emptied, as they should' }
    case 'unknown':
      return { mark: '✓', what: 'gates', found: 'not tried with emptied sources', advice: '"ralph rehearse" tries to cheat them' }
  }
}

async function onEmptySources({ root, git, io }: GatesPlace, gates: Gate[]): Promise<OnEmpty> {
  if (git === null) return 'unknown'
  const { gatesOnEmpty } = await import('../../rehearse/gates-on-empty.ts')
  return gatesOnEmpty({ root: realpathSync(root), git, env: io.env }, gates, 2 * QUICK_GATES_MS)
}

const QUICK_GATES_MS = 3000

/** Exists, lies outside the project, and no agent can read it. Where it is stays untold: an agent may be asking. */
export async function heldOutFindings({ loaded, root, home, git, io }: GatesPlace): Promise<DoctorFinding[]> {
  if (loaded.settings['proof.held_out'].trim() === '') return []
  const what = 'held-out check'
  const opened = await attempt(() => openHeldOut(loaded, { root, home, git, env: io.env }))
  if (opened instanceof Failure) return [{ mark: '✗', what, found: opened.message }]
  if (opened.warning !== undefined) return [{ mark: '!', what, found: opened.warning }]
  const when = loaded.settings['proof.held_out_on'] === 'flip' ? 'for each story' : 'before the end of a run'
  const found = `runs ${when}; it is outside the project`
  if (loaded.settings['sandbox.kind'] !== 'none') return [{ mark: '✓', what, found: `${found}, and hidden by the sandbox` }]
  return [
    {
      mark: '!',
      what,
      found: `${found}, but no sandbox hides it: an agent that finds it can read it`,
      advice: 'set sandbox.kind: bwrap (see docs/sandbox.md)',
    },
  ]
}

export function mutantsFindings({ loaded, git }: GatesPlace): DoctorFinding[] {
  const most = loaded.settings['proof.mutants']
  if (most === 0) return []
  const minutes = loaded.settings['gates.quality_minutes'][1]
  const found = `at most ${most} per story, within ${minutes} min`
  if (git === null) return [{ mark: '!', what: 'mutants', found: `${found}; they need a git repository`, advice: 'git init' }]
  if (gatesIn(loaded).length === 0)
    return [{ mark: '!', what: 'mutants', found: `${found}, but no gate would notice one`, advice: 'set gates.tests' }]
  return [{ mark: '✓', what: 'mutants', found }]
}
