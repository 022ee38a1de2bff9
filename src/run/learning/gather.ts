/** Collects the lessons of the whole project: which categories need a skill, and what everybody should know. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readLearnings } from '../../adapters/learning/learnings.ts'
import { writeAgentsSection, writePatterns } from '../../adapters/learning/skills.ts'
import type { Lesson } from '../../core/learning/learning.ts'
import { distinctLessons, lessonsOf } from '../../core/learning/lessons.ts'
import { groupLessons, type LessonGroups } from '../../core/learning/skills/group-lessons.ts'
import { skillDescription, skillName } from '../../core/learning/skills/skill-file.ts'
import { epochMs } from '../../core/text/time.ts'
import type { Repo, Reporter } from '../../core/types.ts'
import { fileIdentity } from '../iteration/measure.ts'
import { lookAgain } from '../iteration/settle.ts'
import type { UsersWorld } from '../iteration/users-files.ts'
import { noticed } from '../noticed.ts'
import type { Setup } from '../parts.ts'
import { skillsIn } from './notes-for-story.ts'

export type Gathered = { lessons: Lesson[]; groups: LessonGroups[]; problems: string[] }

/** Without dropped and retired ones. */
export async function groupsOf(root: string, threshold: number): Promise<Gathered> {
  const { learnings, problems } = await readLearnings(root)
  const all = learnings.flatMap(({ learning, feature, file }) => lessonsOf(learning, { feature, file }))
  const isUsable = ({ mark }: Lesson): boolean => mark !== 'dropped' && mark !== 'retired'
  // The same lesson learned twice counts twice toward a skill.
  return { lessons: distinctLessons(all).filter(isUsable), groups: groupLessons(all, threshold), problems }
}

export async function lessonsIn(root: string): Promise<{ lessons: Lesson[]; problems: string[] }> {
  const { learnings, problems } = await readLearnings(root)
  return {
    lessons: distinctLessons(learnings.flatMap(({ learning, feature, file }) => lessonsOf(learning, { feature, file }))),
    problems,
  }
}

/** Returns the categories whose skill is missing or outdated; and writes the general notes. */
export async function gatherAll(
  world: Pick<Setup, 'root' | 'settings'>,
): Promise<{ due: string[]; lessons: number; problems: string[] }> {
  const { root, settings } = world
  const { lessons, groups, problems } = await groupsOf(root, settings['learn.skill_threshold'])
  const due = groups.filter((group) => isNews(root, group)).map(({ category }) => category)
  const { problem } = writePatterns(root, lessons)
  return { due, lessons: lessons.length, problems: [...problems, ...(problem === undefined ? [] : [problem])] }
}

/** A skill that is older than its newest lesson lacks it. */
function isNews(root: string, { category, groups }: LessonGroups): boolean {
  const path = join(root, '.claude', 'skills', skillName(category), 'SKILL.md')
  if (existsSync(`${path}.retired`)) return false // it did not help; renaming it brings it back
  const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs
  return written === undefined || groups.flat().some((lesson) => epochMs(lesson.source.at) > written)
}

/** Names the skills to agents that do not load them themselves. */
export async function nameSkills(root: string, threshold: number): Promise<string[]> {
  const { groups } = await groupsOf(root, threshold)
  const there = new Set(skillsIn(root))
  const skills = groups
    .filter(({ category }) => there.has(skillName(category).replace(/-learned$/, '')))
    .map(({ category, groups }) => ({
      path: join('.claude', 'skills', skillName(category), 'SKILL.md'),
      when: skillDescription(category, groups),
    }))
  const written = writeAgentsSection(root, skills)
  return written.problem === undefined ? [] : [written.problem]
}

const learnedPaths = ['.claude/skills', 'AGENTS.md', 'CLAUDE.md']

/** What learning wrote outside `.ralph/` is committed by Ralph, unless a person had changes there. Never part of others' work. */
export async function commitLearned(world: UsersWorld, dirty: string[], report: Reporter): Promise<Repo> {
  const { git } = world
  if (git === null) return lookAgain(world)
  const changed = (await git.snapshot()).uncommitted.filter((file) => isLearned(file) && !dirty.includes(file))
  if (changed.length > 0 && world.settings['git.commit_state']) {
    const result = await git.commitPaths('chore(ralph): add lessons', changed, { hooks: false })
    if (result !== null && 'error' in result) report(noticed('commit-failed', `git did not commit the lessons: ${result.error}`))
  }
  for (const file of changed) world.leftByGates.set(file, fileIdentity(world, file))
  return lookAgain(world)
}

const isLearned = (file: string): boolean => learnedPaths.some((path) => file === path || file.startsWith(`${path}/`))
