/** The interfaces to the world, as the loop sees them. Each has one adapter; the simulator has its own. */
import type { Entry } from './core/reading/transcript.ts'
import type { Role, Usage } from './core/types.ts'

/** What starts one call of an agent. */
export type Task = {
  prompt: string
  /** The stable beginning of the prompt, for agents with a system prompt: providers charge less for a beginning that they know. */
  system?: string
  cwd: string
  model: string
  env: Record<string, string>
  /** The session to resume, for agents that can. */
  resume?: string
  /** What is left of a cost budget, for agents that can enforce one themselves. */
  maxCostUsd?: number
  /** The program with the tool `report_status` over MCP, for agents that support such servers. */
  statusTool?: { command: string; args: string[] }
  /** What it is kept from while it works, for agents that can be told. */
  guard?: Guard
  /** A read-only call: a reviewer's. */
  isReadOnly?: boolean
  /** The JSON Schema of the final message, for agents that can enforce one. It is also in the file `path`. */
  schema?: { name: string; path: string; schema: object }
}
export type Guard = {
  /** Whole paths of Ralph, git and agents that it must not write: `*` is any name, `**` all below. */
  denied: string[]
  /** What the project protects, as in .gitignore, from this folder on; and why an edit is refused. */
  protects?: { patterns: string[]; from: string; reason: string }
  /** A shell script that runs when it wants to stop; exit code 2 and words on standard error send it back to work. */
  atStop?: { script: string; seconds: number }
}
export type Launch = {
  command: string
  args: string[]
  env: Record<string, string>
  stdin: string
  /** Its program takes a socket for no input. */
  isStdinPipe?: boolean
  /** Files that the agent needs, by name. `filesFolder` in the arguments and variables stands for their folder. */
  files?: Record<string, string>
}

export type Agent = {
  name: string
  /** Whether its output separates its own words from tools and files; if not, signals need the iteration's code. */
  tellsWordsApart: boolean
  /** What it reports about a call: its cost, its tokens (a price list turns them into money), or nothing. */
  tells: 'cost' | 'tokens' | 'nothing'
  /** The size of the model's context in tokens, until the model itself reports it. */
  contextWindow?: number
  /** It takes the stable part of the prompt as part of its system prompt. */
  takesSystem?: boolean
  /** It supports MCP servers, and so the tool for reports. */
  takesStatusTool?: boolean
  /** At SIGINT it ends with its usual result, and says what the call has used. */
  reportsAtInterrupt?: boolean
  /** It can resume a session by its id. `total`: it then reports the cost of the whole session. */
  resumes?: 'total' | 'own'
  /** Roles besides implementer that it takes unasked; by default all, if it can enforce a schema. */
  roles?: Role[]
  /** A cheaper model of the same agent for another role, if the implementer's model is dearer; undefined: none is known. `model`: empty for its default. */
  cheaperModel?(role: 'reviewer' | 'learner', model: string): string | undefined
  /** It can enforce a JSON Schema: its final message is then only that JSON. */
  answersInSchema?: boolean
  /** What it may not do in ordinary calls, as its prompt says it. */
  limits?: string
  launch(task: Task): Launch
  /** Prefixes of lines that only repeat other lines: neither stored nor read. */
  repeats?: string[]
  /** What a call has used, for agents that write it to a file; read when a call is over that has printed none, whatever ended it. */
  usageLeft?(left: UsageLeft): Usage | undefined
  /** It writes that file after each request, so that a budget can end a call in the middle. */
  isUsageLeftLive?: boolean
  /** A reader has state (the last message): one per call. */
  reader(): Reader
  /** How `ralph doctor` and the start of a run find it. */
  program: string
  install: string
  /** The newest version that was tested, for external programs. */
  tested?: string
  /** The oldest version that was tested, if another one than the newest was. */
  oldest?: string
  /** How it tells without a model whether somebody is logged in. */
  login?: LoginCheck
  /** What a sandbox must let in for it. For a user's own program nothing is known: sandbox.home and sandbox.env name it. */
  needs?: Needs
}
/** `session`: empty if it did not say; `files`: the folder of the launch's own; `since`: in milliseconds since 1970. */
export type UsageLeft = { session: string; cwd: string; env: Record<string, string | undefined>; files: string; since: number }
/** `since`: from this version on; an older one may take the question for a prompt. `keys`: variables that make a login needless. */
export type LoginCheck = {
  args: string[]
  since: string
  keys: string[]
  saysNo: RegExp
  /** Without a login no call can work; if not, a provider of the user's own may need none. */
  isCertain: boolean
  advice: string
}
/** What an agent has outside the project. A sandbox lets in only these. */
export type Needs = {
  /** Files and folders under the home folder. */
  home: string[]
  /** Prefixes of variable names. */
  variables: string[]
  /** Variables that name one of the agent's folders. */
  folders: string[]
}
export const noNeeds: Needs = { home: [], variables: [], folders: [] }
/** Takes one line of output without its line end, and returns what it means. Never throws. */
export type Reader = (line: string, stream: 'out' | 'err') => Entry[]
