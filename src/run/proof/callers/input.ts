/** What a program is given that makes calls of tests where no test runs. */
import type { NearCalls } from '../../../core/proof/reach/outside-tests/near-inputs.ts'
import type { TestedBlock } from '../../../core/proof/reach/outside-tests/tested-call.ts'

/** `said`: the file that it writes to; `home`: an empty home folder; `callMs`: for one process. */
export type CallerInput = {
  blocks: TestedBlock[]
  near: NearCalls[]
  said: string
  home: string
  callMs: number
  isRepeated: boolean
}
