/** Every agent that Ralph knows by name. */
import { statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { EXIT, Failure, tried } from '../../core/failure.ts'
import { jsonIn, recordOf } from '../../core/text/json.ts'
import { didYouMean } from '../../core/text/nearest.ts'
import { type Agent, noNeeds } from '../../ports.ts'
import { lookForFolders, searchNames } from '../files/search-names.ts'
import { acpAgent } from './acp/acp.ts'
import { claude } from './claude.ts'
import { cline } from './cline.ts'
import { codex } from './codex.ts'
import { commandAgent } from './command.ts'
import { copilot } from './copilot.ts'
import { droid } from './droid.ts'
import { gemini } from './gemini.ts'
import { grok } from './grok.ts'
import { kilo } from './kilo.ts'
import { kimi } from './kimi.ts'
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
  kilo,
  cline,
  grok,
  droid,
  kimi,
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

/** Where an agent looks for the skills of a project; undefined: Ralph does not know the agent. */
export const skillsFolder = (name: string): string | undefined =>
  Object.hasOwn(agents, name) ? agents[name]?.skillsIn : undefined

type Environment = Record<string, string | undefined>

/** Files of the user's, outside the project, that agents are set up with; a variable may name another folder for them. */
export const homeSettings = (env: Environment): string[] => [
  ...inHome(env, ({ homeSettings: names = [] }) => names.filter((name) => !name.endsWith('/'))),
  ...homeKeys(env).keys(),
]

/** Those of them that agents write themselves, with the keys whose values are not theirs to change. */
const homeKeys = (env: Environment): Map<string, string[]> =>
  new Map(
    Object.values(agents).flatMap((agent) =>
      Object.entries(agent.homeKeys ?? {}).flatMap(([name, keys]) =>
        placesOf(env, agent, name).map((path): [string, string[]] => [path, keys]),
      ),
    ),
  )

/** Such files that their agents write themselves. */
export const ownSettings = (env: Environment): Set<string> => new Set(homeKeys(env).keys())

/** What counts of such a file: of one that an agent writes itself only what stands under these keys, or all of it if it cannot be read. */
export function settingsPart(env: Environment): (path: string, text: string) => string {
  const known = homeKeys(env)
  return (path, text) => {
    const [keys, value] = [known.get(path), jsonIn(withoutComments(text))]
    if (keys !== undefined && path.endsWith('.toml')) return withoutOwnLines(text, keys)
    if (keys === undefined || value === undefined) return text
    const found = keys.flatMap((key) => {
      const under = key.split('.').reduce<unknown>((whole, name) => recordOf(whole)[name], value)
      return under === undefined ? [] : [`${key}: ${JSON.stringify(under)}`]
    })
    return found.join('\n')
  }
}

/** In TOML, all lines count but those that the agent itself adds. */
const withoutOwnLines = (text: string, own: string[]): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !own.includes(line))
    .join('\n')

/** Copilot writes some, and Gemini and Qwen allow them. */
const withoutComments = (text: string): string =>
  text.replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_, quoted: string | undefined) => quoted ?? '')

/** Those that are there in folders of such files: skills, subagents, commands. */
export function homeOrders(env: Environment): string[] {
  const isThere = lookForFolders()
  return inHome(env, ({ homeSettings: names = [] }) => names.filter((name) => name.endsWith('/'))).flatMap((folder) =>
    isThere(dirname(folder)) ? textsIn(folder) : [],
  )
}

const inHome = (env: Environment, namesOf: (agent: KnownAgent) => string[]): string[] =>
  Object.values(agents).flatMap((agent) => namesOf(agent).flatMap((name) => placesOf(env, agent, name)))

const placesOf = (env: Environment, { needs = noNeeds }: KnownAgent, name: string): string[] => [
  ...(env['HOME'] === undefined ? [] : [join(env['HOME'], name)]),
  ...needs.folders.flatMap((variable) => env[variable] || []).map((folder) => join(folder, basename(name))),
]

const mostTexts = 1000
const namesIn = searchNames((name) => name !== '.system' && name !== 'node_modules')

/** Also of folders that the user keeps elsewhere, behind links. Codex writes its own skills to `.system`. */
function textsIn(folder: string, depth = 0): string[] {
  if (depth > 6) return []
  const names = namesIn(folder).toSorted()
  const found = names.flatMap((name) => {
    const path = join(folder, name)
    const stat = tried(() => statSync(path, { throwIfNoEntry: false }), undefined)
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
