/** What can be observed in a transcript. */
import type { Proposal } from './plan.ts'
import type { Instant } from './words.ts'

/** One observation from a transcript, with its evidence. */
export type Signal =
  | {
      kind: 'claimed-done'
      by: 'promise' | 'status-block' | 'keywords' | 'plugin' | 'marker'
      /** Of a plugin's claim, or of the marker file. */
      name?: string
      exitSignal: boolean
      evidence: string
    }
  | { kind: 'stop'; name: string; reason: string; evidence: string } // a plugin's: the run ends after this iteration
  | { kind: 'blocked'; reason: string; evidence: string }
  | { kind: 'question'; text: string /** a change of a criterion that would settle it */; proposal?: Proposal; evidence: string }
  | { kind: 'asked'; text: string; evidence: string } // a question at the end of an answer, to someone who is not there
  | { kind: 'testing-only'; evidence: string }
  | { kind: 'unsigned'; evidence: string } // a signal without the iteration's code: recorded, answered in the next prompt
  | { kind: 'unclear'; evidence: string } // amid words that may deny it, or copied from a prompt: the same
  | { kind: 'throttled'; by: 'usage-limit' | 'rate' | 'overload' | 'unreachable' | 'login'; until?: Instant; message: string }
  /** `in`: for an agent that ended well: in its last message, or in its last tool result. */
  | { kind: 'error'; hash: string; message: string; in?: 'words' | 'tool' }
  | { kind: 'permission-denied'; tool: string }
  /** No line of the agent's could be read, or its program does not know an option: another version is installed. */
  | { kind: 'unreadable'; by: 'lines' | 'option'; message: string }

/** Why the provider gave no answer, in words for people. */
export const providerWords: Record<Extract<Signal, { kind: 'throttled' }>['by'], string> = {
  'usage-limit': 'usage limit',
  rate: 'rate limit',
  overload: 'provider overloaded',
  unreachable: 'provider unreachable',
  login: 'login rejected',
}
