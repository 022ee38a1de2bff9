/** What a key does in the monitor: the next view, and the request to the run. */
import type { StoryId } from '../../core/types.ts'

export type MonitorView = {
  mode: 'watch' | 'help' | 'stop' | 'choose' | 'answer' | 'say'
  /** Text typed so far. */
  text: string
  /** How many lines the log is scrolled up. */
  scroll: number
  /** The result of the last request. */
  message: string
  /** While choosing one of several questions: its index. */
  chosen: number
  /** The question that is being answered. */
  asked: OpenQuestion | null
  /** The selected story; null: none yet. */
  story: StoryId | null
  /** The story that is shown alone, and which of its iterations; null: the last. */
  opened: OpenedAt | null
}
export type OpenedAt = { story: StoryId; iteration: number | null }
export type OpenQuestion = { story: StoryId | null; words: string }
export type MonitorAct =
  | { kind: 'leave' | 'interrupt' | 'pause' | 'resume' | 'stop' | 'switch' }
  | { kind: 'say'; text: string }
  | { kind: 'answer'; text: string; story: StoryId | null }
/** With the names of the terminal library. */
export type PressedKey = Partial<
  Record<
    'upArrow' | 'downArrow' | 'pageUp' | 'pageDown' | 'return' | 'escape' | 'ctrl' | 'meta' | 'tab' | 'backspace' | 'delete',
    boolean
  >
>
export type KeyContext = {
  isLive: boolean
  isPausing: boolean
  questions: OpenQuestion[]
  /** In their order, and the one at work. */
  stories: StoryId[]
  current: number
  /** Of the opened story. */
  iterations: number[]
  logLines: number
  /** Visible lines of the log. */
  page: number
}
type After = { view: MonitorView; act?: MonitorAct }

export const firstView: MonitorView = {
  mode: 'watch',
  text: '',
  scroll: 0,
  message: '',
  chosen: 0,
  asked: null,
  story: null,
  opened: null,
}

/** Fast key presses arrive together: each counts, in order. Once text input starts, the rest is text. */
export function afterInput(
  view: MonitorView,
  input: string,
  key: PressedKey,
  about: KeyContext,
): { view: MonitorView; acts: MonitorAct[] } {
  const acts: MonitorAct[] = []
  let next = view
  const press = (piece: string, named: PressedKey): void => {
    const after = afterKey(next, piece, named, about)
    next = after.view
    if (after.act) acts.push(after.act)
  }
  const chars = key.ctrl || key.meta ? [] : [...input]
  if (chars.length < 2) press(input, key)
  else
    while (chars.length > 0) {
      const isText = isTyping(next)
      const piece = chars.splice(0, isText ? chars.length : 1).join('')
      press(piece, isText ? {} : namedKey(piece))
    }
  return { view: next, acts }
}

/** Pasted text is input or ignored: its letters are not keys. */
export const afterPaste = (view: MonitorView, text: string): { view: MonitorView; acts: MonitorAct[] } => {
  if (!isTyping(view)) return { view, acts: [] }
  const { view: next, act } = typed(view, view.mode, text, {})
  return { view: next, acts: act ? [act] : [] }
}

const isTyping = (view: MonitorView): view is MonitorView & { mode: 'answer' | 'say' } =>
  view.mode === 'answer' || view.mode === 'say'
const namedKey = (char: string): PressedKey =>
  char === '\r' || char === '\n' ? { return: true } : char === '\t' ? { tab: true } : {}

export function afterKey(view: MonitorView, input: string, key: PressedKey, about: KeyContext): After {
  if (key.ctrl) return input === 'c' ? { view, act: { kind: 'interrupt' } } : { view }
  switch (view.mode) {
    case 'answer':
    case 'say':
      return typed(view, view.mode, input, key)
    case 'choose':
      return chosen(view, input, key, about)
    case 'stop':
      return input === 'y' || input === 'Y'
        ? { view: watching(view), act: { kind: 'stop' } }
        : { view: watching(view, 'Not stopped.') }
    case 'help':
      return input === 'q' ? { view, act: { kind: 'leave' } } : { view: watching(view) }
    case 'watch':
      return scrolled(view, key, about) ?? moved(view, key, about) ?? asked(watching(view), input, key, about)
  }
}

export const helpLines = (isInPlace: boolean): string[] => [
  'p            pause after this iteration, or resume',
  's            stop after this iteration (asks first)',
  'a            answer a question (choose if there are several)',
  'n            add a note for the next iteration',
  'f, Tab       the next feature',
  '↑ ↓          select a story, or an iteration of an open one',
  'Enter        open a story: its iterations, errors and log',
  'Esc          back to all stories',
  'PgUp PgDn    scroll the log',
  '?            this help; any key goes back',
  ...(isInPlace
    ? ['q            leave; the run continues', 'Ctrl+C       stop the run']
    : ['q, Ctrl+C    leave; the run continues']),
]

