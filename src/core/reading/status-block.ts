/** Status blocks: the keys and values that an agent reports about itself, in whatever formatting. */
import { evidenceOf, type Fence, type Message, type MessageLine } from './message.ts'

export type StatusBlock = {
  status?: 'complete' | 'in-progress' | 'blocked'
  /** undefined: not given, which differs from an explicit false. */
  exitSignal?: boolean
  workType: string
  tests: string
  recommendation: string
  /** What it says it did, in numbers: only shown, because Ralph counts for itself. */
  tasks?: number
  files?: number
  evidence: string
  start: number
  end: number
  isFenced: boolean
  isSigned: boolean
}

/** Every valid block, in order. */
export function statusBlocksIn(message: Message, code: string | undefined): StatusBlock[] {
  return sectionsIn(message.lines).flatMap((section) => {
    const block = blockOf(section, code)
    return block ? [block] : []
  })
}

/** The last one; one outside a fence is preferred to one inside, which may be an example. */
export const lastBlock = (blocks: StatusBlock[]): StatusBlock | undefined =>
  blocks.findLast((block) => !block.isFenced) ?? blocks.at(-1)

/** The name in both markers: it must not appear in a quoted text. */
export const markerName = /RALPH\\?_STATUS/gi

type Section = { form: 'dashes' | 'colon'; hasEnd: boolean; fence?: Fence; lines: MessageLine[]; start: number; end: number }

