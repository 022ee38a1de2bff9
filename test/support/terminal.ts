/** A real terminal for tests: the built program inside tmux, and the content of its screen. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ralphProgram, type TestProject } from './project.ts'

export type Terminal = {
  /** The lines on the screen, or in one of its panes, without trailing blanks. */
  lines(pane?: string): string[]
  /** The same with colours. */
  coloured(): string
  /** A key by its tmux name: w, C-c, Enter. */
  press(key: string, pane?: string): void
  /** Their names for tmux, oldest first. */
  panes(): string[]
  /** As by a person who drags the window's corner. */
  resize(columns: number, rows: number): void
  /** A tmux format value: window_bell_flag. */
  told(name: string): string
  close(): void
}

/** `set`: tmux options. `before`: shell commands before the program. */
export type Around = { set?: string[][]; before?: string }

/** Ends with a line such as "[exit 0]", and stays on the screen. */
export function openTerminal(
  project: Pick<TestProject, 'root' | 'env'>,
  args: string[],
  size: { columns: number; rows: number },
  { set = [], before = '' }: Around = {},
): Terminal {
  // Not in the project's folder, which may be removed before the terminal.
  const folder = mkdtempSync(join(tmpdir(), 'ralph-terminal-'))
  const { TERM: _terminal, ...env } = project.env
  const tmux = (...words: string[]): string => {
    const own = ['-u', '-S', join(folder, 'tmux'), '-f', '/dev/null', ...words]
    const { status, stdout, stderr } = spawnSync('tmux', own, {
      cwd: folder,
      env: { ...env, TERM: 'xterm' },
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`tmux ${words.join(' ')}: ${stderr}`)
    return stdout
  }
  const command = [process.execPath, ralphProgram, ...args].map((word) => `'${word}'`).join(' ')
  tmux(
    'start-server',
    ...set.flatMap((option) => [';', 'set-option', '-g', ...option]),
    ';',
    'new-session',
    '-d',
    '-c',
    project.root,
    '-x',
    `${size.columns}`,
    '-y',
    `${size.rows}`,
    `${before}${command}; echo "[exit $?]"; read _`,
  )
  return {
    lines: (pane) =>
      tmux('capture-pane', '-p', ...at(pane))
        .split('\n')
        .map((line) => line.trimEnd()),
    coloured: () => tmux('capture-pane', '-p', '-e'),
    press: (key, pane) => void tmux('send-keys', ...at(pane), key),
    panes: () => tmux('list-panes', '-F', '#{pane_id}').trim().split('\n'),
    resize: (columns, rows) => void tmux('resize-window', '-x', `${columns}`, '-y', `${rows}`),
    told: (name) => tmux('display-message', '-p', `#{${name}}`).trim(),
    close: () => {
      tmux('kill-server')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const at = (pane: string | undefined): string[] => (pane === undefined ? [] : ['-t', pane])
