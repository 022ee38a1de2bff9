/** Whether learning helped: shares, targets, and stories with each skill beside stories without it. */
import { comparison, comparisonWords } from '../core/compare.ts'
import type { Ledger, StoryEntry } from './ledger.ts'

/** What was hoped for; shown beside what came of it. */
const targets = { captured: 80, skillsAfter20: 3, tokens: -10 }

export function learningLines(all: Ledger[]): string[] {
  const finished = sum(all, (ledger) => ledger.state.learning.finished)
  if (finished === 0) return []
  const captured = sum(all, (ledger) => ledger.state.learning.captured)
  const skills = [...new Set(all.flatMap((ledger) => ledger.skills))].sort()
  const opened = sum(all, (ledger) => ledger.breakerOpened)
  const stories = all.flatMap((ledger) => ledger.stories).filter((story) => story.isPassed)
  const any = comparedBy(
    stories,
    (story) => story.skills.length > 0,
    ({ tokens }) => tokens,
  )
  return [
    '## Learning',
    '',
    '| | target | so far |',
    '|---|---|---|',
    `| runaway loops stopped | all | ${opened} stopped by the breaker |`,
    `| stories with learnings | ${targets.captured} % | ${Math.round((100 * captured) / finished)} % (${captured} of ${finished}) |`,
    `| skills after 20 stories | ${targets.skillsAfter20} | ${skills.length} after ${finished} |`,
    `| tokens per story with skills | ${targets.tokens} % | ${any} |`,
    ...(skills.length === 0
      ? []
      : ['', '| skill | attempts | tokens | cost |', '|---|---|---|---|', ...skills.map((skill) => skillRow(skill, stories))]),
  ]
}

function skillRow(skill: string, stories: StoryEntry[]): string {
  const has = (story: StoryEntry): boolean => story.skills.includes(skill)
  const priced = stories.filter(({ costUsd }) => costUsd !== null)
  const cells = [
    comparedBy(stories, has, ({ iterations }) => iterations),
    comparedBy(stories, has, ({ tokens }) => tokens),
    comparedBy(priced, has, ({ costUsd }) => costUsd!),
  ]
  return `| ${skill} | ${cells.join(' | ')} |`
}

const comparedBy = (stories: StoryEntry[], has: (story: StoryEntry) => boolean, of: (story: StoryEntry) => number): string =>
  comparisonWords(comparison(stories.filter(has).map(of), stories.filter((story) => !has(story)).map(of)))

const sum = (all: Ledger[], of: (ledger: Ledger) => number): number => all.reduce((total, ledger) => total + of(ledger), 0)
