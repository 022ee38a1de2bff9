/** Which agent is wanted, what it may do, and all that Ralph knows of one by its name. */
import type { Agent, Needs } from '../../../ports.ts'

/** The setting `agent:`. */
export type AgentChoice = {
  name: string
  command?: string[]
  format?: 'text' | 'stream-json' | 'acp'
  env?: Record<string, string>
  script?: string
}
export type AgentOptions = {
  allowedTools: string
  skipPermissions: boolean /** the project's, where relative paths start */
  root: string
}

/** The entry of one agent in the list: whatever else must know of it asks the list. */
export type KnownAgent = {
  /** What it has of its own outside the project; nothing, where it does not say. */
  needs?: Needs
  /** Files of a project that it takes orders, settings, hooks or servers from, in any folder; a slash at the end: a folder. */
  ordersIn?: string[]
  /** Files under the home folder that say whom it talks to, what it runs and what it is told, and that it does not write itself. */
  homeSettings?: string[]
  /** Variables that it sets for what it starts. Ralph, where such an agent has started it, passes them on to nobody. */
  marksChildrenBy?: string[] | undefined
  agent(choice: AgentChoice, options: AgentOptions): Agent
}

/** For agents that talk to any provider: the beginnings of the variables that hold their keys. */
export const providerVariables = ['ANTHROPIC_', 'OPENAI_', 'GEMINI_', 'OPENROUTER_']
