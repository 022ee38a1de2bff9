/** What mutants of a story's code have shown: which were noticed by its gates, and which were not. */
import type { GateResult } from '../../types/checks.ts'

/** A change to one line that no gate noticed. */
export type Survivor = { file: string; line: number; before: string; after: string }

/** `tried`: those that have run; the rest of them, neither killed nor survivors, timed out or did not compile. */
export type Mutation = {
  tried: number
  killed: number
  survivors: Survivor[]
  /** Why there are not more, in words. */
  problem?: string
  durationMs: number
}

export const survivorWords = ({ file, line, before, after }: Survivor): string =>
  `${file}:${line}: "${before}" → "${after === '' ? 'nothing' : after}"`

type Ran = Pick<GateResult, 'passed' | 'ended' | 'exitCode' | 'output'>

/** A gate that timed out, could not start or could not compile the mutant has not noticed anything: 'unclear'. */
export function seenBy({ passed, ended, exitCode, output }: Ran): 'killed' | 'survived' | 'unclear' {
  if (passed) return 'survived'
  if (ended !== 'exited' || exitCode === null || exitCode === 126 || exitCode === 127) return 'unclear'
  return broken.test(output) && !asserted.test(output) ? 'unclear' : 'killed'
}

/** A compiler or a parser speaks. */
const broken =
  /\bSyntaxError\b|\bsyntax error\b|IndentationError|TabError|\b[Pp]arse ?[Ee]rror\b|Unexpected token|Transform failed|error TS\d+|\bTS\d{4}:|error\[E\d{4}\]|could not compile|\bCS\d{4}:|: error: |COMPILATION ERROR|Compilation failed|BUILD FAILED|\[build failed\]|declared and not used|imported and not used|\(mismatched types\b|invalid operation:|CompileError/

/** A check compared something. */
const asserted =
  /AssertionError|ERR_ASSERTION|[Aa]ssertion (?:failed|`)|Assertion(?:Failed)?(?:Exception|Error)|^E\s+assert|^\s*Expected\b|\btoBe|\btoEqual|^\s*--- FAIL:|panicked at|Failure\/Error/m
