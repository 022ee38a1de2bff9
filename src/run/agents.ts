/** Who implements, reviews and learns: the agents and models from settings and stories, with their instructions. */
import { join } from 'node:path'
import { agentNamed } from '../adapters/agents/list.ts'
import { withCommands } from '../adapters/agents/shared/tool-rules.ts'
import { readIfThere } from '../adapters/files/files.ts'
import { type RoleTemplate, roleTemplates, shippedPath, templatePath } from '../adapters/project/templates.ts'
import type { Settings } from '../config/table.ts'
import { EXIT, Failure } from '../core/failure.ts'
import { storyNamed } from '../core/plan/stories.ts'
import type { State } from '../core/state.ts'
import type { StoryId } from '../core/types.ts'
import type { Agent } from '../ports.ts'
import type { Project } from './project.ts'

export type Agents = {
  /** The story's own, or the run's. */
  agentFor(state: Pick<State, 'plan'>, story: StoryId | null): Agent
  /** The story's own, or, after a strategy shift, a stronger one. `shifts`: how many there were. */
  modelFor(state: Pick<State, 'plan'>, story: StoryId | null, shifts?: number): string
  /** The agent of another role, and its model. */
  reviewer(name: string): AgentInRole
  learner(name: string): AgentInRole
  /** The instructions: prompt.md, the given file, or the template. */
  instructions(): string
  /** The same when the run began: what reviewers judge by. An implementer can write to the file. */
  asked: string
  /** Instructions for reviewers and learners, as they were when the run began. */
  orders: Record<RoleTemplate, string>
  /** The tool for reports, for agents with MCP servers. */
  statusTool: { command: string; args: string[] }
}
type AgentInRole = { agent: Agent; model: string }

/** `promptFile`: instructions that the user named on the command line. */
export function openAgents({ root, home, dir }: Project, settings: Settings, promptFile?: string): Agents {
  const known = new Map<string, Agent>()
  const options = {
    allowedTools: withCommands(settings['claude.allowed_tools'], gateCommands(settings)),
    skipPermissions: settings['claude.dangerously_skip_permissions'],
    root,
  }
  const setting = settings['agent']
  const own = typeof setting === 'string' ? { name: setting } : setting
  const choose = (name: string | undefined): Agent => {
    const choice = name === undefined || name === own.name ? own : { name }
    const agent = known.get(choice.name) ?? agentNamed(choice, options)
    known.set(choice.name, agent)
    return agent
  }
  const inRole = (name: string, model: string): AgentInRole => ({
    agent: choose(name),
    model: model || (name === own.name ? settings['model'] : ''),
  })
  if (promptFile !== undefined && readIfThere(promptFile) === null)
    throw new Failure(EXIT.usage, `Prompt file not found: ${promptFile}.`)
  const promptPath = promptFile ?? join(dir, 'prompt.md')
  const instructions = (): string =>
    readIfThere(promptPath) ?? readIfThere(templatePath(root, home, settings['prompt.template'])) ?? ''
  return {
    agentFor: ({ plan }, id) => choose(storyNamed(plan, id)?.agent),
    modelFor({ plan }, id, shifts = 0) {
      const story = storyNamed(plan, id)
      // The models in the settings are for the run's own agent.
      const isOwn = story?.agent === undefined || story.agent === own.name
      return (isOwn ? stronger(settings['models'], shifts) : undefined) ?? story?.model ?? (isOwn ? settings['model'] : '')
    },
    reviewer: (name) => inRole(name, settings['roles.reviewer.model']),
    learner: (name) => inRole(name, settings['roles.learner.model']),
    orders: roleTemplates(root, home),
    instructions,
    asked: instructions(),
    statusTool: { command: process.execPath, args: [shippedPath('bin/ralph.js'), 'mcp'] },
  }
}

/** An agent that may not run a gate would learn of a failure only when its iteration is over. */
const gateCommands = (settings: Settings): string[] =>
  [settings['gates.tests'], ...Object.values({ ...settings['quality_checks'], ...settings['quality.commands'] })].filter(
    (command) => command !== '',
  )

/** The first shift uses the first of them, the second the next; the last one stays. */
const stronger = (models: string[], shifts: number): string | undefined =>
  shifts === 0 ? undefined : models[Math.min(shifts, models.length) - 1]
