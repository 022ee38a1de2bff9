/** What of the monitor fits on a screen of a given size: stories and logs share the space that the rest leaves. */
import type { ScreenLine } from '../screen/line.ts'
import { cutTo, widthOf, wrapped } from '../terminal/wrap.ts'
import { helpLines, type MonitorView } from './keys.ts'
import type { Model, MonitorPane } from './model.ts'
import { type StoryDetail, tableOf } from './stories.ts'

export type Size = { columns: number; rows: number }
/** `isChosen`: the one that Enter opens. */
export type FrameLine = ScreenLine & { isChosen?: boolean }
export type Frame = {
  top: FrameLine[]
  /** Side by side on a wide screen, otherwise stacked. */
  isWide: boolean
  /** Columns of the left part. */
  left: number
  stories: FrameLine[]
  log: FrameLine[]
  /** How many lines of a log are visible. */
  page: number
  foot: FrameLine
}

const wideColumns = 118

export function frameOf(model: Model, view: MonitorView, { columns, rows }: Size, isInPlace = false): Frame {
  const isOpened = model.opened !== null && view.opened !== null
  const isAlone = isOpened || view.mode === 'help'
  const isWide = columns >= wideColumns && !isAlone
  const left = isWide ? Math.max(68, Math.floor(columns * 0.5)) : columns
  // One free line at the bottom, so that the terminal never scrolls; one for the footer, four for two titles with one line each.
  const above = topLines(model, view, columns).slice(0, Math.max(1, rows - 6))
  const top: FrameLine[] = rows < 30 ? above : [...above, { tone: 'plain', text: '' }]
  const room = Math.max(2, rows - 2 - top.length)
  const forStories = isAlone
    ? 0
    : isWide
      ? room
      : Math.min(model.stories.rows.length + 1, Math.max(2, Math.floor(room * (model.panes.length > 1 ? 0.35 : 0.45))))
  const forLog = isWide ? room : room - forStories
  const over = overLog(model, view, isInPlace, isWide ? columns - left : columns)
  const shown =
    over !== undefined
      ? { log: over.slice(0, forLog), page: Math.max(1, forLog - 1) }
      : isOpened && model.opened !== null
        ? openedLines(model.opened, view, forLog, columns)
        : panesLines(model.panes, view, forLog, isWide ? columns - left : columns)
  return {
    top,
    isWide,
    left,
    stories: isAlone ? [] : storyLines(model, view, left - (isWide ? 2 : 0), forStories),
    ...shown,
    foot: footOf(model, view, columns),
  }
}

/** A question is shown whole: somebody decides by it. While one is answered, the others wait. */
function topLines({ head, now, indicators, questions }: Model, { mode, asked }: MonitorView, columns: number): ScreenLine[] {
  const rowsOf = ({ tone, text }: ScreenLine): ScreenLine[] =>
    wrapped(text, columns, hangs.exec(text)?.[0].length ?? 0).map((row) => ({ tone, text: row }))
  const shown = mode === 'answer' && asked !== null ? [asked] : questions
  const asks = shown.flatMap(({ words }, place) => {
    const rows = wrapped(`Asks      ${words}`, columns, 10).map((text): ScreenLine => ({ tone: 'warn', text }))
    return place === 0 || rows.length === 1 ? rows : [{ tone: 'warn' as const, text: cutTo(`Asks      ${words}`, columns) }]
  })
  const [first, ...more] = head
  return [...(first === undefined ? [] : rowsOf(first)), ...more.flatMap(rowsOf), ...asks, ...now, ...indicators.flatMap(rowsOf)]
}

const hangs = /^(?:Estimate|Breaker) {2,}/

function storyLines({ stories }: Model, view: MonitorView, width: number, room: number): FrameLine[] {
  const { rows, current } = stories
  if (rows.length === 0) return [{ tone: 'strong', text: 'No stories' }]
  const { head, lines } = tableOf(rows, width)
  const at = rows.findIndex(({ id }) => id === view.story)
  const marked = lines.map((line, place): FrameLine => (place === at ? { ...line, isChosen: true } : line))
  return [{ tone: 'dim', text: head }, ...around(marked, at === -1 ? current : at, room - 1)]
}

/** Each worker has its own part. */
function panesLines(panes: MonitorPane[], view: MonitorView, room: number, columns: number): { log: FrameLine[]; page: number } {
  const shown = panes.slice(0, Math.max(1, Math.floor(room / 3)))
  const heights = shown.map((_, place) => Math.floor(room / shown.length) + (place < room % shown.length ? 1 : 0))
  const log = shown.flatMap(({ title, log: lines }, place) =>
    logLines({ title, log: wholeLines(lines, columns) }, view, heights[place] ?? 2),
  )
  return { log, page: Math.max(1, (heights[0] ?? 2) - 1) }
}

/** What an agent says is wrapped; tools and the rest are cut. */
const wholeLines = (lines: ScreenLine[], columns: number): ScreenLine[] =>
  lines.flatMap(({ tone, text }): ScreenLine[] =>
    tone === 'plain' ? wrapped(text, columns).map((row) => ({ tone, text: row })) : [{ tone, text }],
  )

function logLines({ title, log: lines }: MonitorPane, view: MonitorView, room: number): FrameLine[] {
  const page = Math.max(1, room - 1)
  const scroll = Math.min(view.scroll, Math.max(0, lines.length - page))
  const end = lines.length - scroll
  const note = lines.length === 0 ? ': nothing yet' : scroll === 0 ? '' : `: ${scroll} lines below`
  return [{ tone: 'strong', text: `${title}${note}` }, ...lines.slice(Math.max(0, end - page), end)]
}

