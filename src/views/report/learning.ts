/** Whether learning helped: rates, and stories with each skill compared to stories without it. */
import { comparison, comparisonWords } from '../../core/figures/compare.ts'
import type { Ledger, StoryEntry } from '../figures/ledger.ts'
import { plural } from '../status/status.ts'
import { shownNumber } from './html/words.ts'

/** Results, and each skill, all in words. */
export type LearningSoFar = {
  results: { what: string; soFar: string }[]
  skills: { skill: string; attempts: string; tokens: string; cost: string }[]
}

/** null: no finished story, so nothing to learn from. */
export function learningOf(all: Ledger[]): LearningSoFar | null {
  const finished = sum(all, (ledger) => ledger.state.learning.finished)
  if (finished === 0) return null
  const captured = sum(all, (ledger) => ledger.state.learning.captured)
  const skills = [...new Set(all.flatMap((ledger) => ledger.skills))].sort()
  const stories = all.flatMap((ledger) => ledger.stories).filter((story) => story.isPassed)
  const own = all.flatMap((ledger) => ledger.calls).filter(({ role }) => role === 'learner')
  return {
    results: [
      { what: 'runaway loops stopped', soFar: runawaysSoFar(all) },
      {
        what: 'stories with learnings (easy ones not counted)',
        soFar: `${Math.round((100 * captured) / finished)} % (${captured} of ${finished})`,
      },
      { what: 'skills', soFar: `${skills.length} after ${plural(finished, 'story', 'stories')}` },
      { what: 'tokens per story with skills', soFar: tokensSoFar(stories, own) },
    ],
    skills: skills.map((skill) => skillSoFar(skill, stories)),
  }
}

/** What learning itself took is part of what stories with skills took: without it there would be none. */
function tokensSoFar(stories: StoryEntry[], own: Ledger['calls']): string {
  const has = ({ skills }: StoryEntry): boolean => skills.length > 0
  const ownTokens = own.reduce((total, { inputTokens, outputTokens }) => total + inputTokens + outputTokens, 0)
  const share = ownTokens / Math.max(1, stories.filter(has).length)
  const compared = comparedBy(stories, has, (story) => story.tokens + (has(story) ? share : 0))
  const taken = `${plural(own.length, 'learner call')} took ${shownNumber(ownTokens)} tokens`
  return own.length === 0 ? compared : `${compared}; ${taken}${stories.some(has) ? ', included here' : ''}`
}

function runawaysSoFar(all: Ledger[]): string {
  const stopped = sum(all, ({ runaways }) => runaways.stopped)
  const seen = stopped + sum(all, ({ runaways }) => runaways.unstopped)
  return seen === 0 ? 'none seen' : `${Math.round((100 * stopped) / seen)} % (${stopped} of ${seen})`
}

export function learningLines(learning: LearningSoFar | null): string[] {
  if (learning === null) return []
  const { results, skills } = learning
  return [
    '## Learning',
    '',
    '| | so far |',
    '|---|---|',
    ...results.map(({ what, soFar }) => `| ${what} | ${soFar} |`),
    ...(skills.length === 0 ? [] : ['', '| skill | attempts | tokens | cost |', '|---|---|---|---|']),
    ...skills.map(({ skill, attempts, tokens, cost }) => `| ${skill} | ${attempts} | ${tokens} | ${cost} |`),
  ]
}

function skillSoFar(skill: string, stories: StoryEntry[]): LearningSoFar['skills'][number] {
  const has = (story: StoryEntry): boolean => story.skills.includes(skill)
  const priced = stories.filter((story): story is StoryEntry & { costUsd: number } => story.costUsd !== null)
  return {
    skill,
    attempts: comparedBy(stories, has, ({ iterations }) => iterations),
    tokens: comparedBy(stories, has, ({ tokens }) => tokens),
    cost: comparedBy(priced, has, ({ costUsd }) => costUsd),
  }
}

const comparedBy = <S extends StoryEntry>(stories: S[], has: (story: StoryEntry) => boolean, of: (story: S) => number): string =>
  comparisonWords(comparison(stories.filter(has).map(of), stories.filter((story) => !has(story)).map(of)))

const sum = (all: Ledger[], of: (ledger: Ledger) => number): number => all.reduce((total, ledger) => total + of(ledger), 0)
