/** What the user's plugins and the marker file add to an iteration: evidence, claims and stops, by name. */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { askPlugin, type PluginAnswer, type PluginInput, type PluginOptions } from '../../adapters/plugins/plugins.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import type { Transcript } from '../../core/reading/transcript.ts'
import type { Ended, Scope, Signal } from '../../core/types.ts'
import { noticed } from '../noticed.ts'
import { type Deed, runTag, type Work } from '../parts.ts'

/** Plenty for inspecting some text, and nothing compared to an iteration. */
const pluginMs = 5000

type PluginsWorld = Pick<Work, 'root' | 'feature' | 'run' | 'settings' | 'env' | 'mask'>

/** Before the run: each plugin loads, or the user learns why not. */
export async function checkPlugins(world: PluginsWorld): Promise<void> {
  for (const file of world.settings['plugins']) {
    const answer = await askPlugin(file, undefined, optionsFor(world, 'whole', new AbortController().signal))
    if (answer === null || !('wrong' in answer)) continue
    throw new Failure(
      EXIT.config,
      `The plugin ${resolve(world.root, file)} ${answer.wrong}. Fix it (node ${file} may show more), or remove it from "plugins".`,
    )
  }
}

/** Distinguishes the current marker file from one written again; empty: none. */
export function markerOf(world: PluginsWorld): string {
  const file = world.settings['completion.marker_file']
  if (file === '') return ''
  try {
    const { ino, mtimeMs, size } = statSync(resolve(world.root, file))
    return `${ino} ${mtimeMs} ${size}`
  } catch {
    return ''
  }
}

export type SeenIteration = {
  transcript: Transcript
  story: string | null
  /** The marker file before the iteration. */
  marker: string
  logPath: string
}

/** A stopped iteration is not inspected. */
export async function withPlugins(
  world: PluginsWorld,
  ended: Ended,
  seen: SeenIteration,
  { report, stop }: Deed,
): Promise<Ended> {
  if (ended.exit === 'stopped') return ended
  const evidence: string[] = []
  const signals: Signal[] = []
  const marker = markerOf(world)
  if (marker !== '' && marker !== seen.marker) signals.push(markerClaim(world.settings['completion.marker_file']))
  for (const file of world.settings['plugins']) {
    const options = { ...optionsFor(world, ended.iteration, stop), logPath: seen.logPath }
    const answer = await askPlugin(file, inputFor(world, ended, seen), options)
    if (answer === null) continue
    if ('wrong' in answer) {
      const detail = `The plugin ${file} ${answer.wrong}. It is skipped in iteration ${ended.iteration}`
      report(noticed('plugin-failed', detail))
      continue
    }
    evidence.push(...answer.evidence.map((line) => `plugin ${answer.name}: ${line}`))
    signals.push(...signalsOf(answer))
  }
  if (evidence.length === 0 && signals.length === 0) return ended
  const added = signals.flatMap((signal) => ('evidence' in signal ? [signal.evidence] : []))
  return {
    ...ended,
    reading: { ...ended.reading, evidence: [...ended.reading.evidence, ...evidence, ...added] },
    signals: [...ended.signals, ...signals],
  }
}

const optionsFor = (world: PluginsWorld, iteration: Scope, stop: AbortSignal): PluginOptions => ({
  root: world.root,
  env: world.env,
  tag: runTag(world, iteration),
  timeoutMs: pluginMs * world.settings['defaults.timeout_multiplier'],
  graceMs: world.settings['process.grace_seconds'] * 1000,
  keep: world.settings['process.keep'],
  mask: world.mask,
  stop,
})

function inputFor(world: PluginsWorld, ended: Ended, { transcript, story }: SeenIteration): PluginInput {
  const { iteration, exit, usage } = ended
  return {
    message: transcript.finalMessage,
    feature: world.feature,
    iteration,
    story,
    exit,
    files: [...new Set([...(ended.files ?? []), ...ended.uncommitted])],
    transcript: {
      model: transcript.model,
      session: transcript.session,
      durationMs: ended.durationMs,
      outputChars: transcript.outputChars,
      edits: transcript.edits,
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      costUsd: usage.costUsd,
      errors: transcript.errors,
      denied: transcript.denied,
    },
  }
}

const markerClaim = (file: string): Signal => ({
  kind: 'claimed-done',
  by: 'marker',
  name: file,
  exitSignal: true,
  evidence: `marker file ${file} exists`,
})

function signalsOf({ name: plugin, claim, stop }: PluginAnswer): Signal[] {
  const signals: Signal[] = []
  if (claim) {
    const evidence = `plugin ${plugin} claims ${said(claim.name, claim.evidence)}`
    signals.push({ kind: 'claimed-done', by: 'plugin', name: claim.name, exitSignal: true, evidence })
  }
  if (stop) signals.push({ kind: 'stop', ...stop, evidence: `plugin ${plugin} stops: ${said(stop.name, stop.reason)}` })
  return signals
}

const said = (name: string, words: string): string => (words === '' ? name : `${name}: ${words}`)
