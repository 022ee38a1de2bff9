/** A question to the user at the end of an answer: the agent waits for someone who is not there. */
import type { Message } from './message.ts'

/** The question's sentence, or undefined. */
export function questionAtEnd(message: Message): string | undefined {
  const lines = message.lines
    .filter((line) => line.fence === undefined && !line.isQuoted && !line.isEcho && line.text.trim() !== '')
    .slice(-12)
  const last = lines.at(-1)
  if (!last) return undefined
  // "Which one?" may be followed by the choices.
  const beforeList = lines.findLast((line) => !isListItem(line.text))
  return questionIn(last.text) ?? (isListItem(last.text) && beforeList ? questionIn(beforeList.text) : undefined)
}

const isListItem = (text: string): boolean => /^\s*(?:[-*+•]|\d{1,3}[.)]|[A-Za-z][.)])\s/.test(text)

function questionIn(line: string): string | undefined {
  const text = line
    .slice(-600)
    .replace(/[\s*_`~]+/g, ' ')
    .trim()
  const sentence = text.replace(/^[\s\S]*[.!?]["')\]]{0,3}\s(?=\S)/, '')
  if (courtesy.test(sentence)) return undefined
  const asks = sentence.includes('?') && /\p{L}[^?]*\?[)"'”]?$/u.test(sentence) // the first use of such a pattern takes milliseconds
  const isQuestion = asks || waiting.test(sentence)
  return isQuestion ? sentence : undefined
}

const courtesy = /\b(?:anything|something) else\b|\blet me know if\b|\bfeel free\b/i
const waiting =
  /\bawaiting (?:your|further|instructions?|input|approval|confirmation|a decision)\b|\bwaiting (?:for|on) (?:you|your|the user|input|approval|confirmation)\b|\bplease (?:advise|confirm|clarify|choose|decide|tell me|let me know)\b|\blet me know (?:which|what|how|whether|your)\b|\b(?:need|require)s? your (?:input|decision|approval|confirmation|guidance|help)\b/i
