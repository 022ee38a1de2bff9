/** Records the demo in a real terminal: what its screen shows, at a pace that people can read. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { bareEnvironment } from '../../test/support/real-agent.ts'
import { openTerminal } from '../../test/support/terminal.ts'
import { rowsOf } from './ansi.ts'
import type { Cast, Frame } from './cast.ts'

const demo = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'demo')
const size = { columns: 88, rows: 27 }
const prompt = '\x1b[1m\x1b[32m$\x1b[0m '
const typed = 'ralph run'
const longestMs = 90_000

export async function recordDemo(folder: string): Promise<Cast> {
  const [root, home] = [join(folder, 'roman-numerals'), join(folder, 'home')]
  cpSync(demo, root, { recursive: true })
  mkdirSync(home)
  const { NO_COLOR: _plain, CI: _ci, PATH, ...bare } = bareEnvironment(home)
  const env = { ...bare, PATH: `${dirname(process.execPath)}:${PATH}` }
  const git = (...args: string[]) => spawnSync('git', args, { cwd: root, env })
  git('init', '-q', '-b', 'main')
  git('config', 'user.name', 'Demo')
  git('config', 'user.email', 'demo@localhost')
  git('add', '-A')
  git('commit', '-q', '-m', 'A small project, and a plan for it')
  const terminal = openTerminal({ root, env }, ['run', '--no-archive'], size, { before: `printf '${prompt}${typed}\\n'; ` })
  const screens: Frame[] = []
  try {
    for (const began = Date.now(); ; await pause(60)) {
      const rows = rowsOf(terminal.coloured())
      const isOver = rows.some((row) => row.includes('[exit 0]'))
      if (rows.join('\n') !== screens.at(-1)?.rows.join('\n')) screens.push({ at: Date.now() - began, rows })
      if (isOver) break
      if (Date.now() - began > longestMs) throw new Error(`the demo has not ended after ${longestMs / 1000} s`)
    }
  } finally {
    terminal.close()
  }
  return paced(withoutWaits(screens.map((frame) => ({ ...frame, rows: withPrompt(frame.rows) }))))
}

/** The mark of the end belongs to the terminal of tests: a shell would show its prompt. */
const withPrompt = (rows: string[]): string[] => rows.map((row) => (row.includes('[exit 0]') ? prompt : row))

/** A busy machine turns the spinner longer on the same words: twice is enough. */
function withoutWaits(screens: Frame[]): Frame[] {
  const words = ({ rows }: Frame): string => rows.join('\n').replaceAll(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]|\d+:\d\d\//g, '')
  const isSame = (index: number, other: number): boolean => {
    const [one, two] = [screens[index], screens[other]]
    return one !== undefined && two !== undefined && words(one) === words(two)
  }
  return screens.filter((_, index) => !(isSame(index, index - 1) && isSame(index, index - 2)))
}

/** Letters are typed, new lines stay long enough to be read, the rest as it was; the end stays longest. */
function paced(screens: Frame[]): Cast {
  const letters = [...typed].map((_, index): Frame => ({ at: 400 + index * 70, rows: [`${prompt}${typed.slice(0, index + 1)}`] }))
  const frames: Frame[] = [{ at: 0, rows: [prompt] }, ...letters]
  let now = (letters.at(-1)?.at ?? 0) + 500
  for (const [index, { at, rows }] of screens.entries()) {
    frames.push({ at: now, rows })
    const [before, next] = [screens[index - 1], screens[index + 1]]
    const isNew = rows.length !== before?.rows.length || rows[0] !== before.rows[0]
    now += Math.max(isNew ? 400 : 90, Math.min(250, next === undefined ? 0 : next.at - at))
  }
  return { columns: size.columns, title: 'ralph run', frames, endMs: now + 6000 }
}