/** One story: its iterations, the error of the chosen one, and its log. */
function openedLines(opened: StoryDetail, view: MonitorView, room: number, columns: number): { log: FrameLine[]; page: number } {
  const rows = opened.iterations.map(({ iteration, shown }): FrameLine => {
    const isChosen = iteration === opened.chosen
    return { tone: shown.tone, text: cutTo(`${isChosen ? '▸' : ' '} ${shown.text}`, columns), isChosen }
  })
  const at = opened.iterations.findIndex(({ iteration }) => iteration === opened.chosen)
  const forList = Math.max(1, Math.min(rows.length, Math.floor(room * 0.3)))
  const list = rows.length === 0 ? [{ tone: 'dim' as const, text: '  No iteration yet' }] : around(rows, Math.max(0, at), forList)
  const chosen = rows[at]
  const whole = chosen === undefined ? [] : wrapped(opened.iterations[at]?.shown.text ?? '', columns - 4, 0)
  const errors = [
    ...(whole.length > 1 ? whole.map((text): FrameLine => ({ tone: 'plain', text: `    ${text}` })) : []),
    ...opened.errors.map(({ tone, text }): FrameLine => ({ tone, text: `    ${text}` })),
  ].slice(0, Math.max(0, Math.floor(room * 0.4)))
  const head: FrameLine[] = [opened.title, ...list, ...errors]
  const left = Math.max(2, room - head.length)
  const title = opened.chosen === null ? 'Log' : `Log of iteration ${opened.chosen}`
  return {
    log: [...head, ...logLines({ title, log: wholeLines(opened.log, columns) }, view, left)].slice(0, room),
    page: Math.max(1, left - 1),
  }
}

/** Temporarily shown in place of the log. */
function overLog(
  { questions }: Model,
  { mode, chosen }: MonitorView,
  isInPlace: boolean,
  columns: number,
): FrameLine[] | undefined {
  if (mode === 'help')
    return [{ tone: 'strong', text: 'Help' }, ...helpLines(isInPlace).map((text): ScreenLine => ({ tone: 'plain', text }))]
  if (mode !== 'choose') return undefined
  const marked = Math.min(chosen, questions.length - 1)
  const list = questions.flatMap(({ words }, place): FrameLine[] => {
    const isMarked = place === marked
    const text = `${isMarked ? '▸' : ' '} ${place + 1} ${words}`
    const rows = isMarked ? wrapped(text, columns, 4) : [cutTo(text, columns)]
    return rows.map((row) => ({ tone: isMarked ? 'warn' : 'plain', text: row }))
  })
  return [{ tone: 'strong', text: 'Questions' }, ...list]
}

/** As many as rowsOf, including the current one, and how many are hidden. */
function around(list: FrameLine[], current: number, room: number): FrameLine[] {
  if (list.length <= room) return list
  const shown = Math.max(1, room - 1)
  const from = Math.max(0, Math.min(current - Math.floor(shown / 2), list.length - shown))
  const window = list.slice(from, from + shown)
  return room < 2 ? window : [...window, { tone: 'dim', text: `  ${hiddenWords(from, list.length - from - shown)}` }]
}

const hiddenWords = (above: number, below: number): string =>
  [...(above > 0 ? [`${above} more above`] : []), ...(below > 0 ? [`${below} more below`] : [])].join(', ')

function footOf(model: Model, { mode, text, message, asked, opened }: MonitorView, columns: number): ScreenLine {
  switch (mode) {
    case 'choose':
      return { tone: 'warn', text: 'Which question? ↑↓ and Enter, or its number (Esc: cancel)' }
    case 'answer':
      return typing(`Answer${asked?.story ? ` to ${asked.story}` : ''} (Esc: cancel)> `, text, columns)
    case 'say':
      return typing('Note for the next iteration (Esc: cancel)> ', text, columns)
    case 'stop':
      return { tone: 'warn', text: 'Stop the run after this iteration? y/n' }
    case 'help':
      return { tone: 'dim', text: 'any key: back · q leave' }
    case 'watch':
      return message === ''
        ? { tone: 'dim', text: keyWords(keysOf(model, opened !== null), columns) }
        : { tone: 'warn', text: message }
  }
}

/** Where not all fit, help has the rest. */
function keyWords(keys: string[], columns: number): string {
  const words = keys.join(' · ')
  const less = keys.findIndex((key) => key === 'f feature' || key === 'n note')
  return widthOf(words) <= columns || less === -1 ? words : keyWords(keys.toSpliced(less, 1), columns)
}

/** Keys that have an effect now. */
const keysOf = ({ isLive, isPausing, questions }: Model, isOpened: boolean): string[] => [
  ...(isLive ? [isPausing ? 'p resume' : 'p pause', 's stop'] : []),
  ...(questions.length > 0 ? ['a answer'] : []),
  'n note',
  ...(isOpened ? ['↑↓ iteration', 'Esc back'] : ['↑↓ Enter story', 'f feature']),
  '? help',
  'q leave',
]

const typing = (before: string, text: string, columns: number): ScreenLine => ({
  tone: 'warn',
  text: `${before}${tail(text, Math.max(10, columns - before.length - 2))}▏`,
})

/** People look at the end of what they typed. */
const tail = (text: string, width: number): string => (widthOf(text) > width ? `…${text.slice(1 - width)}` : text)
