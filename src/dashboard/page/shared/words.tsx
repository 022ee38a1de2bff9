/** Small pieces that every view uses: chips, money, forecasts. */
import type { Outlook } from '../../../views/report/costs.ts'
import { duration, money } from '../../../views/report/html/words.ts'
import type { Status } from '../../../views/status/status.ts'
import { unpricedWords } from '../../../views/status/status.ts'
import type { CostData } from '../../data/shapes.ts'

export const Chip = ({ word, kind = word }: { word: string; kind?: string }) => <span class={`chip v-${kind}`}>{word}</span>

export function StateChip({ status }: { status: Pick<Status, 'state' | 'outcome'> }) {
  const word = status.state === 'ended' ? (status.outcome ?? 'ended') : status.state
  return <Chip word={word} />
}

export const costWords = (cost: CostData): string => money(cost.costUsd) + unpricedWords(cost)

export function forecastWords(outlook: Outlook): string {
  switch (outlook.kind) {
    case 'nothing-open':
      return 'nothing open'
    case 'too-little':
      return `not enough history yet (${outlook.finished} of ${outlook.needed} stories)`
    case 'told': {
      const cost = outlook.costUsd === null ? '' : `, ${money(outlook.costUsd.p50)} to ${money(outlook.costUsd.p90)}`
      return `${outlook.iterations.p50} to ${outlook.iterations.p90} iterations, ${duration(outlook.ms.p50)} to ${duration(outlook.ms.p90)}${cost}`
    }
  }
}

export const runAddress = (project: string, feature: string): string => `#/run/${project}/${encodeURIComponent(feature)}`
