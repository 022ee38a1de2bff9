/** `ralph learn`: shows lessons with their source, uses and effect; keeps, edits or drops one; combines them into skills. */
import { EXIT, Failure } from '../core/failure.ts'
import type { Lesson } from '../core/learning/learning.ts'
import type { UseCount } from '../core/learning/learning-state.ts'
import { didYouMean } from '../core/text/nearest.ts'
import { instantOf } from '../core/text/time.ts'
import type { Io } from '../io.ts'
import { ledgersBeside } from '../run/history/all-logs.ts'
import { gatherAll, lessonsIn, nameSkills } from '../run/learning/gather.ts'
import { skillsIn } from '../run/learning/notes-for-story.ts'
import { projectRoot, settingsOf } from '../run/project.ts'
import { lessonLines, skillLines } from '../views/lessons.ts'
import { plural } from '../views/status/status.ts'

type Args = { feature?: string; aggregate?: boolean; action?: string; id?: string; text?: string }

const actions = ['show', 'keep', 'edit', 'drop'] as const

export async function runLearn(args: Args, io: Io): Promise<number> {
  const { root, home } = projectRoot(io)
  if (args.aggregate) return aggregate(root, home, io)
  const { lessons, problems } = await lessonsIn(root)
  for (const problem of problems) io.err(`! ${problem}\n`)
  const used = usesIn(root)
  if (args.action === undefined) {
    const lines = [...lessonLines(lessons, used), ...skillLines(skillsIn(root), used)]
    io.out(`${lines.join('\n')}\n`)
    return 0
  }
  const lesson = lessonNamed(lessons, args)
  switch (args.action) {
    case 'show':
      io.out(`${lessonLines([lesson], used, { now: instantOf(Date.now()) }).join('\n')}\n`)
      return 0
    case 'edit':
      return edit(root, lesson, args.text ?? '', io)
    default:
      return mark(root, lesson, args.action === 'keep' ? 'kept' : 'dropped', io)
  }
}

async function mark(root: string, lesson: Lesson, as: 'kept' | 'dropped', io: Io): Promise<number> {
  const { markLesson } = await import('../adapters/learning/learnings.ts')
  const files = await markLesson(root, lesson.id, as)
  const what = as === 'kept' ? 'It is never retired' : 'Prompts and skills no longer use it'
  io.out(`${as === 'kept' ? 'Kept' : 'Dropped'} ${lesson.id}: "${lesson.text}". ${what}. (${files.join(', ')})\n`)
  return 0
}

async function edit(root: string, lesson: Lesson, text: string, io: Io): Promise<number> {
  if (text.trim() === '')
    throw new Failure(EXIT.usage, `Missing text. Use: ralph learn edit ${lesson.id} "<the lesson in your words>"`)
  const { editLesson } = await import('../adapters/learning/learnings.ts')
  const edited = await editLesson(root, lesson.id, text)
  if (!edited.ok) throw new Failure(EXIT.usage, edited.problem)
  io.out(`${lesson.id} is now ${edited.id}: "${text.trim()}". (${edited.files.join(', ')})\n`)
  return 0
}

/** Without an agent: skills are built only from the lessons; in a run, the agent writes them. */
async function aggregate(root: string, home: string, io: Io): Promise<number> {
  const { settings } = await settingsOf(io, { root, home })
  const { due, lessons, problems } = await gatherAll({ root, settings })
  const threshold = settings['learn.skill_threshold']
  const [{ groupsOf }, { writeSkill }, { skillText }] = await Promise.all([
    import('../run/learning/gather.ts'),
    import('../adapters/learning/skills.ts'),
    import('../core/learning/skills/skill-file.ts'),
  ])
  const { groups } = await groupsOf(root, threshold)
  const written = groups
    .filter(({ category }) => due.includes(category))
    .map((group) => writeSkill(root, group.category, skillText(group.category, group.groups, null)))
  const bad = [
    ...problems,
    ...written.flatMap(({ problem }) => (problem === undefined ? [] : [problem])),
    ...(await nameSkills(root, threshold)),
  ]
  for (const problem of bad) io.err(`! ${problem}\n`)
  for (const { path, isNew, problem } of written) if (problem === undefined) io.out(`${isNew ? 'Wrote' : 'Updated'}: ${path}\n`)
  io.out(
    `Gathered ${plural(lessons, 'lesson')}${written.length === 0 ? `; no skill to write (a category needs ${threshold} new lessons)` : ''}.\n`,
  )
  return bad.length > 0 && written.every(({ problem }) => problem !== undefined) && due.length > 0 ? EXIT.data : 0
}

function lessonNamed(lessons: Lesson[], { action = '', id }: Args): Lesson {
  if (!actions.some((known) => known === action))
    throw new Failure(EXIT.usage, `Unknown action "${action}".${didYouMean(action, actions)} Use one of: ${actions.join(', ')}.`)
  const found = lessons.find((lesson) => lesson.id === id)
  if (found !== undefined) return found
  throw new Failure(EXIT.usage, `No lesson "${id ?? ''}". List them with: ralph learn`)
}

/** Over all features of this project. */
function usesIn(root: string): Record<string, UseCount> {
  const sum: Record<string, UseCount> = {}
  for (const { state } of ledgersBeside(root)) {
    for (const [id, { times, passed }] of Object.entries(state.learning.uses)) {
      sum[id] = { times: (sum[id]?.times ?? 0) + times, passed: (sum[id]?.passed ?? 0) + passed }
    }
  }
  return sum
}
