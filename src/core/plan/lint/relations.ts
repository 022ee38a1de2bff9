/** How stories depend on each other: dependencies that are implied but missing, and stories that change the same files. */
import { type TouchedPath, touchedPaths, whereMeet } from '../../text/paths-touched.ts'
import type { StoryId } from '../../types.ts'
import { isOpen, type LintedStory, type LintFinding } from './finding.ts'

export function relationFindings(stories: LintedStory[]): LintFinding[] {
  const isAfter = dependencyTest(stories)
  return [...missingDependencies(stories, isAfter), ...sameFiles(stories, isAfter)]
}

/** Whether one story depends on the other, directly or not. */
type IsAfter = (one: StoryId, other: StoryId) => boolean

function dependencyTest(stories: LintedStory[]): IsAfter {
  const direct = new Map(stories.map(({ story }) => [story.id, story.dependsOn]))
  const known = new Map<StoryId, Set<StoryId>>()
  const ancestors = (id: StoryId): Set<StoryId> => {
    const found = known.get(id)
    if (found !== undefined) return found
    const all = new Set<StoryId>()
    const waiting = [...(direct.get(id) ?? [])]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (all.has(next)) continue
      all.add(next)
      waiting.push(...(direct.get(next) ?? []))
    }
    known.set(id, all)
    return all
  }
  return (one, other) => ancestors(one).has(other)
}

/** A story whose text names another one needs it first, unless that one depends on this. */
function missingDependencies(stories: LintedStory[], isAfter: IsAfter): LintFinding[] {
  const open = stories.filter(isOpen)
  const named = open.map(({ story }) => ({ id: story.id, says: mentionOf(story.id, story.title) }))
  return open.flatMap(({ story, description, criteria, offset }) => {
    const text = [description, ...criteria.map((criterion) => criterion.text)].join('\n').slice(0, longestText)
    const lower = text.toLowerCase()
    const lost = named.filter(
      ({ id, says }) => id !== story.id && says({ text, lower }) && !isAfter(story.id, id) && !isAfter(id, story.id),
    )
    return lost.slice(0, mostNamed).map(
      ({ id }): LintFinding => ({
        ...{ rule: 'missing-dependency', severity: 'warning', offset, story: story.id },
        message: `${story.id}: mentions ${id} but does not depend on it; add it to dependsOn, or reword the text`,
      }),
    )
  })
}

const longestText = 10_000
/** A text that names every story is a summary. */
const mostNamed = 3

type BothCases = { text: string; lower: string }

/** An id counts if it cannot be an ordinary word; a title if it is a sentence of its own. */
function mentionOf(id: StoryId, title: string): (words: BothCases) => boolean {
  const isTelling = /[A-Za-z]/.test(id) && /\d/.test(id)
  const lowerTitle = title.toLowerCase().trim()
  const isSentence = lowerTitle.split(/\s+/).length >= 3 && lowerTitle.length >= 12
  return ({ text, lower }) => (isTelling && hasWord(text, id)) || (isSentence && lower.includes(lowerTitle))
}

function hasWord(text: string, word: string): boolean {
  const isPart = (char: string | undefined): boolean => char !== undefined && /[\p{L}\p{N}_.-]/u.test(char)
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const next = text[at + word.length]
    const isEnd = next === '.' && !isPart(text[at + word.length + 1])
    if (!isPart(text[at - 1]) && (isEnd || !isPart(next))) return true
  }
  return false
}

/** Each story with the first earlier one that touches the same files. */
function sameFiles(stories: LintedStory[], isAfter: IsAfter): LintFinding[] {
  const touching = stories
    .filter((linted) => isOpen(linted) && (linted.story.touches?.length ?? 0) > 0)
    .map((linted) => ({ ...linted, paths: touchedPaths(linted.story.touches ?? []) }))
  const earlier: { id: StoryId; paths: TouchedPath[] }[] = []
  return touching.flatMap(({ story, offset, paths }): LintFinding[] => {
    let place: string | undefined
    const other = earlier.find(({ id, paths: theirs }) => {
      place = isAfter(story.id, id) || isAfter(id, story.id) ? undefined : whereMeet(paths, theirs)
      return place !== undefined
    })
    earlier.push({ id: story.id, paths })
    if (other === undefined) return []
    const message = `${story.id}: ${other.id} touches the same files (${place}), and neither depends on the other`
    return [{ rule: 'same-files', severity: 'warning', offset, story: story.id, message }]
  })
}
