/** Errors in the last message of an agent that ended well: those that remain, not those that it fixed or talks about. */
import { errorAt, errorHash, looksLikeError } from './errors.ts'
import { type MessageLine, messageOf } from './message.ts'

export type SaidError = { hash: string; message: string }

/** The last few. `stuck`: the word that made the plain reading take the agent for stuck, if any. */
export function errorsSaid(text: string, stuck = ''): SaidError[] {
  const sentences = sentencesOf(
    messageOf(text)
      .lines.filter(({ text: line }) => line.trim() !== '')
      .slice(-mostLines),
  )
  const found = sentences.flatMap((sentence, index) => {
    const at = errorAt(sentence.text)
    return at < 0 || isOver(sentence, at, sentences[index + 1]) ? [] : [errorOf(sentence.text, at)]
  })
  if (found.length > 0 || stuck === '') return [...new Map(found.map((error) => [error.hash, error])).values()].slice(-mostErrors)
  const index = sentences.findIndex((sentence) => sentence.text.toLowerCase().includes(stuck))
  const [sentence, next] = index < 0 ? [] : sentences.slice(index)
  if (sentence === undefined || isOver(sentence, sentence.text.toLowerCase().indexOf(stuck), next)) return []
  return [saidError(sentence.text)]
}

/** The error in the last tool result; lines that are not errors are ignored. */
export function errorShown(text: string): SaidError[] {
  const lines = text.split('\n').filter(looksLikeError)
  return lines.slice(0, 1).map((first) => ({ hash: errorHash(lines.join('\n')), message: first.trim() }))
}

const mostLines = 60
const mostErrors = 3

type Sentence = { text: string /** the line that a list or block belongs to */; under: string }

function sentencesOf(lines: MessageLine[]): Sentence[] {
  let under = ''
  return lines.flatMap((line): Sentence[] => {
    const { text, fence } = line
    const isPart = fence !== undefined || isItem.test(text)
    if (!isPart) under = /:[\s*_`]*$|^\s*#/.test(text) ? text : ''
    return text.split(/(?<=[.!?;])\s+/).map((each) => ({ text: each, under: isPart ? under : '' }))
  })
}

const isItem = /^\s*(?:[-*+•]|\d{1,3}[.)])\s/

/** From the start of the error: what precedes it in the sentence varies. */
function errorOf(sentence: string, at: number): SaidError {
  const error = sentence.slice(at)
  return saidError(error.trim().split(/\s+/).length < 3 ? sentence : error)
}

function saidError(text: string): SaidError {
  const message = text.trim().replace(/^[\s>*_`'"“(-]+|[\s.*_`'"”)]+$/g, '')
  return { hash: errorHash(message), message }
}

/** Fixed, past, denied, or a message of the program being written. */
export function isOver({ text, under }: Sentence, at: number, next: Sentence | undefined): boolean {
  const before = text.slice(0, at)
  if (isDeniedBefore.test(before.replace(clauseEnds, ''))) return true
  if (lasts.test(text)) return false
  const own = before.replace(/^[\s\S]*(?:\bbut\b|\bhowever\b|\balthough\b|[;—–])/i, '')
  if (isMeant(own, over) || isMeant(under, over) || described.test(own)) return true
  if (overAfter.test(text.slice(at)) || (next !== undefined && overNext.test(next.text))) return true
  return isQuoted(before) && spokenOf.test(text)
}

function isMeant(text: string, cue: RegExp): boolean {
  const found = cue.exec(text)
  return found !== null && !notYet.test(text.slice(0, found.index).replace(clauseEnds, ''))
}

const isQuoted = (before: string): boolean => /(?:^|[\s(])["'“`][^"'”`]*$/.test(before)

const clauseEnds = /^[\s\S]*(?:[,:;—–(]|\b(?:and|but|so|because|since|with|as)\b)/i
const isDeniedBefore = /\b(?:no|not|never|without|nor|neither|zero)\b|n['’]t\b/i
const notYet = /\b(?:not|never|cannot|nothing|unable|to|will|should|must|would|could|needs?)\b|n['’]t\b/i
const lasts = /\b(?:still|again|remains?|unresolved|unfixed|keeps?)\b/i
const over =
  /\b(?:fix(?:ed|es)|resolv(?:ed|es)|solved|repaired|corrected|addressed|eliminated|cleared|handle[sd]|caught|worked around|no longer|used to|previously|formerly|earlier|gone|avoid(?:s|ed)|prevent(?:s|ed)|instead of|there (?:was|were)|(?:error|failure|problem|cause|issue|bug) was|was (?:failing|broken|caused)|had been)\b/i
const overAfter =
  /\b(?:is|was|are|were|been|got)\s+(?:now\s+)?(?:fixed|resolved|solved|gone|repaired|corrected|addressed)\b|\bno longer\b|[,(:–—-]\s*(?:now\s+)?(?:fixed|resolved|solved)\b/i
const overNext =
  /^\W*(?:(?:this|that|it|which|they|both|these)\b.{0,60}\b(?:fixed|resolved|solved|gone|repaired|works|passes)\b|(?:i\s+|now\s+|i have\s+)?(?:fixed|resolved|solved)(?:\s+(?:it|this|that|them|now|by)\b|[.!]?$))|\bworks now\b|\bpass(?:es)? now\b|\bnow (?:works?|pass(?:es)?)\b/i
const described = /\b(?:added|wrote|new)\s+(?:\w+\s+){0,3}tests?\b|\btests? (?:for|that|of)\b|\bhandl(?:ing|er) (?:of|for)\b/i
const spokenOf = /\b(?:now|should|will|passes|passing|passed|covers?|covered|added|wrote)\b/i
