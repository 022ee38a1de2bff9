/** The dashboard's page: picks the view for the URL, and shows whether the server is reachable. */
import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { sure } from '../../core/failure.ts'
import { RunPage } from './feature/feature.tsx'
import { OverviewPage } from './overview/overview.tsx'
import { type Connection, useChanges } from './shared/live.ts'

function Page() {
  const { version, connection } = useChanges()
  const route = useRoute()
  return (
    <>
      <button type="button" class="skip" onClick={toMain}>
        Skip to the content
      </button>
      <header class="top">
        <a class="brand" href="#/">
          Ralph
        </a>
        <span class={`connection is-${connection}`} role="status">
          {connectionWords[connection]}
        </span>
      </header>
      <main id="main" tabIndex={-1}>
        {route === null ? (
          <OverviewPage version={version()} />
        ) : (
          <RunPage
            key={`${route.project} ${route.feature}`}
            project={route.project}
            feature={route.feature}
            version={version(`${route.project}/${decodeURIComponent(route.feature)}`)}
          />
        )}
      </main>
    </>
  )
}

const connectionWords: Record<Connection, string> = {
  open: 'Live',
  lost: 'Not connected. Trying again…',
  refused: 'The dashboard was restarted. Open the URL that it printed; this page then continues.',
}

/** null: the overview. */
function useRoute(): { project: string; feature: string } | null {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const changed = (): void => {
      setHash(location.hash)
      scrollTo(0, 0)
      toMain()
    }
    addEventListener('hashchange', changed)
    return () => removeEventListener('hashchange', changed)
  }, [])
  const [, project, feature] = /^#\/run\/([^/]+)\/([^/]+)$/.exec(hash) ?? []
  return project === undefined || feature === undefined ? null : { project, feature }
}

/** By hand: the URL only says which view is open. */
function toMain(): void {
  document.getElementById('main')?.focus()
}

// The token is in a cookie now: remove it from the URL and the history.
history.replaceState(null, '', `/${location.hash}`)
render(<Page />, sure(document.getElementById('page'), 'place for the page'))
