/** Whether a word in a sentence is meant: not denied, wished for, predicted, half true or asked. */

/** `text` is prose where a line break ends a sentence; the word is at `start` to `end`. */
export function isDenied(text: string, start: number, end: number): boolean {
  const { sentence, clause, after } = around(text, start, end)
  return (
    conditions.test(sentence) ||
    negations.test(clause) ||
    modals.test(clause) ||
    isPartOf(clause) ||
    reservations.test(after) ||
    isPartOf(counted.exec(after)?.[0] ?? '')
  )
}

/** About problems: "when writing" says where it happened, not that it may happen. */
export function isTroubleDenied(text: string, start: number, end: number): boolean {
  const { sentence, clause, after } = around(text, start, end)
  return /\b(?:if|unless|whether|in case)\b/i.test(sentence) || noTrouble.test(clause) || modals.test(clause) || asked.test(after)
}

function around(text: string, start: number, end: number): { sentence: string; clause: string; after: string } {
  const sentence = text.slice(Math.max(0, start - 160), start).replace(sentenceEnds, '')
  return { sentence, clause: sentence.replace(clauseEnds, ''), after: text.slice(end, end + 160) }
}

/** A sentence about problems, or a word anywhere that the work does not work: whatever else it says, the work is not done. */
export const hasTrouble = (sentence: string): boolean => trouble.test(sentence)
export const isGivenUp = (text: string): boolean => givenUp.test(text)

const trouble =
  /\b(?:permission denied|denied|errors?|fail(?:s|ed|ing|ures?)?|cannot|can['’]t|could(?:n['’]t| not)|unable|impossible|crash(?:es|ed)?|timed out|aborted|blocked|stuck|broken|nothing)\b/i
const givenUp =
  /\bnothing (?:works?|compiles|builds|passes|was (?:done|changed|written))\b|\b(?:(?:do|does|did|is|are|was|were)n['’]t|(?:do|does|did|is|are|was|were) not) (?:yet )?(?:work(?:ing)?|compil(?:e|ing)|build(?:ing)?|pass(?:ing)?|run(?:ning)?)\b|\bnot working\b|\bstill (?:broken|failing|fails?|red|open|missing|to do|crash\w*)\b|\b(?:gave|give|giving) up\b|\bI (?:could(?:n['’]t| not)|can(?:['’]t|not)|was (?:not able|unable)|am (?:not able|unable)|failed to)\b|\b(?:tests?|build|gates?|checks?) (?:is |are |still |now ){0,2}(?:fail(?:s|ed|ing)?|red|broken)\b|\b[1-9]\d* (?:tests? )?(?:fail(?:ed|ing|ures?)?|errors?)\b/i

const sentenceEnds = /^[\s\S]*(?:[.!?…;]["'”)\]*_]{0,5}\s|\n)/
const clauseEnds = /^[\s\S]*(?:[,:—–()]|\s-+\s|\b(?:and|but|so)\b)/i
const conditions = /\b(?:if|unless|until|till|once|when|whenever|before|whether|as soon as|by the time|in case)\b/i
const negations =
  /\b(?:not|never|no|none|nothing|cannot|neither|nor|hardly|barely|without|zero|almost|nearly|partially|partly|half|halfway|mostly|most|some|few|part|only|little|far from|yet to|than|what)\b|n['’]t\b|(?<!\d)0\b|(?<!\d)(?!100)\d{1,3}\s?%/i
const modals =
  /\b(?:will|shall|would|should|could|can|may|might|must|going to|about to|planned|plan to|needs? to|want(?:s|ed)?|trying|please|hop(?:e|ing)|wish|pretend(?:s|ed|ing)?|suppos(?:e|ed)|assum(?:e|es|ed|ing)|expect(?:s|ed)?|claim(?:s|ed)?|said|seems?|looks? like)\b|['’]ll\b|\bto\s+(?:be\s+|get\s+(?:it\s+)?|have\s+(?:it\s+)?)?$/i
const asked = /^[^.!;\n]{0,150}\?/
const noTrouble = /\b(?:not?|never|none|nothing|neither|nor|without|zero|instead of|rather than)\b|n['’]t\b|(?<!\d)0\b/i
const reservations =
  /^\s*(?:yet|soon|later|once|when|if|until|unless|after|so far|next|nothing|not|none|no|little|only|some|half|most(?:ly)?|partly|partially|almost|for (?:now|today)|as (?:soon|far|much|well) as)\b|^\s*[:=]\s*(?:0\b(?![.\d])|no\b|none|not|nothing|false|n\/a)|^\s+with(?: \d+| some| many)? (?:errors?|failures?|warnings?|problems?|issues?)\b|^\s+(?:with\s+)?(?:the\s+)?(?:read|analy[sz]|explor|plann|look|review|investigat|research|think|wait|try|check|step|phase|part\b|first|second|third|half|analysis|exploration)|^[^.!;\n]{0,80}\b(?:except|apart from|aside from|other than|besides|but not)\b|^[^.!;\n]{0,150}\?/i
/** "Completed: 3/7" means that four are not. */
const counted = /^[\s:=(–—*-]*(?:\d{1,6}\s?(?:\/|of|out of)\s?(?:the\s)?\d{1,6}|(?!100)\d{1,3}\s?%)/i

/** "3 of 5 done" means that two are not. */
function isPartOf(clause: string): boolean {
  const count = /(?<!\d)(\d{1,6})\s?(?:\/|of|out of)\s?(?:the\s)?(\d{1,6})(?!\d)/i.exec(clause)
  return count === null ? clause.includes('%') && /(?<!\d)(?!100)\d{1,3}\s?%/.test(clause) : Number(count[1]) !== Number(count[2])
}
