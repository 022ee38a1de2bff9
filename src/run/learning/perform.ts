/** Carries out decisions about learning: lessons of a story, lessons of the project, and skills. */

import { markLesson } from '../../adapters/learning/learnings.ts'
import { retireSkill } from '../../adapters/learning/skills.ts'
import { noUsage } from '../../core/figures/price.ts'
import type { Decision, Report } from '../../core/types.ts'
import { noticed } from '../noticed.ts'
import type { Deed } from '../parts.ts'
import type { World } from '../world.ts'
import { runSkill } from './ask-for-skill.ts'
import { commitLearned, gatherAll, nameSkills } from './gather.ts'
import { runLearning } from './learn.ts'

type AboutLearning = Extract<
  Decision,
  { kind: 'learning.started' | 'gathering.started' | 'skill.started' | 'lesson.retired' | 'skill.retired' }
>

/** Returns the result; null: nobody waits for it. */
export async function performLearning(world: World, decision: AboutLearning, deed: Deed): Promise<Report | null> {
  const commit = () => commitLearned(world, deed.state.users, deed.report)
  const notice = (what: string, detail: string): void => deed.report(noticed(what, detail))
  switch (decision.kind) {
    case 'learning.started':
      return { kind: 'learning.ended', ...(await runLearning(world, decision, deed)) }
    case 'gathering.started': {
      const { due, ...gathered } = await gatherAll(world)
      const what = decision.patterns ? { patterns: decision.patterns, due: [] } : { due }
      return { kind: 'gathering.ended', ...gathered, ...what, repo: await commit() }
    }
    case 'skill.started': {
      const ended = await runSkill(world, decision, deed)
      for (const detail of await nameSkills(world.root, world.settings['learn.skill_threshold'])) notice('skills-unnamed', detail)
      return { kind: 'skill.ended', ...ended, repo: await commit() }
    }
    case 'lesson.retired':
      await markLesson(world.root, decision.lesson, 'retired').catch((error: Error) =>
        notice('lesson-unmarked', `${decision.lesson} could not be marked: ${error.message}`),
      )
      world.lessons.known = null
      return null
    case 'skill.retired': {
      const { problem, path } = retireSkill(world.root, decision.skill, decision.because)
      if (problem !== undefined) notice('skill-stays', problem)
      const retired = { category: decision.skill, agent: '', path, isNew: false, isRetired: true as const }
      return { kind: 'skill.ended', ...retired, usage: noUsage, durationMs: 0, repo: await commit() }
    }
  }
}
