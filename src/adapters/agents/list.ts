/** Every agent that Ralph knows by name. */
import { readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { EXIT, Failure, tried } from '../../core/failure.ts'
import { didYouMean } from '../../core/text/nearest.ts'
import { type Agent, noNeeds } from '../../ports.ts'
import { acpAgent } from './acp/acp.ts'
import { claude } from './claude.ts'
import { codex } from './codex.ts'
import { commandAgent } from './command.ts'
import { copilot } from './copilot.ts'
import { gemini } from './gemini.ts'
import { opencode } from './opencode.ts'
import { pi } from './pi.ts'
import { qwen } from './qwen.ts'
import { scripted } from './scripted.ts'
import type { AgentChoice, AgentOptions, KnownAgent } from './shared/choice.ts'

const agents: Record<string, KnownAgent> = {
  claude,
  codex,
  gemini,
  opencode,
  copilot,
  pi,
  qwen,
  scripted,
}

export const agentNames: string[] = Object.keys(agents)
/** Agents that use a model. */
export const realAgentNames: string[] = agentNames.filter((name) => agents[name] !== scripted)
export const childMarks: string[] = Object.values(agents).flatMap(({ marksChildrenBy = [] }) => marksChildrenBy)

const ordersIn = [...new Set(Object.values(agents).flatMap((agent) => agent.ordersIn ?? []))].map(
  (name) => `/${name.toLowerCase()}`,
)

/** Whether an agent, whichever it is, may take orders from this file of a project. */
export function givesOrders(path: string): boolean {
  const whole = `/${path.toLowerCase()}`
  return ordersIn.some((name) => (name.endsWith('/') ? whole.includes(name) : whole.endsWith(name)))
}

/** Files of the user's, outside the project, that agents are set up with; a variable may name another folder for them. */
export const homeSettings = (env: Record<string, string | undefined>): string[] => inHome(env, (name) => !name.endsWith('/'))

/** Those that are there in folders of such files: skills, subagents, commands. */
export const homeOrders = (env: Record<string, string | undefined>): string[] =>
  inHome(env, (name) => name.endsWith('/')).flatMap((folder) => textsIn(folder))

const inHome = (env: Record<string, string | undefined>, isWanted: (name: string) => boolean): string[] =>
  Object.values(agents).flatMap(({ homeSettings: names = [], needs = noNeeds }) => {
    const files = names.filter(isWanted)
    const named = needs.folders.flatMap((variable) => env[variable] || [])
    const folders = env['HOME'] === undefined ? [] : [env['HOME']]
    return [
      ...folders.flatMap((home) => files.map((file) => join(home, file))),
      ...named.flatMap((folder) => files.map((file) => join(folder, basename(file)))),
    ]
  })

const mostTexts = 1000

/** Also of folders that the user keeps elsewhere, behind links. Codex writes its own skills to `.system`. */
function textsIn(folder: string, depth = 0): string[] {
  if (depth > 6) return []
  const names = tried(() => readdirSync(folder).sort(), []).filter((name) => name !== '.system' && name !== 'node_modules')
  const found = names.flatMap((name) => {
    const path = join(folder, name)
    const stat = tried(() => statSync(path), undefined)
    return stat?.isDirectory() ? textsIn(path, depth + 1) : stat?.isFile() ? [path] : []
  })
  return found.slice(0, mostTexts)
}

export function agentNamed(choice: AgentChoice, options: AgentOptions): Agent {
  const { name, command, format } = choice
  const known = Object.hasOwn(agents, name) ? agents[name] : undefined
  // An agent over ACP may use the name of a known one: it then shares its usage limits and its sandbox needs.
  const agent = format === 'acp' ? acpAgent : (known?.agent ?? (command && commandAgent))
  if (agent) return { ...agent(choice, options), ...(known?.needs ? { needs: known.needs } : {}) }
  const what = `use one of ${agentNames.join(', ')}, or set a command for it`
  throw new Failure(EXIT.config, `Unknown agent "${name}": ${what}.${didYouMean(name, agentNames)}`)
}
