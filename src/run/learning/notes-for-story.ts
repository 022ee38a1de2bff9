/** The lessons for a story's prompt, and the skills for agents that load them. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { archiveFolder, learningsFolder, stateFolder } from '../../adapters/project/layout.ts'
import { chooseLessons } from '../../core/learning/choose.ts'
import type { Lesson } from '../../core/learning/learning.ts'
import { storyNamed } from '../../core/plan/stories.ts'
import type { State } from '../../core/state.ts'
import type { IterationStarted } from '../iteration/gather-prompt.ts'
import type { Work } from '../parts.ts'

/** The project's lessons, read when first needed; dropped when there are new ones. */
export type KnownLessons = { known: Promise<Lesson[]> | null }

type LessonsWorld = Pick<Work, 'root' | 'settings' | 'plan'> & { lessons: KnownLessons }

export type Learned = { texts: string[]; lessons: string[]; skills: string[] }

export async function learnedFor(world: LessonsWorld, { story: id }: IterationStarted, state: State): Promise<Learned> {
  const skills = skillsIn(world.root)
  const tokens = world.settings['learn.prompt_tokens']
  const story = storyNamed(state.plan, id)
  const text = id === null ? undefined : world.plan.current()?.texts[id]
  if (tokens === 0 || story === undefined || text === undefined || !world.settings['learn.enabled'])
    return { texts: [], lessons: [], skills }
  const retired = new Set(state.learning.retired)
  const known = (await lessonsOf(world)).filter((lesson) => !retired.has(lesson.id))
  const chosen = chooseLessons(known, { id: story.id, title: story.title, ...text }, usesOf(state), tokens)
  return { texts: chosen.map((lesson) => lesson.text), lessons: chosen.map((lesson) => lesson.id), skills }
}

const usesOf = ({ learning }: State): Record<string, { uses: number; passed: number }> =>
  Object.fromEntries(Object.entries(learning.uses).map(([id, { times, passed }]) => [id, { uses: times, passed }]))

/** Names of the categories that have a skill. */
export function skillsIn(root: string): string[] {
  const folder = join(root, '.claude', 'skills')
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('-learned') && existsSync(join(folder, name, 'SKILL.md')))
    .map((name) => name.slice(0, -'-learned'.length))
}

function lessonsOf({ root, lessons }: LessonsWorld): Promise<Lesson[]> {
  lessons.known ??= hasLearnings(root) ? readAll(root) : Promise.resolve([])
  return lessons.known
}

async function readAll(root: string): Promise<Lesson[]> {
  const { lessonsIn } = await import('./gather.ts')
  return (await lessonsIn(root)).lessons
}

/** Most projects have none: then nothing is loaded. */
function hasLearnings(root: string): boolean {
  return [stateFolder(root), archiveFolder(root)].some(
    (folder) => existsSync(folder) && readdirSync(folder).some((name) => existsSync(learningsFolder(join(folder, name)))),
  )
}
