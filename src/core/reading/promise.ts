/** Promise tags and the configured completion words: where the agent truly sends one, and where it only speaks of it. */
import { evidenceOf, lineAt, type Message } from './message.ts'

export const defaultPromise = '<promise>COMPLETE</promise>'

export type Promised = {
  kind: 'complete' | 'blocked' | 'question'
  /** The reason or the question. */
  text: string
  evidence: string
  end: number
  /** Carries the iteration's code, or none is asked for. */
  isSigned: boolean
}

/** Every promise that counts, in order. With an empty `promise` there is no COMPLETE. */
export function promisesIn(message: Message, promise: string, code: string | undefined): Promised[] {
  const wanted = promise.trim()
  const wantedTag = tagged.exec(wanted)
  const found = tagsIn(message, wantedTag ? oneLine(wantedTag[1]!) : '', wanted !== defaultPromise, code)
  const isPlain = wanted !== '' && !wantedTag
  return isPlain ? [...found, ...plainOnes(message, wanted, code)].sort((a, b) => a.end - b.end) : found
}

/** The beginning of any promise tag, opening or closing: what must not stand in a quoted text. */
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
    const place = placeOf(message, start, end, meaning.kind, isCustom && meaning.kind === 'complete' ? code : undefined)
    if (!place) continue
    const isSigned = !code || attribute === code || place.hasCode
    const rule = { complete: 'promise COMPLETE', blocked: 'promise BLOCKED', question: 'promise DECIDE' }[meaning.kind]
    found.push({ ...meaning, evidence: evidenceOf(rule, message.text.slice(start, end)), end, isSigned })
  }
  return found
}

function meaningOf(content: string, wanted: string): Pick<Promised, 'kind' | 'text'> | undefined {
  if (wanted !== '' && content.length < wanted.length + 1000 && oneLine(content) === wanted) return { kind: 'complete', text: '' }
  const said = /^\s*(BLOCKED|DECIDE)\s*:([\s\S]*)$/i.exec(content)
  const text = (said?.[2] ?? '').trim()
  if (!said || !/[\p{L}\p{N}]/u.test(text)) return undefined // a reason of dots says nothing
  return { kind: said[1]!.toUpperCase() === 'BLOCKED' ? 'blocked' : 'question', text }
}

const inWord = /^[\p{L}\p{N}_]{2}$/u

function plainOnes(message: Message, wanted: string, code: string | undefined): Promised[] {
  const found: Promised[] = []
  const { text } = message
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
    const end = at + wanted.length
    const isInsideWord = inWord.test(text.slice(Math.max(0, at - 1), at + 1)) || inWord.test(text.slice(end - 1, end + 1))
    const place = isInsideWord ? undefined : placeOf(message, at, end, 'complete', code)
    if (!place) continue
    found.push({
      kind: 'complete',
      text: '',
      evidence: evidenceOf('promise COMPLETE', wanted),
      end,
      isSigned: !code || place.hasCode,
    })
  }
  return found
}

/** White space, markup and a 🎉. */
const decoration = /^[\ufe0f\s*_`~>\p{Extended_Pictographic}]*$/u

/** Whether a promise here is sent and not spoken of; and whether the code follows it. */
function placeOf(message: Message, start: number, end: number, kind: Promised['kind'], code: string | undefined) {
  const first = lineAt(message.lines, start)
  const last = lineAt(message.lines, end - 1)
  if (first.isQuoted || last.isQuoted) return undefined
  if (first.fence !== last.fence || first.fence?.isEnd === false) return undefined
  const after = message.text.slice(end, last.end)
  const hasCode = code !== undefined && /^[\s*_`~>]*([\w-]+)/.exec(after.slice(0, 200))?.[1] === code
  if (!decoration.test(hasCode ? after.slice(after.indexOf(code) + code.length) : after)) return undefined
  const before = message.text.slice(Math.max(first.start, start - 400), start)
  return isSpokenOf(before, kind) ? undefined : { hasCode }
}

const conditions =
  /\b(?:when|whenever|once|if|unless|until|till|before|as soon as|in case|must|might|could|instead of|rather than)\b|(?:\b(?:will|shall|would|should|going to)|['’]ll)\b(?!\s+now\b)/i
const negations =
  /\b(?:not|never|cannot|neither|nor|hardly|withh?old(?:ing)?|refus(?:e|ing)|without\s+\w+ing)\b|n['’]t\b|\bno\b(?!\s+(?:more|open|remaining|further|other|failing|failed|failures?|errors?|issues?|problems?|warnings?|stor(?:y|ies)|tasks?|work|changes?|regressions?)\b)/i
const unfinished =
  /(?:\b(?:not|never|nothing)|n['’]t)\b[^.!?]{0,40}\b(?:done|finished|completed?|ready|yet|pass|passes|passing)\b/i
const instruction =
  /(?:^|[,;]\s*|\b(?:please|then|and|or|to|just|only)\s+)(?:print|output|reply|respond|emit|say|write|send|return|use|type)(?:\s+(?:with|exactly|only|just|the|this|tag|promise|signal)){0,4}[\s*_`]*$/i
const introduction = /(?:\be\.g\.|\bi\.e\.|\bexamples?|\bsuch as|["'“”‘«])[\s:,*_`]*$/i

/** Agents answer in the language of the plan: denials and conditions of some others. "No errors" is no denial in any of them. */
const otherLanguages = new RegExp(
  [
    "(?<![\\p{L}'’])(?:nicht|noch|nie|sobald|wenn|falls|bevor)(?!\\p{L})",
    '|(?<!\\p{L})kein(?:e|en)?(?!\\p{L}|\\s+(?:fehler|probleme?|offene|weitere|warnung))',
    "|(?<![\\p{L}'’])(?:ne|pas(?!\\s+d['’](?:err|éch|aut))|jamais|quand|lorsque|dès|avant)(?!\\p{L})|(?<!\\p{L})n['’](?=\\p{L})",
    '|(?<!\\p{L})(?:todavía|aún|nunca|cuando|hasta|não|ainda|quando|non|appena|finché|enquanto)(?!\\p{L})',
    '|(?<!\\p{L})(?:не|ещё|еще|когда|если|пока)(?!\\p{L})',
    '|尚未|还没|還沒|还未|未完成|没有完成|不会|不會|不能|暂不|如果|一旦|まだ|ません|ていない|したら|次第|아직|않',
  ].join(''),
  'iu',
)

/** An item that is still to be ticked off, or words that are struck out. */
const undone = /^\s*(?:[-*+]|\d{1,3}[.)])\s+\[ \]|~~[\s*_`]*$/

/** The sentence before the tag denies it, makes it depend on something, asks for it or quotes it. */
function isSpokenOf(before: string, kind: Promised['kind']): boolean {
  const sentence = before.replace(/^[\s\S]*(?:[.!?…]["'”)\]*_`~]{0,5}\s+|[。！？])/, '').replace(/^[\s*_`~#+-]+/, '')
  if (undone.test(before) || otherLanguages.test(kind === 'complete' ? sentence : lastClause(sentence))) return true
  if (introduction.test(before) || instruction.test(sentence) || conditions.test(sentence)) return true
  // "I cannot go on: …" is how BLOCKED is said, while "I am not saying: …" takes a COMPLETE back.
  if (kind !== 'complete') return negations.test(lastClause(sentence))
  return negations.test(sentence) || unfinished.test(before)
}

const lastClause = (sentence: string): string => sentence.replace(/^[\s\S]*[:,;—–，、：；]/, '')
