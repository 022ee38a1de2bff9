/** The iterations of a feature, newest first, and all that came of the one that is chosen. */
import { useState } from 'preact/hooks'
import { duration, money, when } from '../../views/html/words.ts'
import type { GateRow, TimelineEntry } from '../server/data.ts'
import { LogView } from './log.tsx'
import { VirtualList } from './virtual-list.tsx'
import { Chip } from './words.tsx'

type Props = { iterations: TimelineEntry[]; logPath: string; version: number }

export function Timeline({ iterations, logPath, version }: Props) {
  const [picked, setPicked] = useState<number | null>(null)
  const newestFirst = iterations.toReversed()
  const chosen = iterations.find(({ iteration }) => iteration === picked) ?? iterations.at(-1)
  if (chosen === undefined) return <p class="soft">No iteration yet.</p>
  return (
    <div class="timeline">
      <VirtualList
        items={newestFirst}
        rowPx={rowPx}
        label="Iterations, newest first; the arrow keys go from one to the next"
        keyOf={({ iteration }) => iteration}
        chosen={chosen.iteration}
        onChoose={setPicked}
        row={(entry) => (
          <button type="button" aria-pressed={entry === chosen} onClick={() => setPicked(entry.iteration)}>
            <span class="number">{entry.iteration}</span>
            <Chip word={verdictOf(entry)} />
            <span class="what">{entry.story ?? entry.mode}</span>
            <span class="because">{entry.because || entry.summary}</span>
          </button>
        )}
      />
      <Details entry={chosen} logPath={logPath} version={version} />
    </div>
  )
}

const rowPx = 64

const verdictOf = ({ verdict, endedAt }: TimelineEntry): string => verdict ?? (endedAt === null ? 'running' : 'judging')

function Details({ entry, logPath, version }: { entry: TimelineEntry; logPath: string; version: number }) {
  const { iteration, story, attempt, mode, startedAt, because, summary, commits, files, gates, ms, costUsd } = entry
  const took = entry.endedAt === null ? 'not back yet' : `${duration(ms)}, ${money(costUsd)}`
  return (
    <section class="details" aria-labelledby="chosen">
      <h3 id="chosen">
        Iteration {iteration} <Chip word={verdictOf(entry)} />
      </h3>
      <dl>
        <Row name="Story" value={story === null ? `none (${mode})` : `${story}, attempt ${attempt}, ${mode}`} />
        <Row name="Began" value={`${when(startedAt)}, ${took}`} />
        {because !== '' && <Row name="Because" value={because} />}
        {summary !== '' && <Row name="It said" value={summary} />}
        {entry.passed.length > 0 && <Row name="Passed" value={entry.passed.join(', ')} />}
        {entry.refused.length > 0 && <Row name="Refused" value={entry.refused.join(', ')} />}
        {commits.length > 0 && <Row name="Commits" value={commits.map((commit) => commit.slice(0, 10)).join(', ')} />}
        {files.length > 0 && <Row name="Files" value={files.join(', ')} />}
      </dl>
      {gates.length > 0 && <Gates gates={gates} />}
      <LogView
        key={iteration}
        path={`${logPath}/${iteration}`}
        iteration={iteration}
        version={version}
        isGrowing={entry.endedAt === null}
      />
    </section>
  )
}

const Row = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
)

export const Gates = ({ gates }: { gates: GateRow[] }) => (
  <ul class="gates" aria-label="Gates">
    {gates.map((gate, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: two gates may share a name, and their order stays
      <li key={index}>
        <Chip
          word={gate.passed ? 'passed' : gate.isSoft ? 'warns' : 'failed'}
          kind={gate.passed ? 'done' : gate.isSoft ? 'asks' : 'failed'}
        />
        {gate.name} <span class="soft">{duration(gate.ms)}</span>
        {gate.output !== '' && (
          <details>
            <summary>What it printed</summary>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
            <pre tabIndex={0}>{gate.output}</pre>
          </details>
        )}
      </li>
    ))}
  </ul>
)
