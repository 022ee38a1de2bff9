/** What a held-out check may say: which criteria are not met, in the words of the plan. Nothing of its own output gets further than here. */
import { errorHash } from '../reading/reading.ts'
import type { GateResult, StoryId } from '../types.ts'
import { failingTests } from './failing-tests.ts'

/** A story with its criteria, as the plan has them. */
export type AskedStory = { id: StoryId; criteria: string[] }
/** `number`: of the criterion, from 1; absent: the check names only the story. */
export type Unmet = { story: StoryId; number?: number; criterion?: string }

/**
 * The check names what is not met: in lines such as "criterion: S-1 2", "criterion: 2" or "criterion: <its text>", or by names of failing tests with the id
 * of a story, and the number or the text of a criterion. `checked`: which stories it was run for.
 */
export function unmetIn(output: string, stories: AskedStory[], checked = stories): Unmet[] {
  const lines = output.split('\n').flatMap((line) => /^\s*criterion:\s*(\S.*)$/i.exec(line)?.[1] ?? [])
  const found = [
    ...lines.map((text) => meant(text, stories) ?? numbered(text, checked)),
    ...failingTests(output).map((name) => meant(name, stories)),
  ].filter((unmet) => unmet !== null)
  const isNamed = ({ story }: Unmet): boolean => found.some((other) => other.story === story && other.number !== undefined)
  const keyOf = ({ story, number = 0 }: Unmet): string => `${stories.findIndex(({ id }) => id === story)} ${number}`
  const each = new Map(
    found.filter((unmet) => unmet.number !== undefined || !isNamed(unmet)).map((unmet) => [keyOf(unmet), unmet]),
  )
  return [...each.entries()].sort(([one], [other]) => one.localeCompare(other, 'en', { numeric: true })).map(([, unmet]) => unmet)
}

/** By the story's id and a number after it, or by the criterion's text. */
function meant(text: string, stories: AskedStory[]): Unmet | null {
  const words = ` ${plain(text)} `
  const named = stories
    .filter(({ id }) => words.includes(` ${plain(id)} `))
    .sort((one, other) => other.id.length - one.id.length)
    .slice(0, 1)
  const [story] = named
  if (story !== undefined) {
    const after = words.slice(words.indexOf(` ${plain(story.id)} `) + plain(story.id).length + 1)
    const number = Number(/^ (?:criterion |c )?(\d{1,3}) /.exec(after)?.[1] ?? 0)
    if (story.criteria[number - 1] !== undefined) return unmetOf(story, number)
  }
  const quoted = (named.length === 0 ? stories : named)
    .flatMap((each) => each.criteria.map((criterion, index) => ({ each, index, criterion: plain(criterion) })))
    .filter(({ criterion }) => criterion.length >= shortest && words.includes(` ${criterion} `))
    .sort((one, other) => other.criterion.length - one.criterion.length)
  const [best] = quoted
  if (best !== undefined) return unmetOf(best.each, best.index + 1)
  return story === undefined ? null : { story: story.id }
}

/** A shorter text may stand in any name by chance. */
const shortest = 6

/** A bare number is clear only where one story is checked. */
function numbered(text: string, stories: AskedStory[]): Unmet | null {
  const [story, ...others] = stories
  const number = Number(/^#?(\d{1,3})\.?$/.exec(text.trim())?.[1] ?? 0)
  return story === undefined || others.length > 0 || story.criteria[number - 1] === undefined ? null : unmetOf(story, number)
}

const unmetOf = ({ id, criteria }: AskedStory, number: number): Unmet => ({
  story: id,
  number,
  criterion: criteria[number - 1] ?? '',
})

/** As runners spell names: without case and marks. */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** How it ended, and nothing else of it. */
export type HeldOutEnd = Pick<GateResult, 'passed' | 'exitCode' | 'ended' | 'durationMs'>

export function heldOutResult({ passed, exitCode, ended, durationMs }: HeldOutEnd, unmet: Unmet[]): GateResult {
  const output = passed ? '' : wordsFor({ exitCode, ended }, unmet)
  return {
    name: 'held-out',
    kind: 'held-out',
    command: 'held-out check',
    passed,
    exitCode: ended === 'exited' && exitCode !== null ? (passed ? 0 : 1) : null,
    ended,
    durationMs,
    output,
    outputHash: errorHash(output),
  }
}

const mostNamed = 20

function wordsFor({ exitCode, ended }: Pick<HeldOutEnd, 'exitCode' | 'ended'>, unmet: Unmet[]): string {
  if (ended === 'stopped') return 'The held-out check was stopped.'
  if (ended === 'timeout') return 'The held-out check timed out. Nothing else is known about it here.'
  if (ended === 'missing' || exitCode === 126 || exitCode === 127)
    return 'The held-out check could not run. Only the user can fix that.'
  const hidden = 'What it checks is not shown. Compare the work with every criterion again, and do not guess at the check.'
  if (unmet.length === 0) return `A held-out check failed. It does not say which criterion is not met.\n${hidden}`
  const lines = unmet.slice(0, mostNamed).map(({ story, number, criterion }) => {
    return number === undefined ? `- ${story}: one of its criteria` : `- ${story}, criterion ${number}: ${criterion}`
  })
  return ['A held-out check failed. Not met:', ...lines, hidden].join('\n')
}
