/** `ralph breaker`: the state of the circuit breaker, and how it got there. */
import { breakerLabel, breakerThreshold } from '../core/decide/breaker.ts'
import type { State } from '../core/state.ts'
import { ruleNames } from '../core/types/words.ts'
import type { Instant } from '../core/types.ts'
import { sayLocal } from './local-time.ts'
import { breakerName as name } from './status/status.ts'

const counter = (times: number, threshold: number): string =>
  threshold === 0 ? `${times}, off` : `${times} of ${threshold} in a row`

export function breakerLines(state: State, now: Instant): string[] {
  const { breaker, policy, breakerHistory, indicators } = state
  const shown = (list: number[]): string =>
    list.length === 0 ? 'none' : `${list.length === 1 ? 'iteration' : 'iterations'} ${list.join(', ')}`
  return [
    `Circuit breaker: ${name(breaker.state)}`,
    ...(breaker.because === '' ? [] : [`Because:         ${breaker.because}`]),
    ...ruleNames.map(
      (rule) => `${`${breakerLabel(rule)}:`.padEnd(17)}${counter(breaker.counts[rule].times, breakerThreshold(rule, policy))}`,
    ),
    `Done answers:    ${shown(indicators.done)}`,
    `Testing only:    ${shown(indicators.testing)}`,
    `Claims:          ${shown(indicators.claims)}`,
    ...(breakerHistory.length === 0 ? ['No changes yet.'] : ['Last changes:']),
    ...breakerHistory
      .slice(-10)
      .map((change) => `  ${sayLocal(change.at, now)}: ${name(change.from)} → ${name(change.to)}, ${change.because}`),
    ...(breaker.state === 'open' ? ['Reset it with: ralph breaker reset'] : []),
  ]
}
