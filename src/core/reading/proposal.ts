/** The change of an acceptance criterion that an agent may propose at the end of a question: a person accepts it, or not. */
import { plain } from '../text/plain.ts'
import type { Proposal } from '../types.ts'

/** In the prompt as in an answer: AMEND: "the criterion as it is" => "as it should be". */
export const proposalForm = 'AMEND: "<the criterion as it is>" => "<as it should be>"'

/** The question without the proposal, and the proposal, if there is one that says something. */
export function withProposal(text: string): { text: string; proposal?: Proposal } {
  const found = [...text.matchAll(/(?<![\p{L}\p{N}])AMEND\s?:/gu)].at(-1)
  const proposal = found && proposalIn(text.slice(found.index + found[0].length))
  return proposal === undefined ? { text } : { text: text.slice(0, found?.index).trimEnd(), proposal }
}

function proposalIn(text: string): Proposal | undefined {
  if (text.length > 3 * longest) return undefined
  const flat = plain(text).replace(/\s+/g, ' ').trim()
  // In quotes first: a criterion may contain an arrow itself.
  const [, before, after] =
    /^["“'`](.+?)["”'`] ?(?:=>|⇒|→|->) ?["“'`](.+)["”'`]\.?$/u.exec(flat) ?? /^(.+?) (?:=>|⇒|→|->) (.+)$/u.exec(flat) ?? []
  if (before === undefined || after === undefined) return undefined
  const proposal = { before: bare(before), after: bare(after) }
  const isSaid = Object.values(proposal).every((words) => /[\p{L}\p{N}]/u.test(words) && words.length <= longest)
  return isSaid && proposal.before !== proposal.after ? proposal : undefined
}

const longest = 1000

/** As the plan has it: prompts list criteria with a box. */
const bare = (words: string): string =>
  words
    .trim()
    .replace(/^- \[[ x]\] /i, '')
    .trim()

/** The words that accept it, wherever an answer can be given. */
export const isAcceptance = (text: string): boolean => /^\s*accept(?:ed)?[\s.!]*$/i.test(text)

/** A question as people see it, with the change as a diff. */
export const askedWith = (question: string, proposal: Proposal | undefined): string =>
  proposal === undefined
    ? question
    : `${question}\nProposed change of the criterion (to make it: ralph answer --accept, or answer "accept"):\n- ${proposal.before}\n+ ${proposal.after}`

export const acceptedWords = ({ before, after }: Proposal): string => `Accepted: the criterion "${before}" is now "${after}".`
