/** One feature: its state, what needs a person, its stories, its time and money, its history. */
import { useState } from 'preact/hooks'
import type { HistoryData, RunData } from '../../data/shapes.ts'
import { Costs } from '../charts/costs.tsx'
import { TimelineTab } from '../charts/timeline.tsx'
import { toSearch, useKeys } from '../shared/keyboard.tsx'
import { useFetched, useTicks } from '../shared/live.ts'
import { type FeatureRoute, runAddress, type Tab, tabs } from '../shared/route.ts'
import { AskingContext, useAsking } from '../shared/use-request.tsx'
import { Problem, Skeleton } from '../shared/words.tsx'
import { Banner } from './banner.tsx'
import { SaidNote, StartDialog } from './dialogs.tsx'
import { FeatureHead } from './head.tsx'
import { HistoryTab } from './history.tsx'
import { Stories } from './stories.tsx'

type Props = { route: FeatureRoute; version: number }

export function FeaturePage({ route, version }: Props) {
  const address = `${route.project}/${encodeURIComponent(route.feature)}`
  const [isWorking, setWorking] = useState(false)
  const ticks = useTicks(isWorking, toolsMs)
  const { value, problem } = useFetched<RunData>(`/api/runs/${address}`, version + ticks, ({ forecast }) => forecast === null)
  const asking = useAsking(value)
  const [isStarting, setStarting] = useState(false)
  const canStart = value !== null && !value.isLive && !value.isArchived
  useKeys({ '/': toSearch, r: () => canStart && setStarting(true) })
  const hasWork = value?.work.some(({ phase }) => phase === 'working') === true
  if (hasWork !== isWorking) setWorking(hasWork)
  document.title = value === null ? 'Ralph' : `${value.feature} · Ralph`
  if (value === null)
    return (
      <>
        <div class="feature-head">
          <nav class="crumbs" aria-label="Breadcrumb">
            <a href="#/">Overview</a> <span aria-hidden="true">/</span>
          </nav>
          <h1>{route.feature}</h1>
        </div>
        {problem === '' ? (
          <Skeleton lines={10} label="Loading…" />
        ) : (
          <div class="empty">
            <Problem text={problem} />
            <p>
              <a href="#/">Go to the overview</a>
            </p>
          </div>
        )}
      </>
    )
  return (
    <AskingContext.Provider value={asking}>
      <FeatureHead run={value} onStart={() => setStarting(true)} />
      <SaidNote />
      <Problem text={problem} />
      <Banner run={value} route={route} onStart={() => setStarting(true)} />
      <nav class="tabs" aria-label="Parts of this feature">
        {tabs.map((tab) => (
          <a
            key={tab}
            href={runAddress(route.project, route.feature, { tab })}
            aria-current={route.tab === tab ? 'page' : undefined}
          >
            {tabWords[tab]}
            {tab === 'stories' && value.stories.length > 0 && (
              <span class="count">
                {' '}
                {value.status.stories.complete}/{value.status.stories.total}
              </span>
            )}
          </a>
        ))}
      </nav>
      {route.tab === 'stories' ? (
        <Stories run={value} route={route} version={version} />
      ) : (
        <OverTime run={value} route={route} address={address} version={version} />
      )}
      {isStarting && canStart && <StartDialog run={value} onClose={() => setStarting(false)} />}
    </AskingContext.Provider>
  )
}

const toolsMs = 2000

const tabWords: Record<Tab, string> = { stories: 'Stories', timeline: 'Timeline', costs: 'Costs', history: 'History' }

/** Read only by who looks at it. */
function OverTime({ run, route, address, version }: { run: RunData; route: FeatureRoute; address: string; version: number }) {
  const { value, problem } = useFetched<HistoryData>(`/api/history/${address}`, version)
  if (value === null) return problem === '' ? <Skeleton lines={8} label="Loading…" /> : <Problem text={problem} />
  switch (route.tab) {
    case 'timeline':
      return <TimelineTab run={run} history={value} route={route} />
    case 'costs':
      return <Costs run={run} history={value} />
    default:
      return <HistoryTab run={run} history={value} route={route} />
  }
}
