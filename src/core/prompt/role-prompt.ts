/** What the prompts for reviewers, learners and planners have in common. */
import { withoutSignals } from '../reading/reading.ts'
import type { StoryId } from '../types.ts'

export type RoleInput = {
  /** Why the last answer could not be read; absent: there is none yet. */
  problem?: string | undefined
  /** The agent enforces a schema. */
  hasSchema: boolean
  /** The words that end a run: altered in everything that is quoted. */
  promise: string
}

export const quoting =
  ({ promise }: Pick<RoleInput, 'promise'>) =>
  (text: string): string =>
    withoutSignals(text, promise)

export const promptOf = (parts: string[]): string => `${paragraphs(parts)}\n`

const paragraphs = (parts: string[]): string => parts.filter((part) => part !== '').join('\n\n')

type QuotedStory = { id: StoryId; title: string; description: string; acceptanceCriteria: string[]; notes?: string }

export function storyText({ id, title, description, acceptanceCriteria, notes = '' }: QuotedStory): string {
  const criteria = acceptanceCriteria.map((criterion, index) => `${index + 1}. ${criterion}`)
  return paragraphs([
    `${id} - ${title}`,
    description.trim(),
    criteria.length === 0 ? '' : ['Acceptance criteria:', ...criteria].join('\n'),
    notes.trim() === '' ? '' : `Notes: ${notes.trim()}`,
  ])
}

/** `quoted`: how the problem is quoted. */
export function retryPart({ problem }: RoleInput, quoted: (text: string) => string, request: string): string {
  if (problem === undefined) return ''
  const why = problem.trim() === '' ? [] : [quoted(problem.trim())]
  return ['## Your last answer could not be read', ...why, request].join('\n')
}

const onlyJson = 'Your last message must be one JSON object and nothing else: no fence, no text before or after it.'

export const answerForm = ({ hasSchema }: RoleInput, withoutSchema = onlyJson): string =>
  hasSchema ? 'Your answer must match a JSON Schema. If you have a tool for that, use it. Add nothing else.' : withoutSchema
