/** The doors to the world, as the loop sees them. Behind each is one adapter; the simulator has its own. */
import type { Entry } from './core/transcript.ts'

/** What starts one call of an agent. */
export type Task = { prompt: string; cwd: string; model: string; env: Record<string, string> }
export type Launch = { command: string; args: string[]; env: Record<string, string>; stdin: string }

export type Agent = {
  name: string
  /** Whether its output tells its own words from tools and files; if not, signals need the iteration's code. */
  tellsWordsApart: boolean
  reportsCost: boolean
  launch(task: Task): Launch
  /** A reader has memory (what the last message was): one per call. */
  reader(): Reader
  /** How `ralph doctor` and the start of a run find it. */
  program: string
  install: string
}
/** Takes one line of output without its line end, gives what it means. Never throws. */
export type Reader = (line: string, stream: 'out' | 'err') => Entry[]
