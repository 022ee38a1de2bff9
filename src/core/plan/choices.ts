/** What a question can be answered with at the press of a button: what each button says and sends. */
import type { Question } from './question.ts'

const mostChoices = 5

/** Lists in a question (`A) tabs`, `1. tabs`, `- tabs`) are its choices. Empty: it needs words. */
export function choicesOf({ question, proposal, suspicions, accepts }: Question): string[] {
  if (suspicions !== undefined || accepts === true) return ['yes', 'no']
  if (proposal !== undefined) return ['accept']
  const listed = question
    .split('\n')
    .flatMap((line) => /^\s*(?:[-*•]|\(?(?:[A-Fa-f]|[1-6])[.):])\s+(\S.*)$/.exec(line)?.[1]?.trim() ?? [])
  return listed.length >= 2 && listed.length <= mostChoices ? listed : []
}