const watching = (view: MonitorView, message = ''): MonitorView => ({
  ...view,
  mode: 'watch',
  text: '',
  message,
  chosen: 0,
  asked: null,
})

/** A paste may arrive in one piece with line ends: the first one sends what precedes it. */
function typed(view: MonitorView, kind: 'answer' | 'say', input: string, key: PressedKey): After {
  if (key.escape) return { view: watching(view, 'Nothing was sent.') }
  if (key.backspace || key.delete) return { view: { ...view, text: [...view.text].slice(0, -1).join('') } }
  if (key.upArrow || key.downArrow || key.pageUp || key.pageDown || key.tab || key.meta) return { view }
  const [before = '', ...after] = input.split(/[\r\n]/)
  const text = key.return ? view.text : view.text + before.replace(/[\u0000-\u001f\u007f]/g, '')
  if (!key.return && after.length === 0) return { view: { ...view, text } }
  if (text.trim() === '') return { view: watching(view, 'Nothing was sent.') }
  const act: MonitorAct =
    kind === 'say' ? { kind, text: text.trim() } : { kind, text: text.trim(), story: view.asked?.story ?? null }
  return { view: watching(view), act }
}

/** The oldest is selected first. One that was answered elsewhere meanwhile is gone. */
function chosen(view: MonitorView, input: string, key: PressedKey, { questions }: KeyContext): After {
  if (key.escape || questions.length === 0) return { view: watching(view, 'Nothing was sent.') }
  const last = questions.length - 1
  const marked = Math.min(view.chosen, last)
  if (key.upArrow) return { view: { ...view, chosen: Math.max(0, marked - 1) } }
  if (key.downArrow) return { view: { ...view, chosen: Math.min(last, marked + 1) } }
  const asked = key.return ? questions[marked] : /^[1-9]$/.test(input) ? questions[Number(input) - 1] : undefined
  return { view: asked === undefined ? view : { ...view, mode: 'answer', asked } }
}

function scrolled(view: MonitorView, key: PressedKey, { logLines, page }: KeyContext): After | undefined {
  const by = key.pageUp ? page : key.pageDown ? -page : 0
  if (by === 0) return undefined
  const highest = Math.max(0, logLines - page)
  return { view: { ...view, scroll: Math.max(0, Math.min(highest, view.scroll + by)) } }
}

/** From story to story, into one and out of it, and from iteration to iteration there. */
function moved(view: MonitorView, key: PressedKey, { stories, current, iterations }: KeyContext): After | undefined {
  const { opened } = view
  const by = key.upArrow ? -1 : key.downArrow ? 1 : 0
  if (opened !== null && key.escape) return { view: { ...watching(view), opened: null, scroll: 0 } }
  if (opened !== null && by !== 0) {
    const iteration = next(iterations, opened.iteration ?? iterations.at(-1), by)
    return { view: { ...watching(view), scroll: 0, opened: { ...opened, iteration: iteration ?? null } } }
  }
  if (opened !== null || stories.length === 0) return undefined
  const here = view.story ?? stories[current]
  if (by !== 0)
    return { view: { ...watching(view), story: view.story === null ? (here ?? null) : (next(stories, here, by) ?? null) } }
  if (!key.return || here === undefined) return undefined
  return { view: { ...watching(view), story: here, scroll: 0, opened: { story: here, iteration: null } } }
}

/** One further, and no further than the last. */
function next<T>(list: T[], here: T | undefined, by: number): T | undefined {
  const at = here === undefined ? -1 : list.indexOf(here)
  return at === -1 ? list[0] : list[Math.max(0, Math.min(list.length - 1, at + by))]
}

function asked(view: MonitorView, input: string, key: PressedKey, { isLive, isPausing, questions }: KeyContext): After {
  if (key.tab || input === 'f') return { view: { ...view, scroll: 0, story: null, opened: null }, act: { kind: 'switch' } }
  switch (input) {
    case 'q':
      return { view, act: { kind: 'leave' } }
    case '?':
      return { view: { ...view, mode: 'help' } }
    case 'p':
      return isLive ? { view, act: { kind: isPausing ? 'resume' : 'pause' } } : { view: watching(view, notLive('pause')) }
    case 's':
      return { view: isLive ? { ...view, mode: 'stop' } : watching(view, notLive('stop')) }
    case 'a':
      if (questions.length > 1) return { view: { ...view, mode: 'choose' } }
      return questions[0] === undefined
        ? { view: watching(view, 'No open question. Press n to add a note.') }
        : { view: { ...view, mode: 'answer', asked: questions[0] } }
    case 'n':
      return { view: { ...view, mode: 'say' } }
    default:
      return { view }
  }
}

const notLive = (what: string): string => `No run to ${what}. Start one with: ralph run`
