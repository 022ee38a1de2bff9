/** report.md and report.json: what a run came to, story by story. */

import type { State } from '../core/state.ts'
import { msBetween, sayDuration } from '../core/time.ts'
import type { StoryId } from '../core/types.ts'
import { failureData, failureLines } from './failure.ts'
import { storyCounts, totalCost } from './status.ts'

export function reportMarkdown(state: State): string {
  const { complete, total, unproven } = storyCounts(state)
  const stories = state.plan?.stories ?? []
  const failed = stories.filter((story) => story.failed && !story.passes)
  const lines = [
    '# Ralph Loop Execution Summary',
    '',
    `Feature ${state.feature}, run ${state.run}: ${state.outcome?.outcome ?? 'not ended'} (${state.outcome?.because ?? ''})`,
    '',
    `${state.totals.iterations} iterations in ${sayDuration(msBetween(state.runStartedAt, state.at))}, cost ${totalCost(state.totals)}`,
    '',
    `## Completed: ${complete}/${total} stories${unproven > 0 ? ` (${unproven} unproven)` : ''}`,
    '',
    ...stories.filter((story) => story.passes).map((story) => `- ${story.id} - ${story.title}${proofWords(state, story.id)}`),
  ]
  if (failed.length > 0) lines.push('', '## Failed stories (a person is needed)')
  for (const story of failed) lines.push('', ...failureLines(state, story))
  return `${lines.join('\n')}\n`
}

export function reportJson(state: State): object {
  const { complete, total, unproven } = storyCounts(state)
  return {
    version: 1,
    feature: state.feature,
    run: state.run,
    outcome: state.outcome?.outcome ?? null,
    because: state.outcome?.because ?? '',
    stories: { complete, total, unproven },
    totals: state.totals,
    receipts: Object.fromEntries(
      Object.entries(state.stories).flatMap(([id, story]) => (story.receipt ? [[id, story.receipt]] : [])),
    ),
    failed: (state.plan?.stories ?? []).flatMap((story) => (story.failed && !story.passes ? [failureData(state, story)] : [])),
  }
}

/** What proves each story: made by Ralph, not by an agent's word. */
export function receiptLines({ stories, plan }: State): string[] {
  const known = (plan?.stories ?? []).flatMap(({ id }) => {
    const receipt = stories[id]?.receipt
    return receipt === undefined || receipt.given ? [] : [{ id, receipt }]
  })
  if (known.length === 0) return []
  return [
    '## Receipts',
    '',
    '| story | iteration | commits | gates | agent | cost |',
    '|---|---|---|---|---|---|',
    ...known.map(({ id, receipt }) => {
      const gates = receipt.gates.map(
        ({ name, passed, durationMs }) => `${name} ${passed ? '✓' : '!'} ${sayDuration(durationMs)}`,
      )
      const commits = receipt.commits.map((commit) => commit.slice(0, 7))
      const cost = receipt.costUsd === null ? 'unknown' : `$${receipt.costUsd.toFixed(2)}`
      return `| ${id} | ${receipt.iteration} | ${commits.join(', ') || '-'} | ${gates.join(', ') || 'none: unproven'} | ${receipt.agent} | ${cost} |`
    }),
  ]
}

function proofWords(state: State, id: StoryId): string {
  const receipt = state.stories[id]?.receipt
  if (receipt === undefined) return ''
  if (receipt.given) return ' (passed before Ralph looked)'
  const gates = receipt.gates.map((gate) => gate.name).join(', ')
  const commits = receipt.commits.length > 0 ? `, ${receipt.commits.at(-1)!.slice(0, 7)}` : ''
  return receipt.proven
    ? ` (iteration ${receipt.iteration}${commits}, proven by ${gates})`
    : ` (iteration ${receipt.iteration}${commits}, unproven)`
}
