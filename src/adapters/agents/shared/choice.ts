/** Which agent is wanted, what it may do, and everything that Ralph knows about an agent by its name. */
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
  skipPermissions: boolean /** the project's folder, where relative paths start */
  root: string
}

/** One agent's entry in the list: all agent-specific knowledge outside its file. */
export type KnownAgent = {
  /** What it needs from outside the project; empty if it does not say. */
  needs?: Needs
  /** The folder of a project where it looks for skills. */
  skillsIn?: string
  /** Files of a project that it takes orders, settings, hooks or servers from, in any folder; a slash at the end: a folder. */
  ordersIn?: string[]
  /**
   * Files under the home folder that say whom it talks to, what it runs and what it is told, and that it does not write itself; a slash at the end: a
   * folder of them.
   */
  homeSettings?: string[]
  /** Such files that it writes itself, as JSON: what stands under these keys is not its own to change. In TOML: the lines that it adds itself. */
  homeKeys?: Record<string, string[]>
  /** Variables that it sets for its child processes. If such an agent started Ralph, Ralph does not pass them on. */
  marksChildrenBy?: string[] | undefined
  agent(choice: AgentChoice, options: AgentOptions): Agent
}

/** Most agents look there for skills. */
export const sharedSkills = '.agents/skills'

/** For agents that support any provider: prefixes of the variables with their keys. */
export const providerVariables = ['ANTHROPIC_', 'OPENAI_', 'GEMINI_', 'OPENROUTER_']
