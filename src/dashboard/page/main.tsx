/** The dashboard's page: picks the view for the URL, and shows whether the server is reachable. */
import { render } from 'preact'
import { useErrorBoundary, useState } from 'preact/hooks'
import { sure } from '../../core/failure.ts'
import type { Overview } from '../data/shapes.ts'
import { FeaturePage } from './feature/feature.tsx'
import { OverviewPage } from './overview/overview.tsx'
import { Icon } from './shared/icons.tsx'
import { KeysHelp, useKeys } from './shared/keyboard.tsx'
import { type Connection, useChanges, useFetched, useTicks } from './shared/live.ts'
import { useNotices, useTelling } from './shared/notices.ts'
import { overviewAddress, useRoute } from './shared/route.ts'
import { beginnings } from './shared/time.tsx'

function Page() {
  const { version, connection } = useChanges()
  const route = useRoute(() => {
    scrollTo(0, 0)
    toMain()
  })
  const notices = useNotices()
  const [hasHelp, setHelp] = useState(false)
  const { today, week } = beginnings()
  const isWanted = route === null || notices.isOn
  const [isLive, setLive] = useState(false)
  const ticks = useTicks(isLive && route === null, toolsMs)
  const overview = useFetched<Overview>(
    `/api/projects?today=${today}&week=${week}`,
    isWanted ? version() + ticks : null,
    ({ isReading }) => isReading,
  )
  const hasWork = overview.value?.projects.some(({ features }) => features.some(({ work }) => work.length > 0)) === true
  if (hasWork !== isLive) setLive(hasWork)
  useTelling(overview.value, notices.isOn)
  useKeys({ '?': () => setHelp(true), g: () => (location.hash = overviewAddress) })
  const noticeWords = notices.isDenied
    ? 'Your browser blocks notices of this page; allow them in its settings'
    : 'Notify me when something needs me'
  const key = route === null ? '' : `${route.project}/${route.feature}`
  return (
    <>
      <button type="button" class="skip" onClick={toMain}>
        Skip to the content
      </button>
      <header class="top">
        <div class="top-in">
          <nav aria-label="Where you are">
            <a class="brand" href="#/">
              <span class="logo" aria-hidden="true" /> Ralph
            </a>
          </nav>
          <span class={`connection is-${connection}`} role="status">
            {connectionWords[connection]}
          </span>
          {notices.isPossible && (
            <button type="button" class="plain" aria-pressed={notices.isOn} title={noticeWords} onClick={notices.toggle}>
              <Icon name="bell" />
              <span class="hidden">{noticeWords}</span>
            </button>
          )}
          <button type="button" class="plain" title="Keyboard" onClick={() => setHelp(true)}>
            <kbd>?</kbd>
            <span class="hidden">Keyboard</span>
          </button>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {route === null ? <OverviewPage overview={overview} /> : <FeaturePage key={key} route={route} version={version(key)} />}
      </main>
      {hasHelp && <KeysHelp onClose={() => setHelp(false)} />}
    </>
  )
}

/** A page of one version and a server of another may not understand each other: better a message than half a page. */
function Guarded() {
  const [failure] = useErrorBoundary()
  if (failure === undefined) return <Page />
  return (
    <main class="empty">
      <h1>This page failed</h1>
      <p>If Ralph was updated, start the dashboard again and reload the page. The error: {(failure as Error).message}</p>
      <button type="button" class="primary" onClick={() => location.reload()}>
        Reload
      </button>
    </main>
  )
}

/** How often the overview asks which tools agents use. */
const toolsMs = 2000

const connectionWords: Record<Connection, string> = {
  open: 'Live',
  lost: 'Not connected. Trying again…',
  refused: 'The dashboard was restarted. Open the URL that it printed; this page then continues.',
}

/** By hand: the URL only says which view is open. */
function toMain(): void {
  document.getElementById('main')?.focus({ preventScroll: true })
}

// The token is in a cookie now: remove it from the URL and the history.
history.replaceState(null, '', `/${location.hash}`)
render(<Guarded />, sure(document.getElementById('page'), 'place for the page'))
