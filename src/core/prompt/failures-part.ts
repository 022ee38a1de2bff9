/** What failed before, in the prompt: each failure once. What fails now is quoted verbatim; what was fixed, or failed again since, takes one line. */
import { listed } from '../plan/stories.ts'
import type { Dismissed } from '../review/findings.ts'
import type { Refusal } from '../state.ts'
import type { GateResult, StoryId } from '../types.ts'
import { fenced } from './fenced.ts'

/** `red`: gates that fail now; `isGreen`: all passed after the last change; `dismissed`: what a person dismissed of what reviewers found. */
type FailuresInput = {
  refusals: Refusal[]
  red: GateResult[]
  isGreen: boolean
  story: { id: StoryId } | null
  dismissed: Pick<Dismissed, 'id' | 'words'>[]
}

export function failuresPart({ refusals, red, isGreen, story, dismissed }: FailuresInput): string {
  const last = refusals.at(-1)
  const isQuotedThere = (gate: GateResult): boolean => last?.gates.some(isSameFailure(gate)) === true
  const elsewhere = red.filter((gate) => !gate.passed && !isQuotedThere(gate))
  const parts = elsewhere.length === 0 ? [] : ['### Failing now', ...elsewhere.map(gateBlock)]
  const before: string[] = []
  for (const [index, refusal] of [...refusals.entries()].toReversed()) {
    const newer = [...elsewhere, ...refusals.slice(index + 1).flatMap(({ gates }) => gates)]
    const isStillRed = (gate: GateResult): boolean => refusal === last && red.some(isSameFailure(gate))
    const isAgain = (gate: GateResult): boolean => newer.some(({ name, kind }) => name === gate.name && kind === gate.kind)
    // Gates run after every change, and a story's own ones when it is marked done. Reviewers and Ralph's own checks look again only once the
    // gates pass: what they found stands until then.
    const isFixed = ({ kind, story: own }: GateResult): boolean =>
      kind === 'command' && (newer.length > 0 || (own === undefined && (isGreen || red.length > 0)))
    const open = refusal.gates.filter((gate) => isStillRed(gate) || !(isAgain(gate) || isFixed(gate)))
    if (open.length > 0 || (refusal === last && refusal.gates.length === 0)) parts.push(heading(refusal), ...open.map(gateBlock))
    const gone = refusal.gates.filter((gate) => !open.includes(gate))
    const again = gone.filter(isAgain).map(({ name }) => `${name} (failed again since)`)
    const fixed = gone.filter((gate) => !isAgain(gate)).map(({ name }) => `${name} (passes now)`)
    if (gone.length > 0) before.push(`- Iteration ${refusal.iteration}: ${listed([...again, ...fixed])}`)
    else if (refusal !== last && open.length === 0) before.push(`- Iteration ${refusal.iteration}: ${refusal.because}`)
  }
  if (parts.length > 0 && last?.gates.some(({ findings = [] }) => findings.length > 0)) parts.push(...aboutFindings(dismissed))
  if (before.length > 0) parts.push(['Failed earlier:', ...before.toReversed()].join('\n'))
  return parts.length === 0
    ? ''
    : [`## What failed before${story === null ? '' : ` on ${story.id}`} (verbatim)`, ...parts].join('\n\n')
}

const aboutFindings = (dismissed: FailuresInput['dismissed']): string[] => [
  'The next review checks whether these findings are fixed, and looks at the lines that you change. Fix them, and leave other code as it is.',
  ...(dismissed.length === 0
    ? []
    : [['A person has decided not to change this:', ...dismissed.map(({ id, words }) => `- ${words} [${id}]`)].join('\n')]),
]

const isSameFailure =
  ({ outputHash }: GateResult) =>
  (other: GateResult): boolean =>
    other.outputHash === outputHash

const heading = ({ iteration, because }: Refusal): string => `### Iteration ${iteration}: ${because}`

function gateBlock(gate: GateResult): string {
  const how = gate.ended === 'timeout' ? 'timed out' : gate.exitCode === null ? 'failed' : `exit ${gate.exitCode}`
  return [`Gate ${gate.name}: \`${gate.command}\` (${how})`, fenced(gate.output, 'text')].join('\n')
}
