/** The kinds of settings, with their constraints, and the resulting value types. */
import type { Price } from '../core/figures/price.ts'

type CommonParts = {
  doc: string
  /** As written on the command line: '-n, --max-iterations <n>'. */
  flag?: string
  /** A second name of the flag. */
  alias?: string
}
export type Setting = CommonParts &
  (
    | { type: 'whole' | 'number' | 'minutes'; default: number | null; min?: number; above?: number; max?: number }
    | { type: 'bool'; default: boolean }
    | {
        type: 'text'
        default: string
        filled?: true /** An http or https URL. */
        isAddress?: true /** Shown to nobody. */
        isHidden?: true
      }
    | {
        type: 'choice'
        default: string
        values: readonly string[] /** What earlier versions wrote, and what it is now. */
        older?: Readonly<Record<string, string>>
      }
    | { type: 'list'; default: readonly string[] /** All allowed values. */; names?: readonly string[] }
    | { type: 'limits'; default: readonly [number, number] }
    | { type: 'commands'; default: Record<never, never> /** All allowed names. */; names?: readonly string[] }
    | { type: 'prices' | 'keywords'; default: Record<never, never> }
    | { type: 'agent'; default: string }
  )

/** The user's own agent: a command that Ralph starts, or a script that it plays. */
export type AgentSetting = {
  name: string
  command?: string[]
  format?: (typeof agentFormats)[number]
  env?: Record<string, string>
  script?: string
}
export const agentFormats = ['text', 'stream-json', 'acp'] as const
/** USD per million tokens. */
type SchemaKeywords = string[] | { words: string[]; weight: number }

/** The value of a setting in the program. */
export type Plain<S extends Setting> = S extends { type: 'choice'; values: readonly (infer V)[] }
  ? V
  : {
      whole: number
      number: number
      minutes: number
      bool: boolean
      text: string
      choice: string
      list: string[]
      limits: [soft: number, hard: number]
      commands: Record<string, string>
      prices: Record<string, Price>
      keywords: Record<string, SchemaKeywords>
      agent: string | AgentSetting
    }[S['type']]
