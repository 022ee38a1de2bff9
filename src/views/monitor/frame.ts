/** What of the monitor fits on a screen of a given size: log and stories share the space that the rest leaves. */
import type { ScreenLine } from '../screen/line.ts'
import { helpLines, type MonitorView } from './keys.ts'
import type { Model } from './model.ts'

export type Size = { columns: number; rows: number }
export type Frame = {
  top: ScreenLine[]
  /** Side by side on a wide screen, otherwise stacked. */
  isWide: boolean
  stories: ScreenLine[]
  log: ScreenLine[]
  /** How many lines of the log are visible. */
  page: number
  foot: ScreenLine
}

const wideColumns = 110

export function frameOf(model: Model, view: MonitorView, { columns, rows }: Size, isInPlace = false): Frame {
  const isWide = columns >= wideColumns
  const all = [...model.head, ...model.now, ...model.bars, ...model.indicators]
  // One free line at the bottom, so that the terminal never scrolls; one for the footer, four for two titles with one line each.
  const top = all.slice(0, Math.max(1, rows - 6))
  const room = Math.max(2, rows - 2 - top.length)
  const forStories = isWide ? room : Math.min(model.stories.list.length + 1, Math.max(2, Math.floor(room * 0.4)))
  const page = Math.max(1, (isWide ? room : room - forStories) - 1)
  const scroll = Math.min(view.scroll, Math.max(0, model.log.length - page))
  const end = model.log.length - scroll
  return {
    top,
    isWide,
    stories: [model.stories.title, ...around(model.stories.list, model.stories.current, forStories - 1)],
    log: overLog(model, view, isInPlace)?.slice(0, page + 1) ?? [
      logTitle(model.log.length, scroll),
      ...model.log.slice(Math.max(0, end - page), end),
    ],
    page,
    foot: footOf(model, view, columns),
  }
}

/** Temporarily shown in place of the log. */
function overLog({ questions }: Model, { mode, chosen }: MonitorView, isInPlace: boolean): ScreenLine[] | undefined {
  if (mode === 'help')
    return [{ tone: 'strong', text: 'Help' }, ...helpLines(isInPlace).map((text): ScreenLine => ({ tone: 'plain', text }))]
  if (mode !== 'choose') return undefined
  const marked = Math.min(chosen, questions.length - 1)
  const list = questions.map(({ words }, place): ScreenLine => {
    const isMarked = place === marked
    return { tone: isMarked ? 'warn' : 'plain', text: `${isMarked ? '▸' : ' '} ${place + 1} ${words}` }
  })
  return [{ tone: 'strong', text: 'Questions' }, ...list]
}

/** As many as fit, including the current one, and how many are hidden. */
function around(list: ScreenLine[], current: number, room: number): ScreenLine[] {
  if (list.length <= room) return list
  const shown = Math.max(1, room - 1)
  const from = Math.max(0, Math.min(current - Math.floor(shown / 2), list.length - shown))
  const window = list.slice(from, from + shown)
  return room < 2 ? window : [...window, { tone: 'dim', text: `  ${from} before, ${list.length - from - shown} after` }]
}

const logTitle = (lines: number, scroll: number): ScreenLine => ({
  tone: 'strong',
  text: lines === 0 ? 'Log       nothing yet' : scroll === 0 ? 'Log' : `Log       ${scroll} lines below`,
})

function footOf(model: Model, { mode, text, message, asked }: MonitorView, columns: number): ScreenLine {
  switch (mode) {
    case 'choose':
      return { tone: 'warn', text: 'Which question? ↑↓ and Enter, or its number (Esc: none)' }
    case 'answer':
      return typing(
        `Answer to ${start(asked?.words ?? '', Math.max(20, Math.floor(columns / 2) - 20))} (Esc: no)> `,
        text,
        columns,
      )
    case 'say':
      return typing('Note for the next iteration (Esc: no)> ', text, columns)
    case 'stop':
      return { tone: 'warn', text: 'Stop the run after this iteration? y/n' }
    case 'help':
      return { tone: 'dim', text: 'any key: back · q leave' }
    case 'watch':
      return message === '' ? { tone: 'dim', text: keysOf(model).join(' · ') } : { tone: 'warn', text: message }
  }
}

/** Keys that have an effect now. */
const keysOf = ({ isLive, isPausing, questions }: Model): string[] => [
  ...(isLive ? [isPausing ? 'p resume' : 'p pause', 's stop'] : []),
  ...(questions.length > 0 ? ['a answer'] : []),
  'n note',
  '↑↓ log',
  'f feature',
  '? help',
  'q leave',
]

const typing = (before: string, text: string, columns: number): ScreenLine => ({
  tone: 'warn',
  text: `${before}${tail(text, Math.max(10, columns - before.length - 2))}▏`,
})

const start = (text: string, width: number): string => (text.length > width ? `${text.slice(0, width - 1)}…` : text)

/** People look at the end of what they typed. */
const tail = (text: string, width: number): string => (text.length > width ? `…${text.slice(1 - width)}` : text)
