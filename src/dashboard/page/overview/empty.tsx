/** What a newcomer sees: how to start, in three commands. */
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
        <code>ralph init login</code>
      </li>
      <li>
        <span>Write its stories, or take them from a file</span>
        <code>ralph import prd.md</code>
      </li>
      <li>
        <span>Start it, here or in a terminal</span>
        <code>ralph run</code>
      </li>
    </ol>
    <p class="soft">{projects.map(({ path }) => path).join(', ')}</p>
  </section>
)
