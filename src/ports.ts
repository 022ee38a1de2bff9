/** The doors to the world, as the loop sees them. Behind each is one adapter; the simulator has its own. */
import type { Entry } from './core/reading/transcript.ts'
import type { Role } from './core/types.ts'

/** What starts one call of an agent. */
export type Task = {
  prompt: string
  cwd: string
  model: string
  env: Record<string, string>
  /** The session to go on with, for agents that can. */
  resume?: string
  /** What is left of a cost budget, for agents that can hold to one themselves. */
  maxCostUsd?: number
  /** The program that offers the tool `report_status` over MCP, for agents that take such servers. */
  statusTool?: { command: string; args: string[] }
  /** A call that looks and answers, and changes nothing: a reviewer's. */
  isReadOnly?: boolean
  /** The shape (JSON Schema) that the final message must have, for agents that can be held to one. It is in the file `path` too. */
  schema?: { name: string; path: string; schema: object }
}
export type Launch = {
  command: string
  args: string[]
  env: Record<string, string>
  stdin: string
  /** By name: what the agent must be given as a file. `filesFolder` in the arguments stands for where they lie. */
  files?: Record<string, string>
}

export type Agent = {
  name: string
  /** Whether its output tells its own words from tools and files; if not, signals need the iteration's code. */
  tellsWordsApart: boolean
  /** What it tells of a call: its cost, its tokens (a price list makes them money), or nothing. */
  tells: 'cost' | 'tokens' | 'nothing'
  /** Tokens that the model can hold, where known. */
  contextWindow?: number
  /** It puts a file in place of `@path` in its prompt. */
  expandsPaths?: boolean
  /** It takes MCP servers, and so the tool to report with. */
  takesStatusTool?: boolean
  /** It can go on with a session by its id. `total`: what it then says of the cost is of the whole session. */
  resumes?: 'total' | 'own'
  /** Roles beside the implementer's that it takes without being asked to; where it does not say: all, if it can be held to a schema. */
  roles?: Role[]
  /** It can be held to a JSON Schema: its final message is then that JSON alone. */
  answersInSchema?: boolean
  launch(task: Task): Launch
  /** Beginnings of lines that only say again what other lines say: neither kept nor read. */
  repeats?: string[]
  /** A reader has memory (what the last message was): one per call. */
  reader(): Reader
  /** How `ralph doctor` and the start of a run find it. */
  program: string
  install: string
  /** The newest version that the tests were run with, for programs that are not ours. */
  tested?: string
  /** What a sandbox lets in for it. A program of the user's own has none that we know of: sandbox.home and sandbox.env name them. */
  needs?: Needs
}
/** What an agent has of its own outside the project. A sandbox lets these in, and no others. */
export type Needs = {
  /** Files and folders under the home folder. */
  home: string[]
  /** Beginnings of the names of variables. */
  variables: string[]
  /** Variables that name a folder of the agent's. */
  folders: string[]
}
export const noNeeds: Needs = { home: [], variables: [], folders: [] }
/** Takes one line of output without its line end, gives what it means. Never throws. */
export type Reader = (line: string, stream: 'out' | 'err') => Entry[]
