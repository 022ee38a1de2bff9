/** Who implements, reviews and learns: the agents and models from settings and stories, with their instructions. */
import { agentNamed } from '../adapters/agents/list.ts'
import { withCommands } from '../adapters/agents/shared/tool-rules.ts'
import { readIfThere } from '../adapters/files/files.ts'
import { promptPath } from '../adapters/project/layout.ts'
import { type RoleTemplate, roleTemplates, shippedPath, templatePath } from '../adapters/project/templates.ts'
import type { Settings } from '../config/table.ts'
import { EXIT, Failure } from '../core/failure.ts'
import { storyNamed } from '../core/plan/stories.ts'
import type { State } from '../core/state.ts'
import type { StoryId } from '../core/types.ts'
import type { Agent } from '../ports.ts'
import type { Project } from './project.ts'

export type Agents = {
  /** The story's own, or the run's; `instead`: the one that takes its call while it is at its usage limit. */
  agentFor(state: Pick<State, 'plan'>, story: StoryId | null, instead?: string): Agent
  /** The story's own, or, after a strategy shift, a stronger one. `shifts`: how many there were. */
  modelFor(state: Pick<State, 'plan'>, story: StoryId | null, shifts?: number, instead?: string): string
  /** Those that may take a call for another one, by the setting `agents`. */
  listed(): AgentInRole[]
  /** The agent of another role, and its model. `isAgain`: its last answer was no use, so the model is the implementer's. */
  reviewer(name: string, isAgain?: boolean): AgentInRole
  learner(name: string, isAgain?: boolean): AgentInRole
  /** The instructions: prompt.md, the given file, or the template. */
  instructions(): string
  /** The same when the run began: what reviewers judge by. An implementer can write to the file. */
  asked: string
  /** Instructions for reviewers and learners, as they were when the run began. */
  orders: Record<RoleTemplate, string>
  /** The tool for reports, for agents with MCP servers. */
  statusTool: { command: string; args: string[] }
}
export type AgentInRole = { agent: Agent; model: string }

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
  const listedModels = new Map(listedAgents(settings).map(({ name, model }) => [name, model]))
  const modelOf = (name: string): string => listedModels.get(name) || (name === own.name ? settings['model'] : '')
  const inRole = (role: 'reviewer' | 'learner', name: string, isAgain = false): AgentInRole => {
    const isNamed = name === (settings[`roles.${role}.agent`] || own.name) || !listedModels.has(name)
    const model = isNamed ? settings[`roles.${role}.model`] : ''
    const agent = choose(name)
    const cheaper = model === '' && !isAgain && name === own.name ? agent.cheaperModel?.(role, modelOf(name)) : undefined
    return { agent, model: (model === sameModel ? '' : model) || (cheaper ?? modelOf(name)) }
  }
  if (promptFile !== undefined && readIfThere(promptFile) === null)
    throw new Failure(EXIT.usage, `Prompt file not found: ${promptFile}.`)
  const path = promptFile ?? promptPath(dir)
  const instructions = (): string => readIfThere(path) ?? readIfThere(templatePath(root, home, settings['prompt.template'])) ?? ''
  return {
    agentFor: ({ plan }, id, instead) => choose(instead ?? storyNamed(plan, id)?.agent),
    modelFor({ plan }, id, shifts = 0, instead) {
      const story = storyNamed(plan, id)
      const name = instead ?? story?.agent ?? own.name
      // The models in the settings are for the run's own agent, and a story's model is for the agent that it names.
      const shifted = name === own.name ? stronger(settings['models'], shifts) : undefined
      return shifted ?? (instead === undefined ? story?.model : undefined) ?? modelOf(name)
    },
    listed: () => listedAgents(settings).map(({ name }) => ({ agent: choose(name), model: modelOf(name) })),
    reviewer: (name, isAgain) => inRole('reviewer', name, isAgain),
    learner: (name, isAgain) => inRole('learner', name, isAgain),
    orders: roleTemplates(root, home),
    instructions,
    asked: instructions(),
    statusTool: { command: process.execPath, args: [shippedPath('bin/ralph.js'), 'mcp'] },
  }
}

/** In `roles.*.model`: that of the implementer. */
const sameModel = 'same'

/** An agent that may not run a gate would learn of a failure only when its iteration is over. */
const gateCommands = (settings: Settings): string[] =>
  [settings['gates.tests'], ...Object.values({ ...settings['quality_checks'], ...settings['quality.commands'] })].filter(
    (command) => command !== '',
  )

/** As the setting has them: a name, or a name and a model, as in `codex:gpt-5.5`. */
export const listedAgents = (settings: Pick<Settings, 'agents'>): { name: string; model: string }[] =>
  settings['agents'].map((written) => {
    const [name = '', ...model] = written.split(':')
    return { name, model: model.join(':') }
  })

/** The first shift uses the first of them, the second the next; the last one stays. */
const stronger = (models: string[], shifts: number): string | undefined =>
  shifts === 0 ? undefined : models[Math.min(shifts, models.length) - 1]
