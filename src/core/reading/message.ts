/** A message as lines, each marked as the agent's own prose, a quote, or part of a fenced block. */
import { sure } from '../failure.ts'

export type Fence = { /** nothing but blank lines follows it */ isEnd: boolean }
export type MessageLine = {
  text: string
  start: number
  end: number
  fence?: Fence
  isQuoted: boolean /** a line of the prompt, repeated */
  isEcho?: true
}
export type Message = { text: string; lines: MessageLine[] }

export function messageOf(raw: string, prompt = ''): Message {
  const text = plainText(raw)
  const lines: MessageLine[] = []
  let start = 0
  for (const ending of text.matchAll(/\r\n|\n|\r|$/g)) {
    lines.push({ text: text.slice(start, ending.index), start, end: ending.index, isQuoted: false })
    start = ending.index + ending[0].length
  }
  markFences(lines)
  markEchoes(lines, prompt)
  return { text, lines }
}

function markEchoes(lines: MessageLine[], prompt: string): void {
  if (prompt === '') return
  const told = new Set(plainText(prompt).split('\n').map(bare))
  for (const line of lines) if (/\p{L}/u.test(line.text) && told.has(bare(line.text))) line.isEcho = true
}

const bare = (line: string): string => line.replace(/^[\s>*_`#|-]+|[\s*_`|]+$/g, '').replace(/\s+/g, ' ')

/** Without terminal colours, titles and cursor moves. */
export const plainText = (text: string): string =>
  text.replace(/\x1b(?:\[[0-?]{0,40}[ -/]{0,10}[@-~]|\][^\x07\x1b]{0,400}(?:\x07|\x1b\\)|[@-Z\\^_])/g, '')

export function lineAt(lines: MessageLine[], offset: number): MessageLine {
  let low = 0
  let high = lines.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (sure(lines[middle], 'line').start <= offset) low = middle
    else high = middle - 1
  }
  return sure(lines[low], 'line')
}

/** Evidence is for people: one short line. */
export const evidenceOf = (rule: string, text: string): string => {
  const line = text.slice(0, 1000).replace(/\s+/g, ' ').trim()
  return `${rule}: ${line.length > 200 ? `${line.slice(0, 199)}…` : line}`
}

const opening = /^\s*(?:(?:[-*+]|\d{1,3}[.)])\s+)?(`{3,}|~{3,})([\s\S]*)$/

function markFences(lines: MessageLine[]): void {
  let open: { mark: string; fence: Fence } | undefined
  let last: Fence | undefined
  for (const line of lines) {
    line.isQuoted = /^\s*>/.test(line.text)
    if (open) {
      line.fence = open.fence
      const rest = line.text.trim()
      const isClosing = rest.length >= open.mark.length && rest === open.mark.charAt(0).repeat(rest.length)
      if (isClosing) open = undefined
      continue
    }
    const [, mark, info = ''] = (line.isQuoted ? null : opening.exec(line.text)) ?? []
    if (mark !== undefined && !(mark.startsWith('`') && info.includes('`'))) {
      last = { isEnd: true }
      open = { mark, fence: last }
      line.fence = last
    } else if (last && line.text.trim() !== '') {
      last.isEnd = false
    }
  }
}
