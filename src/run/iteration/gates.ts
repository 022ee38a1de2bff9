/** Runs the gates of an iteration, or the final check, one after the other. */
import { type GateOptions, runGate } from '../../adapters/process/gate.ts'
import type { Gate, GateResult, Report, Scope } from '../../core/types.ts'
import { noticed } from '../noticed.ts'
import { type Deed, runTag, type Work } from '../parts.ts'
import { type CallDoors, doorsOf } from './call-result.ts'

/**
 * Where gates run, and who is informed. `beside`: a name, if another call of the iteration runs meanwhile: neither may end the other's processes.
 * `longest`: how long a gate may take, if that is less than the settings allow.
 */
export type GatesWorld = CallDoors &
  Pick<Work, 'root' | 'env' | 'screen'> &
  Pick<GateOptions, 'about'> & { beside?: string; longest?: LongestMs }
export type LongestMs = (gate: Pick<Gate, 'name' | 'story'>) => number

export async function runGates(
  world: GatesWorld,
  iteration: Scope,
  gates: Gate[],
  { report, stop }: Deed,
): Promise<GateResult[]> {
  const results: GateResult[] = []
  for (const gate of gates) {
    world.screen.gate(gate)
    const [softMs, hardMs] = limitsOf(world, gate.soft === true ? 'gates.quality_minutes' : 'gates.tests_minutes')
    const result = await runGate(gate, {
      cwd: world.root,
      env: world.env,
      ...doorsOf(world, iteration),
      ...(world.about === undefined ? {} : { about: world.about }),
      ...(world.beside === undefined ? {} : { tag: `${runTag(world, iteration)}:${world.beside}` }),
      softMs,
      timeoutMs: Math.min(hardMs, world.longest?.(gate) ?? hardMs),
      onSoft: () => report(slow(`gate ${gate.name}`, softMs, hardMs)),
      stop,
    })
    results.push({ ...result, ...(gate.story === undefined ? {} : { story: gate.story }), ...(gate.soft ? { soft: true } : {}) })
    if (result.ended === 'stopped') break
  }
  return results
}

export function limitsOf(
  { settings }: Pick<Work, 'settings'>,
  key: 'gates.tests_minutes' | 'gates.quality_minutes' | 'gates.review_minutes',
): [softMs: number, hardMs: number] {
  const [soft, hard] = settings[key]
  const unit = settings['defaults.timeout_multiplier'] * 60_000
  return [soft * unit, hard * unit]
}

export const slow = (what: string, softMs: number, hardMs: number): Report =>
  noticed('gate-slow', `${what} has run for ${softMs / 60_000} minutes; at ${hardMs / 60_000} it times out`)
