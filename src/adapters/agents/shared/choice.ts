/** Which agent is wanted, and what it may do. */

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
