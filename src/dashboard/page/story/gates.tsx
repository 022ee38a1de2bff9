/** Gates and reviews with their tests, their telling lines and their findings. */

import { duration } from '../../../views/report/html/words.ts'
import type { StateMark } from '../../../views/report/shared/marks.ts'
import type { GateRow } from '../../data/shapes.ts'
import { Icon } from '../shared/icons.tsx'
import { Chip } from '../shared/words.tsx'

export const Gates = ({ gates }: { gates: GateRow[] }) => (
  <ul class="gates" aria-label="Gates">
    {gates.map((gate, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: two gates may share a name, and their order stays
      <li key={index}>
        <div class="gate">
          <Chip mark={markOf(gate)} />
          <strong>
            {gate.kind === 'review' ? `${gate.name} review` : gate.name}
            {gate.isAfterMerge && ' after the merge'}
          </strong>
          <span class="soft">
            {duration(gate.ms)}
            {gate.census === null ? '' : ` · ${testWords(gate.census)}`}
            {gate.isFlaky ? ' · flaky' : ''}
          </span>
        </div>
        {gate.kind !== 'command' && gate.output !== '' && <p class="findings">{gate.output}</p>}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        {gate.lines.length > 0 && <pre tabIndex={0}>{gate.lines.join('\n')}</pre>}
        {gate.kind === 'command' && gate.output !== '' && (
          <details>
            <summary>
              <Icon name="chevron" /> Output
            </summary>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
            <pre tabIndex={0}>{gate.output}</pre>
          </details>
        )}
      </li>
    ))}
  </ul>
)

const markOf = ({ passed, isSoft }: GateRow): StateMark =>
  passed
    ? { word: 'Passed', tone: 'good', icon: 'check' }
    : isSoft
      ? { word: 'Warns', tone: 'warn', icon: 'alert' }
      : { word: 'Failed', tone: 'bad', icon: 'cross' }

function testWords({ passed, failed, skipped }: NonNullable<GateRow['census']>): string {
  const parts = [`${passed} passed`, ...(failed > 0 ? [`${failed} failed`] : []), ...(skipped > 0 ? [`${skipped} skipped`] : [])]
  return `tests: ${parts.join(', ')}`
}
