/** What a newcomer sees: how to start, in three commands. */
import { useState } from 'preact/hooks'
import type { Overview } from '../../data/shapes.ts'

export const EmptyOverview = ({ projects }: { projects: Overview['projects'] }) => (
  <section class="empty welcome" aria-labelledby="welcome">
    <h2 id="welcome">No features yet</h2>
    <p>
      A feature is a plan with stories. Ralph runs an agent on one story after another, and checks each before it counts. This
      page shows it live.
    </p>
    <ol>
      <li>
        <span>Create a feature in your project</span>
        <Command text="ralph init login" />
      </li>
      <li>
        <span>Plan its stories with an agent, or import them</span>
        <Command text='ralph plan "Log in with a password"' />
      </li>
      <li>
        <span>Start it, here or in a terminal</span>
        <Command text="ralph run" />
      </li>
    </ol>
    <p class="soft">Looking at {projects.map(({ path }) => path).join(', ')}</p>
  </section>
)

function Command({ text }: { text: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = (): void => void navigator.clipboard.writeText(text).then(() => setCopied(true))
  return (
    <span class="command">
      <code>{text}</code>
      {isSecureContext && (
        <button type="button" class="plain" aria-label={`Copy ${text}`} onClick={copy}>
          {isCopied ? 'Copied' : 'Copy'}
        </button>
      )}
    </span>
  )
}