const beginDashes = /^[\s*_`#]*[-–—=]+[\s*_`]*RALPH\\?_STATUS[\s*_`]*[-–—=]+[\s*_`:]*$/i
const beginColon = /^[\s*_`#]*RALPH\\?_STATUS[*_`]*\s*:[\s*_`]*$/i
const end = /^[\s*_`#]*[-–—=]*[\s*_`]*END\\?_RALPH\\?_STATUS[\s*_`]*[-–—=]*[\s*_`:]*$/i

function sectionsIn(lines: MessageLine[]): Section[] {
  const sections: Section[] = []
  let open: Section | undefined
  for (const line of lines) {
    const isShort = line.text.length <= 200 && !line.isQuoted
    if (open?.fence && line.fence !== open.fence) open = undefined
    const form = !isShort ? undefined : beginDashes.test(line.text) ? 'dashes' : beginColon.test(line.text) ? 'colon' : undefined
    if (form) {
      open = { form, hasEnd: false, fence: line.fence, lines: [], start: line.start, end: line.end }
      sections.push(open)
    } else if (open && isShort && end.test(line.text)) {
      open.hasEnd = true
      open.end = line.end
      open = undefined
    } else if (open) {
      open.lines.push(line)
    }
  }
  return sections
}

const isIndented = (line: MessageLine): boolean => /^(?:\s+|[-*+•]\s)\s*\S/.test(line.text)

function blockOf(section: Section, code: string | undefined): StatusBlock | undefined {
  const { lines, end } = bodyOf(section)
  const values = valuesOf(lines)
  const isExample = section.fence?.isEnd === false
  const exitSignal = exitSignalOf(values.get('EXIT_SIGNAL'))
  // Followed by prose, a fenced block may be an example: it cannot claim, but its "false" still counts against keywords.
  if (values.size === 0 || (isExample && exitSignal !== false)) return undefined
  return {
    status: isExample ? undefined : statusOf(values.get('STATUS')),
    exitSignal,
    workType: isExample ? '' : wordOf(values.get('WORK_TYPE')),
    tests: isExample ? '' : wordOf(values.get('TESTS_STATUS')),
    recommendation: values.get('RECOMMENDATION') ?? '',
    ...numberOf('tasks', values.get('TASKS_COMPLETED_THIS_LOOP')),
    ...numberOf('files', values.get('FILES_MODIFIED')),
    evidence: evidenceOf(
      'status block',
      lines
        .slice(0, 20)
        .map((line) => line.text.slice(0, 200).trim())
        .join(' '),
    ),
    start: section.start,
    end,
    isFenced: section.fence !== undefined,
    isSigned: !code || values.get('CODE') === code,
  }
}

/** Without an end marker, a block ends with its keys. */
function bodyOf(section: Section): { lines: MessageLine[]; end: number } {
  if (section.hasEnd && section.form === 'dashes') return section
  const stop = section.lines.findIndex((line) => keyed(line) === undefined || (section.form === 'colon' && !isIndented(line)))
  const lines = stop === -1 ? section.lines : section.lines.slice(0, stop)
  return { lines, end: lines.at(-1)?.end ?? section.end }
}

const known = new Set([
  'STATUS',
  'TASKS_COMPLETED_THIS_LOOP',
  'FILES_MODIFIED',
  'TESTS_STATUS',
  'WORK_TYPE',
  'EXIT_SIGNAL',
  'RECOMMENDATION',
  'CODE',
])

function valuesOf(lines: MessageLine[]): Map<string, string> {
  const values = new Map<string, string>()
  let isRecommending = false
  for (const line of lines) {
    const pair = keyed(line)
    if (pair) isRecommending = pair.key === 'RECOMMENDATION'
    if (pair && known.has(pair.key) && !isPlaceholder(pair.key, pair.value)) values.set(pair.key, pair.value)
    const said = values.get('RECOMMENDATION')
    if (!pair && isRecommending && said && said.length < 4000) values.set('RECOMMENDATION', `${said}\n${clean(line.text)}`.trim())
  }
  return values
}

function keyed(line: MessageLine): { key: string; value: string } | undefined {
  const match = /^[\s*_`~#+•>-]{0,40}([A-Za-z][A-Za-z_\\ -]{0,40}?)[\s*_`]{0,10}[:=]/.exec(line.text.slice(0, 120))
  if (!match) return undefined
  const [whole, word = ''] = match
  const name = word.replaceAll('\\', '').replace(/[\s-]+/g, '_')
  const key = name.toUpperCase()
  const isKey = known.has(key) || name === key // "Note: …" is prose
  return isKey ? { key, value: clean(line.text.slice(whole.length)) } : undefined
}

const clean = (text: string): string =>
  text
    .replaceAll(/[*`~]/g, '')
    .trim()
    .replace(/^["'_]{1,5}/, '')
    .replace(/["'_,]{1,5}$/, '')
    .trim()

/** The template's own text, sent back: `true | false`, `<summary>`. */
const isPlaceholder = (key: string, value: string): boolean =>
  value === '' ||
  /^(?:<[^<>]*>|\[[^[\]]*\]|\{[^{}]*\})$/.test(value) ||
  (key !== 'RECOMMENDATION' && /\||^[\w-]+(?:\s*\/|\s+or\b)/i.test(value))

function statusOf(value: string | undefined): StatusBlock['status'] {
  if (value === undefined) return undefined
  const said = /^[^\p{L}]*(completed?|done|finished|blocked)(?![\p{L}_])/iu.exec(value)?.[1]?.toLowerCase()
  if (said === undefined) return 'in-progress'
  return said === 'blocked' ? 'blocked' : 'complete'
}

function exitSignalOf(value: string | undefined): boolean | undefined {
  if (value === undefined) return undefined
  if (/^(?:true|yes)\b/i.test(value)) return true
  return /^(?:false|no)\b/i.test(value) ? false : undefined
}

/** "3 (a.ts, b.ts, c.ts)" is 3; it must start with a number. */
function numberOf<K extends 'tasks' | 'files'>(key: K, value = ''): { [key in K]?: number } {
  const count = /^\d{1,6}(?![\d./%])/.exec(value)?.[0]
  return count === undefined ? {} : ({ [key]: Number(count) } as { [key in K]?: number })
}

/** PASSING (12 of 12) is passing. */
const wordOf = (value = ''): string =>
  value
    .toLowerCase()
    .slice(0, 60)
    .replace(/(?:\s*[(.;—–]|\s-).*/s, '')
