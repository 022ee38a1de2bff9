/** Promise tags and the configured completion words: where the agent really sends one, and where it only mentions it. */

import { evidenceOf, lineAt, type Message, type MessageLine } from './message.ts'
import { isDoubtfulAbove, isKnownLeadIn, isSpokenOf, isSpokenOfAfter } from './words-before-promise.ts'

export const defaultPromise = '<promise>COMPLETE</promise>'

export type Promised = {
  kind: 'complete' | 'blocked' | 'question'
  /** The reason or the question. */
  text: string
  evidence: string
  start: number
  end: number
  /** It has the iteration's code, or none is required. */
  isSigned: boolean
  /** It is alone, or with words that surely do not deny it. */
  isClear: boolean
}

/** Every promise that is, or may be, sent, in order. With an empty `promise` there is no COMPLETE. */
export function promisesIn(message: Message, promise: string, code: string | undefined): Promised[] {
  const wanted = promise.trim()
  const [, wantedTag] = tagged.exec(wanted) ?? []
  const found = tagsIn(message, oneLine(wantedTag ?? ''), wanted !== defaultPromise, code)
  const isPlain = wanted !== '' && wantedTag === undefined
  return isPlain ? [...found, ...plainOnes(message, wanted, code)].sort((a, b) => a.end - b.end) : found
}

/** The start of any promise tag, opening or closing: it must not appear in a quoted text. */
export const tagStart = /<([ \t]{0,3}\/?[ \t]{0,3}promise)/gi

const tag = /<[ \t]{0,3}(\/?)[ \t]{0,3}promise(\s[^<>]{0,200})?>/gi
const tagged = /^<promise>([^<>]*)<\/promise>$/i
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim().toLowerCase()

function tagsIn(message: Message, wanted: string, isCustom: boolean, code: string | undefined): Promised[] {
  const found: Promised[] = []
  let open: RegExpExecArray | undefined
  for (const match of message.text.matchAll(tag)) {
    if (match[1] === '') {
      open = match
      continue
    }
    if (!open) continue
    const start = open.index
    const end = match.index + match[0].length
    const meaning = meaningOf(message.text.slice(start + open[0].length, match.index), wanted)
    const attribute = /\bcode\s{0,9}=\s{0,9}["']?([\w-]{1,60})/i.exec(open[2] ?? '')?.[1]
    open = undefined
    if (!meaning) continue
    const place = placeOf(message, { start, end }, meaning.kind, isCustom && meaning.kind === 'complete' ? code : undefined)
    if (!place) continue
    const isSigned = !code || attribute === code || place.hasCode
    const rule = { complete: 'promise COMPLETE', blocked: 'promise BLOCKED', question: 'promise DECIDE' }[meaning.kind]
    found.push({
      ...meaning,
      evidence: evidenceOf(rule, message.text.slice(start, end)),
      start,
      end,
      isSigned,
      isClear: place.isClear,
    })
  }
  return found
}

function meaningOf(content: string, wanted: string): Pick<Promised, 'kind' | 'text'> | undefined {
  if (wanted !== '' && content.length < wanted.length + 1000 && oneLine(content) === wanted) return { kind: 'complete', text: '' }
  const [, word, reason = ''] = /^\s*(BLOCKED|DECIDE)\s*:([\s\S]*)$/i.exec(content) ?? []
  const text = reason.trim()
  if (word === undefined || !/[\p{L}\p{N}]/u.test(text)) return undefined // a reason of only dots says nothing
  return { kind: word.toUpperCase() === 'BLOCKED' ? 'blocked' : 'question', text }
}

const inWord = /^[\p{L}\p{N}_]{2}$/u

function plainOnes(message: Message, wanted: string, code: string | undefined): Promised[] {
  const found: Promised[] = []
  const { text } = message
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
    const end = at + wanted.length
    const isInsideWord = inWord.test(text.slice(Math.max(0, at - 1), at + 1)) || inWord.test(text.slice(end - 1, end + 1))
    const place = isInsideWord ? undefined : placeOf(message, { start: at, end }, 'complete', code)
    if (!place?.isAlone) continue // plain words amid others are just words
    found.push({
      kind: 'complete',
      text: '',
      evidence: evidenceOf('promise COMPLETE', wanted),
      start: at,
      end,
      isSigned: !code || place.hasCode,
      isClear: place.isClear,
    })
  }
  return found
}

/** White space, markup and a 🎉. */
const decoration = /^[\ufe0f\s*_`~>\p{Extended_Pictographic}]*$/u

/** Whether a promise here is sent rather than mentioned, whether that is certain, and whether the code follows. */
function placeOf(
  message: Message,
  { start, end }: { start: number; end: number },
  kind: Promised['kind'],
  code: string | undefined,
) {
  const first = lineAt(message.lines, start)
  const last = lineAt(message.lines, end - 1)
  if (first.isQuoted || last.isQuoted) return undefined
  if (first.fence !== last.fence || first.fence?.isEnd === false) return undefined
  const after = message.text.slice(end, last.end)
  const hasCode = code !== undefined && /^[\s*_`~>]*([\w-]+)/.exec(after.slice(0, 200))?.[1] === code
  const rest = hasCode ? after.slice(after.indexOf(code) + code.length) : after
  const before = message.text.slice(Math.max(first.start, start - 400), start)
  const isAlone = decoration.test(rest)
  if (isSpokenOf(before, kind) || (!isAlone && (!/\p{L}/u.test(rest) || isSpokenOfAfter(rest.slice(0, 400))))) return undefined
  const isPlain = kind !== 'complete' || isKnownLeadIn(before.replace(/^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[xX]\])?/, ''))
  return { hasCode, isAlone, isClear: isAlone && isPlain && !isDoubtfulAbove(above(message, first), kind) }
}

/** The nearest line above with words, outside the fence around the promise. */
function above({ lines }: Message, line: MessageLine): { text: string; isAdjacent: boolean } {
  const isPassed = (each: MessageLine | undefined): boolean =>
    each !== undefined && (each.text.trim() === '' || (line.fence !== undefined && each.fence === line.fence))
  let at = lines.indexOf(line) - 1
  while (isPassed(lines[at])) at -= 1
  const found = lines[at]
  const isProse = found !== undefined && !found.isQuoted && found.fence === undefined && !/RALPH\\?_STATUS/i.test(found.text)
  return {
    text: isProse ? found.text.slice(-400) : '',
    isAdjacent: lines[at + 1] === line || (line.fence !== undefined && lines[at + 1]?.fence === line.fence),
  }
}
