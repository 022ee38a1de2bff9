/** `ralph run --monitor`: the monitor beside the run in tmux, or in its place on the terminal. It is a process of its own: the run never waits for it. */
import { spawn } from 'node:child_process'
import { hasTmux, openPane, runInSession } from '../../adapters/process/tmux.ts'
import { shippedPath } from '../../adapters/project/templates.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import type { Io } from '../../io.ts'
import type { Project } from '../project.ts'
import type { Screen } from './screen.ts'

/** `session`: tmux is there, and we are not in it. */
export type MonitorPlace = 'pane' | 'session' | 'terminal'

export function monitorPlace({ cwd, env, isAttended }: Io): MonitorPlace {
  if (!isAttended || env['TERM'] === 'dumb')
    throw new Failure(
      EXIT.usage,
      '--monitor needs a terminal, and this is none: leave it out. "ralph monitor" in a terminal shows the run.',
    )
  if (!hasTmux({ cwd, env })) return 'terminal'
  return env['TMUX'] ? 'pane' : 'session'
}

/** The same command once more, inside tmux. null: tmux would not. */
export async function runBeside(io: Io): Promise<number | null> {
  const { RALPH_LAUNCHER: _ours, ...env } = io.env // its parent there is tmux
  const words = [process.execPath, shippedPath('bin/ralph.js'), ...process.argv.slice(2)]
  const ended = await runInSession({ words, cwd: io.cwd, env }, (attach) =>
    io.out(`The run goes on, and this command waits for its end. Ctrl+C stops it.\nBack to its screen: ${attach}\n`),
  )
  if (ended === null) return null
  io.out(`${ended.screen.trimEnd()}\n`)
  if (!Number.isNaN(ended.exit)) return ended.exit
  throw new Failure(
    EXIT.fault,
    'The tmux session of the run was killed. "ralph status" says where it stands, "ralph run" goes on.',
  )
}

export type OpenMonitor = { close(): Promise<void> }

export function openBeside(place: MonitorPlace, project: Project, io: Io, screen: Screen): OpenMonitor {
  const words = [process.execPath, shippedPath('bin/ralph.js'), 'monitor', '-f', project.feature]
  return place === 'pane' ? inPane(words, project, io, screen) : inPlace(words, project, io, screen)
}

/** The pane stays when the run has ended, until its user leaves it. */
function inPane(words: string[], { root, home }: Project, { env }: Io, screen: Screen): OpenMonitor {
  // tmux gives a pane the environment that its server was started in.
  const own = ['env', `RALPH_HOME=${home}`, ...(env['NO_COLOR'] ? [`NO_COLOR=${env['NO_COLOR']}`] : [])]
  const problem = openPane({ words: [...own, ...words], cwd: root, env }, process.stdout.columns ?? 80)
  if (problem !== null)
    screen.say('warn', `! tmux opened no pane for the monitor (${problem}): start "ralph monitor" in another terminal`)
  return { close: () => Promise.resolve() }
}

/** Until the run ends, or its user leaves: then the run's own lines are back, with those that were held back meanwhile. */
function inPlace([program = '', ...args]: string[], { root }: Project, { env }: Io, screen: Screen): OpenMonitor {
  screen.hide()
  const child = spawn(program, args, { cwd: root, env: { ...env, RALPH_IN_PLACE: '1' }, stdio: 'inherit' })
  const end = (): void => void child.kill('SIGTERM')
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const over = (code: number | null): void => {
    process.off('exit', end)
    screen.show()
    resolve()
    // Raw keys carry no signals: Ctrl+C is for us to pass on.
    if (code === interrupted) process.kill(process.pid, 'SIGINT')
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

const interrupted = 130
const lastMs = 3000
