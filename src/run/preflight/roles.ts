/** Who reviews, who learns and who stands in for whom in a run, by its settings. */
import { basename } from 'node:path'
import { EXIT, Failure } from '../../core/failure.ts'
import type { Policy, Role } from '../../core/types.ts'
import type { Agent } from '../../ports.ts'
import { listedAgents } from '../agents.ts'
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

/** Who makes the candidates of `best_of` after the story's own agent: the listed agents, then the stronger models of the run's own. */
export function rivalsOf({ settings }: LoadedRoles, agentNamed: AgentByName): Pick<Policy, 'rivals'> {
  const own = agentNamed(undefined).name
  const rivals = [
    ...listedAgents(settings).map(({ name }) => ({ agent: name })),
    ...settings['models'].map((model) => ({ agent: own, model })),
  ]
  return rivals.length === 0 ? {} : { rivals }
}

/**
 * Who takes a call while the named agent is at its usage limit. Reviews and lessons go only to agents that do these unasked. Each agent has one
 * account: a second name for the same program would be another account of the same provider.
 */
export function fallbackOf({ settings }: LoadedRoles, agentNamed: AgentByName): Pick<Policy, 'fallback'> {
  const names = listedAgents(settings).map(({ name }) => name)
  if (names.length === 0) return {}
  const listed = names.map((name) => agentNamed(name))
  const own = agentNamed(undefined)
  const all = names.includes(own.name) ? listed : [own, ...listed]
  for (const [at, agent] of all.entries()) {
    const same = all.slice(0, at).find((other) => basename(other.program) === basename(agent.program))
    if (same === undefined) continue
    const which =
      same.name === agent.name ? `"${agent.name}" is listed twice` : `"${same.name}" and "${agent.name}" are the same program`
    throw new Failure(
      EXIT.config,
      `agents: ${which}. List each once: Ralph does not change accounts to get around a usage limit.`,
    )
  }
  const inRole = (role: Role): string[] => all.filter((agent) => takes(agent, role)).map(({ name }) => name)
  return {
    fallback: { implementer: all.map(({ name }) => name), reviewer: inRole('reviewer'), learner: inRole('learner') },
  }
}
