/** Every agent that Ralph knows by name. */
import { EXIT, Failure } from '../../core/failure.ts'
import { nearest } from '../../core/text/nearest.ts'
import type { Agent } from '../../ports.ts'
import { acpAgent } from './acp/acp.ts'
import { claudeAgent } from './claude.ts'
import { codexAgent } from './codex.ts'
import { commandAgent } from './command.ts'
import { copilotAgent } from './copilot.ts'
import { geminiAgent } from './gemini.ts'
import { opencodeAgent } from './opencode.ts'
import { piAgent } from './pi.ts'
import { qwenAgent } from './qwen.ts'
import { scriptedAgent } from './scripted.ts'
import type { AgentChoice, AgentOptions } from './shared/choice.ts'

const agents: Record<string, (choice: AgentChoice, options: AgentOptions) => Agent> = {
  claude: claudeAgent,
  codex: codexAgent,
  gemini: geminiAgent,
  opencode: opencodeAgent,
  copilot: copilotAgent,
  pi: piAgent,
  qwen: qwenAgent,
  scripted: scriptedAgent,
}

export const agentNames: string[] = Object.keys(agents)

export function agentNamed(choice: AgentChoice, options: AgentOptions): Agent {
  const { name, command, format } = choice
  if (format === 'acp') return acpAgent(choice, options) // also under the name of one that is known: they share its usage limits
  const agent = Object.hasOwn(agents, name) ? agents[name] : command && commandAgent
  if (agent) return agent(choice, options)
  const meant = nearest(name, agentNames)
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`
  const what = `it must be one of ${agentNames.join(', ')}, or have a command of its own`
  throw new Failure(EXIT.config, `There is no agent called "${name}": ${what}.${hint}`)
}
