/** What `ralph lint` looks at, and what it finds. */
import type { Story, StoryId } from '../../types.ts'

export type LintSeverity = 'error' | 'warning' | 'note'

/** Rules, worst first. */
export const lintRules = [
  ...['bad-plan', 'failed-often', 'placeholder', 'unknown-field', 'unclear', 'missing-dependency', 'no-gate', 'too-large'],
  ...['form', 'same-files', 'boilerplate', 'no-criteria'],
] as const
export type LintRule = (typeof lintRules)[number]

export type LintFinding = {
  rule: LintRule
  severity: LintSeverity
  /** Where in the text of the plan. */
  offset: number
  story: StoryId | null
  message: string
}

/** A story as the rules see it, with the positions of its id and of its criteria. */
export type LintedStory = {
  story: Story
  description: string
  criteria: { text: string; offset: number }[]
  offset: number
}

/** What earlier runs say about a story. */
export type StoryHistory = { failedAttempts: number; wasCut: boolean }

export type LintInput = {
  stories: LintedStory[]
  /** Gates of every story. */
  gates: { name: string; command: string }[]
  hasReviewer: boolean
  /** A checklist has no place for criteria. */
  isChecklist: boolean
  history: Record<StoryId, StoryHistory>
}

export const isOpen = ({ story }: LintedStory): boolean => !story.passes && !story.skip

/** A piece of a plan in a message: short, on one line. */
export const quotedPiece = (text: string): string => {
  const words = text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  return `"${words.length > 60 ? `${words.slice(0, 60)}…` : words}"`
}
