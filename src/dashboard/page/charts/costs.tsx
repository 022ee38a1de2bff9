/** What is left to do, and what it costs: stories, money and tokens by role, with the budget. */
import type { Role } from '../../../core/types.ts'
import { money, shownNumber } from '../../../views/report/html/words.ts'
import { plural } from '../../../views/status/status.ts'
import type { CallColumns, HistoryData, RunData } from '../../data/shapes.ts'
import { Plot, type Series } from './plot.tsx'

const roles: { role: Role; label: string; colour: string }[] = [
  { role: 'implementer', label: 'Implementer', colour: 'worked' },
  { role: 'reviewer', label: 'Reviewer', colour: 'done' },
  { role: 'learner', label: 'Learner', colour: 'asks' },
]

const roleNames = roles.map(({ role }) => role)

export function Costs({ run, history }: { run: RunData; history: HistoryData }) {
  const { burn, calls, budgetUsd, budgetTokens } = history
  if (calls.run.length === 0) return <div class="empty">No agent has finished a call yet.</div>
  const x = calls.run.map((_, index) => index + 1)
  const used = roles.filter(({ role }) => calls.role.includes(role))
  const open = burn.open.at(-1) ?? 0
  const totalTokens = calls.tokens.reduce((sum, tokens) => sum + tokens, 0)
  return (
    <div class="charts">
      {run.stories.length > 0 && (
        <Plot
          title="Open stories"
          summary={`${burn.open[0]} at the beginning, ${open} open after iteration ${burn.iteration.at(-1)}`}
          x={burn.iteration}
          xWords="iteration"
          series={[{ label: 'Open stories', colour: 'accent', values: burn.open, kind: 'steps' }]}
          words={(value) => (Number.isInteger(value) ? String(value) : '')}
        />
      )}
      <Plot
        title="Cost in each run"
        summary={costSummary(calls, budgetUsd)}
        x={x}
        xWords="call"
        series={[...stacked(calls, used, moneyAt), ...limitOf(budgetUsd, x.length, money)]}
        words={money}
      />
      <Plot
        title="Tokens in each run"
        summary={`last run ${shownNumber(grown(calls, roleNames, tokensAt).at(-1) ?? 0)}${budgetTokens === null ? '' : ` of ${shownNumber(budgetTokens)}`} · all runs ${shownNumber(totalTokens)}`}
        x={x}
        xWords="call"
        series={[...stacked(calls, used, tokensAt), ...limitOf(budgetTokens, x.length, shownNumber)]}
        words={shownNumber}
      />
      <ByRole calls={calls} />
    </div>
  )
}

/** On top of each other: the uppermost line is the sum. The highest is drawn first, so that the others lie before it. */
function stacked(calls: CallColumns, used: typeof roles, measure: Measure): Series[] {
  const names = used.map(({ role }) => role)
  return used
    .map(({ label, colour }, index): Series => {
      return { label, colour, values: grown(calls, names.slice(0, index + 1), measure), kind: 'area' }
    })
    .toReversed()
}

type Measure = (calls: CallColumns, index: number) => number
const moneyAt: Measure = ({ costUsd }, index) => costUsd[index] ?? 0
const tokensAt: Measure = ({ tokens }, index) => tokens[index] ?? 0

/** The sum for these roles since the run began. */
function grown(calls: CallColumns, of: Role[], measure: Measure): number[] {
  let sum = 0
  return calls.run.map((run, index) => {
    if (index > 0 && run !== calls.run[index - 1]) sum = 0
    const role = calls.role[index]
    if (role !== undefined && of.includes(role)) sum += measure(calls, index)
    return sum
  })
}

const limitOf = (budget: number | null, length: number, words: (value: number) => string): Series[] =>
  budget === null
    ? []
    : [{ label: `Budget ${words(budget)}`, colour: 'failed', values: Array(length).fill(budget), kind: 'limit' }]

function costSummary(calls: CallColumns, budget: number | null): string {
  const known = calls.costUsd.filter((costUsd) => costUsd !== null)
  if (known.length === 0) return 'unknown: the agent does not report it'
  const last = grown(calls, roleNames, moneyAt).at(-1) ?? 0
  const total = known.reduce((sum, costUsd) => sum + costUsd, 0)
  return `last run ${money(last)}${budget === null ? '' : ` of ${money(budget)}`} · all runs ${money(total)}`
}

const ByRole = ({ calls }: { calls: CallColumns }) => (
  <figure>
    <figcaption>
      <strong>By role</strong> <span class="soft">all runs</span>
    </figcaption>
    <table class="by-role">
      <thead>
        <tr>
          {['Role', 'Calls', 'Tokens', 'Cost'].map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {roles.flatMap(({ role, label }) => {
          const own = calls.role.flatMap((each, index) => (each === role ? [index] : []))
          if (own.length === 0) return []
          const sum = (measure: Measure): number => own.reduce((total, index) => total + measure(calls, index), 0)
          const unknown = own.filter((index) => calls.costUsd[index] === null).length
          const cost = unknown === own.length ? 'unknown' : money(sum(moneyAt))
          return [
            <tr key={role}>
              <th scope="row">{label}</th>
              <td>{own.length}</td>
              <td>{shownNumber(sum(tokensAt))}</td>
              <td>
                {cost}
                {unknown > 0 && unknown < own.length ? ` + ${plural(unknown, 'call')} of unknown cost` : ''}
              </td>
            </tr>,
          ]
        })}
      </tbody>
    </table>
  </figure>
)
