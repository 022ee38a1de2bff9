/** Whether a word in a sentence is meant: not denied, wished for, foreseen, half true or asked. */

/** `text` is prose where a line break ends a sentence; the word stands from `start` to `end`. */
export function isDenied(text: string, start: number, end: number): boolean {
  const sentence = text.slice(Math.max(0, start - 160), start).replace(sentenceEnds, '')
  const clause = sentence.replace(clauseEnds, '')
  const after = text.slice(end, end + 160)
  return (
    conditions.test(sentence) || negations.test(clause) || modals.test(clause) || isPartOf(clause) || reservations.test(after)
  )
}

const sentenceEnds = /^[\s\S]*(?:[.!?…;]["'”)\]*_]{0,5}\s|\n)/
const clauseEnds = /^[\s\S]*(?:[,:—–()]|\s-+\s|\b(?:and|but|so)\b)/i
const conditions = /\b(?:if|unless|until|till|once|when|whenever|before|whether|as soon as|by the time|in case)\b/i
const negations =
  /\b(?:not|never|no|none|nothing|cannot|neither|nor|hardly|barely|without|zero|almost|nearly|partially|partly|half|halfway|mostly|far from|yet to|what)\b|n['’]t\b|(?<!\d)0\b|(?<!\d)(?!100)\d{1,3}\s?%/i
const modals =
  /\b(?:will|shall|would|should|could|can|may|might|must|going to|about to|planned|plan to|needs? to|want(?:s|ed)?|trying|please)\b|['’]ll\b|\bto\s+(?:be\s+|get\s+(?:it\s+)?|have\s+(?:it\s+)?)?$/i
const reservations =
  /^\s*(?:yet|soon|later|once|when|if|until|unless|after|except|apart from|as soon as|so far|next)\b|^[^.!;\n]{0,150}\?/i

/** "3 of 5 done" says that two are not. */
function isPartOf(clause: string): boolean {
  const count = /(?<!\d)(\d{1,6})\s?(?:\/|of|out of)\s?(\d{1,6})(?!\d)/i.exec(clause)
  return count !== null && Number(count[1]) !== Number(count[2])
}
