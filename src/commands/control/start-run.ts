/** Starts a run of the ordinary program that outlives the one that asks for it, and says how that went. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readTail } from '../../adapters/files/tail.ts'
import { ralphHome } from '../../adapters/project/find.ts'
import { eventLogPath } from '../../adapters/project/layout.ts'
import { shippedPath } from '../../adapters/project/templates.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import { plain } from '../../core/text/plain.ts'
import type { Io } from '../../io.ts'
import { liveIn } from '../../run/history/live-run.ts'

type Located = { root: string; dir: string; feature: string }

/** `output`: the file with what it prints. */
export type RunStart = { state: 'started' | 'starting'; output: string }

export const startWords = ({ state, output }: RunStart, feature: string, until: string): string =>
  state === 'started'
    ? `Started a run of ${feature}. It continues when ${until}.`
    : `The run of ${feature} is starting. Its output: ${output}`

/** Returns when the run has begun, has been refused, or takes longer than a person waits. `options`: of `ralph run`. */
export async function startRun({ root, dir, feature }: Located, options: string[], io: Io): Promise<RunStart> {
  const live = liveIn(root)
  if (live !== null)
    throw new Failure(EXIT.usage, `${live.feature} is already running in this project. Stop it first, or wait for its end.`)
  const said = outputPath(io.env, dir)
  const before = sizeOf(eventLogPath(dir))
  const output = openSync(said, 'w', 0o600)
  const child = spawn(process.execPath, [shippedPath('bin/ralph.js'), 'run', '-f', feature, ...options], {
    cwd: root,
    env: io.env,
    stdio: ['ignore', output, output],
    detached: true,
  })
  closeSync(output)
  child.unref()
  let exit: number | null | undefined
  child.once('exit', (code) => (exit = code))
  child.once('error', (error) => {
    exit = null
    io.err(`! ${error.message}\n`)
  })
  for (const end = Date.now() + longestMs; Date.now() < end; await pause(lookMs)) {
    if (sizeOf(eventLogPath(dir)) > before) return { state: 'started', output: said }
    if (exit !== undefined) throw new Failure(EXIT.usage, refusalIn(said) || `The run ended at once (exit ${exit}).`)
  }
  return { state: 'starting', output: said }
}

const longestMs = 30_000
const lookMs = 50

/** What the last run that was started from here printed. */
function outputPath(env: NodeJS.ProcessEnv, dir: string): string {
  const folder = join(ralphHome(env), 'started')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return join(folder, `${createHash('sha256').update(dir).digest('hex').slice(0, 16)}.txt`)
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

const refusalIn = (path: string): string =>
  plain(readTail(path, 12))
    .replace(/^ralph: /m, '')
    .trim()
