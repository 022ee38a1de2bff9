/** Whether learning helped: rates, targets, and stories with each skill compared to stories without it. */
import { comparison, comparisonWords } from '../../core/figures/compare.ts'
import type { Ledger, StoryEntry } from '../figures/ledger.ts'
import { plural } from '../status/status.ts'

/** Targets and results, and each skill, all in words. */
export type LearningSoFar = {
  targets: { what: string; target: string; soFar: string }[]
  skills: { skill: string; attempts: string; tokens: string; cost: string }[]
}

/** Targets, shown next to the results. */
const targets = { captured: 80, skillsAfter20: 3, tokens: -10 }

/** null: no finished story, so nothing to learn from. */
export function learningOf(all: Ledger[]): LearningSoFar | null {
  const finished = sum(all, (ledger) => ledger.state.learning.finished)
  if (finished === 0) return null
  const captured = sum(all, (ledger) => ledger.state.learning.captured)
  const skills = [...new Set(all.flatMap((ledger) => ledger.skills))].sort()
  const stories = all.flatMap((ledger) => ledger.stories).filter((story) => story.isPassed)
  const any = comparedBy(
    stories,
    (story) => story.skills.length > 0,
    ({ tokens }) => tokens,
  )
  const own = all.flatMap((ledger) => ledger.calls).filter(({ role }) => role === 'learner')
  const ownTokens = own.reduce((total, { inputTokens, outputTokens }) => total + inputTokens + outputTokens, 0)
  const beside =
    own.length === 0
      ? ''
      : `; beside that, learning itself took ${plural(own.length, 'call')} and ${Math.round(ownTokens / finished)} tokens per story`
  const share = `${Math.round((100 * captured) / finished)} % (${captured} of ${finished})`
  return {
    targets: [
      { what: 'runaway loops stopped', target: '100 %', soFar: runawaysSoFar(all) },
      { what: 'stories with learnings', target: `${targets.captured} %`, soFar: share },
      { what: 'skills after 20 stories', target: `${targets.skillsAfter20}`, soFar: `${skills.length} after ${finished}` },
      { what: 'tokens per story with skills', target: `${targets.tokens} %`, soFar: `${any}${beside}` },
    ],
    skills: skills.map((skill) => skillSoFar(skill, stories)),
  }
}

function runawaysSoFar(all: Ledger[]): string {
  const stopped = sum(all, ({ runaways }) => runaways.stopped)
  const seen = stopped + sum(all, ({ runaways }) => runaways.unstopped)
  return seen === 0 ? 'none seen' : `${Math.round((100 * stopped) / seen)} % (${stopped} of ${seen})`
}

export function learningLines(learning: LearningSoFar | null): string[] {
  if (learning === null) return []
  const { targets, skills } = learning
  return [
    '## Learning',
    '',
    '| | target | so far |',
    '|---|---|---|',
    ...targets.map(({ what, target, soFar }) => `| ${what} | ${target} | ${soFar} |`),
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
