/** Who reviews and who learns in a run, by its settings. */
import type { Policy, Role } from '../../core/types.ts'
import type { Agent } from '../../ports.ts'
import type { settingsOf } from '../project.ts'

type AgentByName = (name: string | undefined) => Agent
type LoadedRoles = Pick<Awaited<ReturnType<typeof settingsOf>>, 'settings' | 'sources'>

/**
 * Who reviews. Unless the settings say otherwise, only agents that can enforce a form of answer: others would have to be taught first, and
 * would reject good work.
 */
export function reviewersOf({ settings, sources }: LoadedRoles, agentNamed: AgentByName): Policy['review'] {
  if (!settings['review.enabled']) return { final: [] }
  const named = settings['roles.reviewer.agent']
  const agent = agentNamed(named === '' ? undefined : named)
  const isWanted = sources['review.enabled'] !== 'default' || named !== '' || takes(agent, 'reviewer')
  return {
    ...(isWanted ? { spec: agent.name } : {}),
    ...(settings['quality.review'] ? { quality: agent.name } : {}),
    final: settings['review.final'],
  }
}

const takes = ({ roles, answersInSchema }: Agent, role: Role): boolean => roles?.includes(role) ?? answersInSchema === true

/** Who learns, by the same rule. */
export function learnerOf({ settings, sources }: LoadedRoles, agentNamed: AgentByName): Pick<Policy, 'learn'> {
  if (!settings['learn.enabled']) return {}
  const named = settings['roles.learner.agent']
  const agent = agentNamed(named === '' ? undefined : named)
  const isWanted = sources['learn.enabled'] !== 'default' || named !== '' || takes(agent, 'learner')
  return isWanted ? { learn: { agent: agent.name, aggregateEvery: settings['learn.aggregate_every'], atEnd: true } } : {}
}
