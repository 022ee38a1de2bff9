/** `ralph run --monitor`: the monitor next to the run in tmux, or in its place on the terminal. A separate process, for which the run never waits. */
import { spawn } from 'node:child_process'
import { hasTmux, openPane, runInSession } from '../../adapters/process/tmux.ts'
import { shippedPath } from '../../adapters/project/templates.ts'
import { signalExit } from '../../core/exit-codes.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import type { Io } from '../../io.ts'
import type { Project } from '../project.ts'
import type { Screen } from './screen.ts'

/** `session`: tmux is installed, and we are not in it. */
export type MonitorPlace = 'pane' | 'session' | 'terminal'

export function monitorPlace({ cwd, env, isAttended }: Io): MonitorPlace {
  if (!isAttended || env['TERM'] === 'dumb')
    throw new Failure(EXIT.usage, '--monitor needs a terminal. Remove it, and run "ralph monitor" in a terminal instead.')
  if (!hasTmux({ cwd, env })) return 'terminal'
  return env['TMUX'] ? 'pane' : 'session'
}

/** Runs the same command again inside tmux. null: tmux did not start. */
export async function runBeside(io: Io): Promise<number | null> {
  const { RALPH_LAUNCHER: _ours, ...env } = io.env // its parent there is tmux
  const words = [process.execPath, shippedPath('bin/ralph.js'), ...process.argv.slice(2)]
  const ended = await runInSession({ words, cwd: io.cwd, env }, (attach) =>
    io.out(`The run continues; this command waits for its end. Ctrl+C stops the run.\nBack to its screen: ${attach}\n`),
  )
  if (ended === null) return null
  io.raw(`${ended.screen.trimEnd()}\n`)
  if (!Number.isNaN(ended.exit)) return ended.exit
  throw new Failure(
    EXIT.fault,
    'The tmux session of the run was killed. "ralph status" shows its state, "ralph run" continues it.',
  )
}

export type OpenMonitor = { close(): Promise<void> }

export function openBeside(place: MonitorPlace, project: Project, io: Io, screen: Screen): OpenMonitor {
  const words = [process.execPath, shippedPath('bin/ralph.js'), 'monitor', '-f', project.feature]
  return place === 'pane' ? inPane(words, project, io, screen) : inPlace(words, project, io, screen)
}

/** The pane stays after the run, until its user leaves it. */
function inPane(words: string[], { root, home }: Project, { env }: Io, screen: Screen): OpenMonitor {
  // A tmux pane gets the environment of its server.
  const own = ['env', `RALPH_HOME=${home}`, ...(env['NO_COLOR'] ? [`NO_COLOR=${env['NO_COLOR']}`] : [])]
  const problem = openPane({ words: [...own, ...words], cwd: root, env }, process.stdout.columns ?? 80)
  if (problem !== null)
    screen.say('warn', `! tmux could not open a pane for the monitor (${problem}): start "ralph monitor" in another terminal`)
  return { close: () => Promise.resolve() }
}

/** Until the run ends or the user leaves: then the run's own lines are back, including those held back. */
function inPlace([program = '', ...args]: string[], { root }: Project, { env }: Io, screen: Screen): OpenMonitor {
  screen.hide()
  const child = spawn(program, args, { cwd: root, env: { ...env, RALPH_IN_PLACE: '1' }, stdio: 'inherit' })
  const end = (): void => void child.kill('SIGTERM')
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const over = (code: number | null): void => {
    process.off('exit', end)
    screen.show()
    resolve()
    // Raw keys carry no signals, so Ctrl+C is passed on here.
    if (code === signalExit.SIGINT) process.kill(process.pid, 'SIGINT')
  }
  process.on('exit', end)
  child.on('close', over)
  child.on('error', () => over(null))
  return {
    async close() {
      end()
      const timer = setTimeout(() => child.kill('SIGKILL'), lastMs)
      await closed
      clearTimeout(timer)
    },
  }
}

const lastMs = 3000
