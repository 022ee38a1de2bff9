/** tmux, if installed: a pane next to this one, or a session around a command. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readIfThere } from '../files/files.ts'
import { findProgram } from './program.ts'
import { isAlive } from './survivors.ts'

type Env = Record<string, string | undefined>
export type TmuxCommand = { words: string[]; cwd: string; env: Env }

export const hasTmux = ({ cwd, env }: Pick<TmuxCommand, 'cwd' | 'env'>): boolean => findProgram('tmux', cwd, env) !== null

/** Returns why there is no pane; null: it is open. Our own pane keeps the focus. */
export function openPane({ words, cwd, env }: TmuxCommand, columns: number): string | null {
  const pane = env['TMUX_PANE'] === undefined ? [] : ['-t', env['TMUX_PANE']]
  const side = columns >= wideColumns ? '-h' : '-v'
  // Never by number: users configure where numbering starts.
  const split = ['split-window', side, '-d', '-P', '-F', '#{pane_id}', ...pane, '-c', cwd, ...words]
  const { error, status, stdout, stderr } = spawnSync('tmux', split, { env, cwd, encoding: 'utf8' })
  if (error !== undefined) return error.message
  return status === 0 && stdout.startsWith('%') ? null : stderr.trim() || `exit ${status}`
}

/** Two screens of 80 columns and the line between them. */
const wideColumns = 161

/**
 * Runs a command in its own session, attached to this terminal, on its own server, so that it has our environment and none of the user's
 * settings. Returns its exit code and output; null: tmux did not start, and nothing ran.
 */
export async function runInSession({ words, cwd, env }: TmuxCommand, left: (attach: string) => void): Promise<TmuxEnd | null> {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-tmux-'))
  const socket = join(folder, 'tmux')
  const own = ['-u', '-S', socket, '-f', '/dev/null']
  const session = ['new-session', '-s', 'ralph', '-c', cwd, 'sh', '-c', inside, 'sh', folder, ...words]
  const pid = (): number => Number(readIfThere(join(folder, 'pid')) ?? 0)
  // The shell leads its own group, with the command in it.
  const unlisten = passOn((signal) => pid() > 0 && isAlive(pid()) && process.kill(-pid(), signal))
  try {
    await attached([...own, ...options.flatMap((option) => [...option, ';']), ...session], { cwd, env })
    if (pid() === 0) return null
    const code = (): string | null => readIfThere(join(folder, 'exit'))
    if (code() === null) left(`tmux -S ${socket} attach`)
    while (code() === null && isAlive(pid())) await pause(lookMs)
    return { exit: Number(code() ?? Number.NaN), screen: readIfThere(join(folder, 'screen')) ?? '' }
  } finally {
    unlisten()
    spawnSync('tmux', ['-S', socket, 'kill-server'], { env, stdio: 'ignore' })
    rmSync(folder, { recursive: true, force: true })
  }
}

/** `exit` is NaN if nobody survived to report it. */
export type TmuxEnd = { exit: number; screen: string }

const lookMs = 200
const hint = ' Ctrl+C stops the run | Ctrl+B o: other pane | Ctrl+B d: detach and wait for the end '
const options = [
  ['start-server'],
  ['set-option', '-g', 'history-limit', '50000'],
  ['set-option', '-s', 'escape-time', '25'],
  ['set-option', '-g', 'status-left-length', '200'],
  ['set-option', '-g', 'status-left', hint],
  ['set-option', '-g', 'status-right', ''],
  ['set-option', '-g', 'window-status-format', ''],
  ['set-option', '-g', 'window-status-current-format', ''],
]

/** The shell outlives the command and reports how it ended; then the session goes, with all its panes. */
const inside = `
folder=$1; shift
echo $$ > "$folder/pid"
trap : INT TERM HUP
"$@"
code=$?
trap '' INT TERM HUP
tmux capture-pane -p -J -S - -t "$TMUX_PANE" > "$folder/screen" 2> /dev/null
echo $code > "$folder/exit-new" && mv "$folder/exit-new" "$folder/exit"
tmux kill-session 2> /dev/null`

function attached(words: string[], { cwd, env }: Pick<TmuxCommand, 'cwd' | 'env'>): Promise<void> {
  // It reports problems itself, on its terminal.
  const client = spawn('tmux', words, { cwd, env, stdio: 'inherit' })
  return new Promise((resolve) => {
    client.on('error', () => resolve())
    client.on('close', () => resolve())
  })
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

function passOn(to: (signal: NodeJS.Signals) => void): () => void {
  for (const signal of signals) process.on(signal, to)
  return () => {
    for (const signal of signals) process.off(signal, to)
  }
}
