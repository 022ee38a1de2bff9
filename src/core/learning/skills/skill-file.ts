/** The text of a SKILL.md: front matter that Claude Code accepts, and the lessons of a category. */

import { sure } from '../../failure.ts'
import { capital } from '../../text/escape.ts'
import type { Lesson } from '../learning.ts'
import { slugOf } from '../text.ts'
import { newestFirst, newestOf, storiesOf } from './group-lessons.ts'
import { isHarmful, quotedLine } from './quoted.ts'
import { topics } from './words.ts'

/** The sections of a skill, in this order. */
export const sections = ['When to use', 'Patterns', 'Gotchas', 'Examples'] as const

export const skillName = (category: string): string => `${slugOf(category)}-learned`

/** `body`: an agent's text that `readSkillBody` accepted; null: built from the lessons alone. */
export function skillText(category: string, groups: Lesson[][], body: string | null): string {
  const harmless = withoutHarm(groups)
  return [
    '---',
    `name: ${skillName(category)}`,
    `description: ${JSON.stringify(skillDescription(category, groups))}`,
    '---',
    '',
    `# ${capital(spoken(category))}: what earlier stories taught`,
    '',
    sourcesLine(groups.flat()),
    '',
    body ?? ownBody(category, harmless),
    '',
  ].join('\n')
}

/** When to use the skill. Every session has this in its context, so it contains no learned sentence: only single words that most lessons share. */
export function skillDescription(category: string, groups: Lesson[][]): string {
  const about = spoken(category)
  const terms = commonTopics(category, withoutHarm(groups))
  const when = terms.length === 0 ? '' : `, above all where it is about ${listed(terms)}`
  return `Patterns and gotchas of ${about} that earlier stories of this project taught. Use when a task touches ${about}${when}.`
}

/** Harmful lessons are passed on to nobody, not even to the agent that writes the skill. */
export const withoutHarm = (groups: Lesson[][]): Lesson[][] =>
  groups.map((group) => group.filter(({ text }) => !isHarmful(text))).filter((group) => group.length > 0)

const mostTerms = 6
const mostItems = 20
const mostExamples = 5

const spoken = (category: string): string => slugOf(category).replaceAll('-', ' ')

const listed = (words: string[]): string => words.join(', ').replace(/, ([^,]+)$/, ' or $1')

/** Words in the most lessons first; of equally common ones the longer, which says more. */
function commonTopics(category: string, groups: Lesson[][]): string[] {
  const own = topics(spoken(category))
  const found = new Map<string, { word: string; count: number }>()
  for (const { text } of groups.flat()) {
    for (const [stem, word] of topics(text)) {
      if (own.has(stem)) continue
      const known = found.get(stem)
      if (known === undefined) found.set(stem, { word, count: 1 })
      else found.set(stem, { word: isSimpler(word, known.word) ? word : known.word, count: known.count + 1 })
    }
  }
  return [...found.values()]
    .sort((a, b) => b.count - a.count || (isSimpler(a.word, b.word) ? 1 : -1))
    .slice(0, mostTerms)
    .map(({ word }) => word)
}

const isSimpler = (a: string, b: string): boolean => a.length < b.length || (a.length === b.length && a < b)

function sourcesLine(lessons: Lesson[]): string {
  const stories = [...storiesOf(lessons)].sort()
  const named = stories.slice(0, 12).map((story) => quotedLine(story, 80))
  const more = stories.length > named.length ? ` and ${stories.length - named.length} more` : ''
  return `Made by Ralph from ${counted(lessons.length, 'learning')} of ${counted(stories.length, 'story', 'stories')}: ${named.join(', ')}${more}.`
}

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

function ownBody(category: string, groups: Lesson[][]): string {
  const isGotcha = (group: Lesson[]): boolean => group.some(({ kind }) => kind === 'failure')
  const content: Record<(typeof sections)[number], string> = {
    'When to use': skillDescription(category, groups).replace(/^.*? Use when /, 'When '),
    Patterns: listOf(groups.filter((group) => !isGotcha(group))),
    Gotchas: listOf(groups.filter(isGotcha)),
    Examples: examplesOf(groups),
  }
  return sections.map((name) => `## ${name}\n\n${content[name]}`).join('\n\n')
}

function listOf(groups: Lesson[][]): string {
  const items = groups.slice(0, mostItems).map((group) => `- ${quotedLine(newestOf(group).text)}${often(group)}`)
  return items.length === 0 ? 'None yet.' : items.join('\n')
}

const often = (group: Lesson[]): string => (storiesOf(group).size > 1 ? ` (${storiesOf(group).size} stories)` : '')

/** Where it was first seen: lessons contain no code, but the story's commits do. */
function examplesOf(groups: Lesson[][]): string {
  const items = groups.slice(0, mostExamples).map((group) => {
    const { text, source } = sure(group.toSorted(newestFirst).at(-1), 'lesson in a group')
    const { feature, story, at, file } = source
    return `- ${quotedLine(`${feature} ${story}`, 80)}, ${quotedLine(at.slice(0, 10))}: ${quotedLine(text)} (\`${quotedLine(file, 200).replaceAll('`', '')}\`)`
  })
  return items.length === 0 ? 'None yet.' : items.join('\n')
}
