/** A real terminal for tests: the built program inside tmux, and what its screen shows. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ralphProgram, type TestProject } from './project.ts'

export type Terminal = {
  /** The lines on the screen, without blanks at their ends. */
  lines(): string[]
  /** The same with its colours, as the terminal got them. */
  coloured(): string
  /** A key as tmux names it: w, C-c, Enter. */
  press(key: string): void
  /** What tmux says about it, by one of its format names: window_bell_flag. */
  told(name: string): string
  close(): void
}

/** Ends with a line such as "[exit 0]", and stays on the screen. */
export function openTerminal(project: TestProject, args: string[], size: { columns: number; rows: number }): Terminal {
  // Not in the project's folder: that may be gone before the terminal is.
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
    'new-session',
    '-d',
    '-c',
    project.root,
    '-x',
    `${size.columns}`,
    '-y',
    `${size.rows}`,
    `${command}; echo "[exit $?]"; read _`,
  )
  return {
    lines: () =>
      tmux('capture-pane', '-p')
        .split('\n')
        .map((line) => line.trimEnd()),
    coloured: () => tmux('capture-pane', '-p', '-e'),
    press: (key) => void tmux('send-keys', key),
    told: (name) => tmux('display-message', '-p', `#{${name}}`).trim(),
    close: () => {
      tmux('kill-server')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
