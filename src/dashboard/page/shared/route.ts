/** Where the page is: every view has an address that can be sent to somebody else. */
import { useEffect, useState } from 'preact/hooks'
import { type Filter, noFilter, sorts, stateFilters } from '../../data/sections.ts'
import { type StoryFilter, storyFilters } from '../../data/story-filter.ts'

export const tabs = ['stories', 'timeline', 'costs', 'history'] as const
export type Tab = (typeof tabs)[number]
export const iterationViews = ['summary', 'transcript', 'changes'] as const
export type IterationView = (typeof iterationViews)[number]

/** `story` null: the iterations of no story; undefined: what the page picks. */
export type FeatureRoute = {
  project: string
  feature: string
  tab: Tab
  story?: string | null
  iteration?: number
  view: IterationView
  /** The stories in the list. */
  only: StoryFilter
}
/** null: the overview. */
export type Route = FeatureRoute | null

/** What the overview shows, from its address and into it: a view of the morning can be kept as a bookmark. */
export function filterIn(hash: string): Filter {
  const asked = new URLSearchParams(/^#\/\?(.*)$/.exec(hash)?.[1] ?? '')
  return {
    text: asked.get('search') ?? '',
    project: asked.get('project') ?? '',
    state: stateFilters.find((state) => state === asked.get('state')) ?? noFilter.state,
    sort: sorts.find((sort) => sort === asked.get('order')) ?? noFilter.sort,
  }
}

export function filterAddress({ text, project, state, sort }: Filter): string {
  const query = new URLSearchParams({
    ...(text === '' ? {} : { search: text }),
    ...(project === '' ? {} : { project }),
    ...(state === noFilter.state ? {} : { state }),
    ...(sort === noFilter.sort ? {} : { order: sort }),
  }).toString()
  return `${overviewAddress}${query === '' ? '' : `?${query}`}`
}

function routeIn(hash: string): Route {
  const [, project, name, query = ''] = /^#\/run\/([^/?]+)\/([^/?]+)(?:\?(.*))?$/.exec(hash) ?? []
  const feature = name === undefined ? null : decoded(name)
  if (project === undefined || feature === null) return null
  const asked = new URLSearchParams(query)
  const iteration = Number(asked.get('iteration') ?? 'none')
  return {
    project,
    feature,
    tab: tabs.find((tab) => tab === asked.get('tab')) ?? 'stories',
    ...(asked.has('story') ? { story: asked.get('story') || null } : {}),
    ...(Number.isSafeInteger(iteration) ? { iteration } : {}),
    view: iterationViews.find((view) => view === asked.get('view')) ?? 'summary',
    only: storyFilters.find((only) => only === asked.get('only')) ?? 'all',
  }
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

export function runAddress(project: string, feature: string, more: Partial<FeatureRoute> = {}): string {
  const { tab = 'stories', story, iteration, view = 'summary', only = 'all' } = more
  const query = new URLSearchParams({
    ...(tab === 'stories' ? {} : { tab }),
    ...(story === undefined ? {} : { story: story ?? '' }),
    ...(iteration === undefined ? {} : { iteration: String(iteration) }),
    ...(view === 'summary' ? {} : { view }),
    ...(only === 'all' ? {} : { only }),
  }).toString()
  return `#/run/${project}/${encodeURIComponent(feature)}${query === '' ? '' : `?${query}`}`
}

export const overviewAddress = '#/'

/** In place of the present address: going back leaves the feature, not each click in it. */
export function goTo(address: string): void {
  history.replaceState(null, '', `/${address}`)
  dispatchEvent(new HashChangeEvent('hashchange'))
}

export function useRoute(onOtherPage: () => void): Route {
  const [hash, setHash] = useState(location.hash)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the same each time
  useEffect(() => {
    let before = pageIn(location.hash)
    const changed = (): void => {
      setHash(location.hash)
      if (pageIn(location.hash) !== before) onOtherPage()
      before = pageIn(location.hash)
    }
    addEventListener('hashchange', changed)
    return () => removeEventListener('hashchange', changed)
  }, [])
  return routeIn(hash)
}

const pageIn = (hash: string): string => hash.split('?')[0] ?? ''
