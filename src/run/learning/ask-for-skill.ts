/** A skill from the lessons of one category. A failure here is only a warning. */

import { writeSkill } from '../../adapters/learning/skills.ts'
import { noUsage } from '../../core/figures/price.ts'
import { readSkillBody } from '../../core/learning/skills/body.ts'
import { skillPrompt } from '../../core/learning/skills/prompt.ts'
import { skillText } from '../../core/learning/skills/skill-file.ts'
import type { SkillEnded } from '../../core/types/results.ts'
import type { Decision } from '../../core/types.ts'
import type { Deed } from '../parts.ts'
import type { World } from '../world.ts'
import { groupsOf } from './gather.ts'
import { learnerCall, usedBy, whyLost } from './learner-call.ts'

type Skill = Extract<Decision, { kind: 'skill.started' }>

/** Written by the agent from the lessons; if its answer is unusable, built from the lessons alone. */
export async function runSkill(world: World, started: Skill, deed: Deed): Promise<SkillEnded> {
  try {
    return await written(world, started, deed)
  } catch (error) {
    const { category, agent } = started
    return { category, agent, path: '', isNew: false, problem: (error as Error).message, usage: noUsage, durationMs: 0 }
  }
}

async function written(world: World, { category, agent }: Skill, deed: Deed): Promise<SkillEnded> {
  const { groups } = await groupsOf(world.root, world.settings['learn.skill_threshold'])
  const own = groups.find((candidate) => candidate.category === category)
  if (own === undefined)
    return { category, agent, path: '', isNew: false, problem: 'its lessons are missing', usage: noUsage, durationMs: 0 }
  const promise = world.settings['completion.promise']
  const call = await learnerCall(world, { name: agent, schema: null, about: { RALPH_SKILL: category } }, deed, () =>
    skillPrompt(category, own.groups, world.agents.orders.skill, promise),
  )
  const body = whyLost(call) === null ? readSkillBody(world.mask.text(call.transcript.finalMessage), promise) : null
  const skill = writeSkill(world.root, category, skillText(category, own.groups, body))
  return { category, agent: body === null ? '' : agent, ...skill, ...usedBy(world, call) }
}
