/** The stories of a feature, and the selected one beside them. */

import { useEffect, useMemo, useState } from 'preact/hooks'
import { duration } from '../../../views/report/html/words.ts'
import { storyMark } from '../../../views/report/shared/marks.ts'
import { costWords, plural } from '../../../views/status/status.ts'
import type { PageStory, RunData } from '../../data/shapes.ts'
import { type StoryFilter, storiesShown, storyCounts, storyFilters } from '../../data/story-filter.ts'
import { Pick } from '../shared/dropdown.tsx'
import { useKeys } from '../shared/keyboard.tsx'
import { type FeatureRoute, goTo, runAddress } from '../shared/route.ts'
import { NoMatch, SearchField } from '../shared/search-field.tsx'
import { VirtualList } from '../shared/virtual-list.tsx'
import { Chip, GradeChip, MarkIcon } from '../shared/words.tsx'
import { StoryPane } from '../story/story.tsx'

type Props = { run: RunData; route: FeatureRoute; version: number }

/** Iterations of no story come last, under this key: no story has an empty name. */
const noStory = ''

export function Stories({ run, route, version }: Props) {
  const [search, setSearch] = useState('')
  const [{ first, during }, show] = useState({ first: run.first, during: run.status.run }) // what is open stays open while the run goes on
  const [now] = run.work
  useEffect(() => {
    // A new run has begun, perhaps from here: one wants to see what it does.
    if (now !== undefined && run.status.run !== during)
      show({ first: { story: now.story, iteration: now.iteration }, during: run.status.run })
  }, [now, during, run.status.run])
  const { only } = route
  const rows = useMemo(() => rowsOf(run, search, only), [run, search, only])
  const chosen = route.story === undefined ? (first?.story ?? noStory) : (route.story ?? noStory)
  const pick = (story: string): void => goTo(runAddress(route.project, route.feature, { story: story || null, only }))
  const step = (by: 1 | -1): void => {
    const at = rows.findIndex(({ id }) => id === chosen)
    const next = rows[Math.min(rows.length - 1, Math.max(0, at + by))]
    if (next !== undefined) pick(next.id)
  }
  const showOnly = (picked: string): void => {
    const found = storyFilters.find((filter) => filter === picked) ?? 'all'
    const { project, feature, ...rest } = route
    goTo(runAddress(project, feature, { ...rest, only: found }))
  }
  const clear = (): void => {
    setSearch('')
    showOnly('all')
  }
  const options = storyCounts(run.stories, only).map(({ only: filter, count }): [string, string] => [
    filter,
    filter === 'all' ? 'All states' : `${storyMark({ state: filter }).word} (${count})`,
  ])
  useKeys({ j: () => step(1), k: () => step(-1) })
  if (run.stories.length === 0 && run.iterations === 0)
    return (
      <div class="empty">
        <p>
          No stories: the feature has no plan, or its plan is empty. Add some with <code>ralph import</code>, or edit its
          prd.json.
        </p>
      </div>
    )
  const story = run.stories.find(({ id }) => id === chosen)
  const iteration = route.iteration ?? (route.story === undefined ? (first?.iteration ?? undefined) : undefined)
  return (
    <div class="stories">
      <div class="story-list">
        {(run.stories.length > fewStories || only !== 'all') && (
          <search class="story-filter">
            <span class="search">
              <SearchField label="Search stories" value={search} onSearch={setSearch} />
            </span>
            <Pick label="State of stories" value={only} options={options} onPick={showOnly} />
          </search>
        )}
        {rows.length === 0 && <NoMatch what="story" onClear={clear} />}
        <VirtualList
          items={rows}
          rowPx={rowPx}
          label="Stories"
          keyOf={({ id }) => id}
          chosen={chosen}
          onChoose={pick}
          row={(row) => (
            <button type="button" class="story-row" aria-pressed={row.id === chosen} onClick={() => pick(row.id)}>
              <StoryCells row={row} />
            </button>
          )}
        />
      </div>
      <StoryPane
        key={chosen}
        run={run}
        route={route}
        story={story ?? null}
        iteration={iteration === 0 ? undefined : iteration}
        version={version}
      />
    </div>
  )
}

const rowPx = 58
const fewStories = 8

type ListRow = PageStory | { id: typeof noStory; count: number }

function rowsOf({ stories, others }: RunData, search: string, only: StoryFilter): ListRow[] {
  const found = storiesShown(stories, search, only)
  return others > 0 && search === '' && only === 'all' ? [...found, { id: noStory, count: others }] : found
}

function StoryCells({ row }: { row: ListRow }) {
  if ('count' in row)
    return (
      <>
        <MarkIcon mark={{ word: 'No story', tone: 'quiet', icon: 'dot' }} />
        <span class="title">Iterations without a story</span>
        <span class="more">{plural(row.count, 'iteration')}</span>
      </>
    )
  const { id, title, attempts, costUsd, ms, proof, state } = row
  const isTouched = attempts > 0 || ms > 0
  return (
    <>
      <MarkIcon mark={storyMark(row)} />
      <span class="title">
        <strong>{id}</strong> {title}
      </span>
      <span class="more">
        {state === 'passes' ? <GradeChip proof={proof} /> : <Chip mark={storyMark(row)} />}
        {isTouched && (
          <span class="soft">
            {[...(attempts === 0 ? [] : [plural(attempts, 'attempt')]), costWords(costUsd), duration(ms)].join(' · ')}
          </span>
        )}
      </span>
    </>
  )
}
