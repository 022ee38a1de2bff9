/** Reads and folds logs: of each only the new part, and of many long ones a limited amount per answer, so that the page never waits for all. */
import { relative } from 'node:path'
import { type Fold, type Follower, followLog } from '../../adapters/logs/follower.ts'
import { readPlan } from '../../adapters/plan/find-plan.ts'
import { ralphHome } from '../../adapters/project/find.ts'
import type { Instant, StoryId } from '../../core/types.ts'
import { keptStatus, statusAsOf } from '../../run/history/status-now.ts'
import { lessonsIn } from '../../run/learning/gather.ts'
import { withWaiting } from '../../run/people/waiting-requests.ts'
import { prometheusText } from '../../views/figures/prometheus.ts'
import { proofData } from '../../views/proof.ts'
import { outlooksFrom } from '../../views/report/costs.ts'
import {
  accountFold,
  accountStatus,
  briefly,
  type LogAccount,
  type OutlookFor,
  overviewRow,
  runData,
  spentSince,
  type ToolOf,
  withPlan,
  withState,
} from '../data/account.ts'
import { historyData, receiptRow } from '../data/history.ts'
import { needOf } from '../data/needs.ts'
import type { HistoryData, Named, Overview, OverviewRow, RunData, StoryData, TimelineEntry } from '../data/shapes.ts'
import { entryOf, outlineOf, rowsOf, timelineFold } from '../data/timeline.ts'
import { type FeaturePlace, type ProjectPlace, placesIn } from './places.ts'

export type LogReader = {
  /** `since`: when the viewer's day and week began. */
  overview(projects: ProjectPlace[], since?: { today: Instant; week: Instant }): Promise<Overview>
  run(project: ProjectPlace, place: FeaturePlace): Promise<RunData>
  /** null: the iterations of no story. */
  story(place: FeaturePlace, story: StoryId | null): Promise<StoryData>
  history(place: FeaturePlace): Promise<HistoryData>
  entry(place: FeaturePlace, iteration: number): TimelineEntry | null
  /** For Prometheus: of the logs that were read by now. */
  figures(projects: ProjectPlace[]): string
}

/** The tools that agents use now, by iteration. */
export type ToolsOf = (place: FeaturePlace, agents: ReadonlyMap<number, string[]>) => Promise<ToolOf>

/** `mostBytes`: of other logs that one answer reads. */
export function logReader(toolsOf: ToolsOf = async () => () => '', mostBytes = 3_000_000): LogReader {
  const accounts = followers(accountFold)
  const timelines = followers(timelineFold) // of features whose page was opened
  const leftOut = new Set<string>()

  /** The state of each log after this answer; live ones first. */
  function readSome(places: FeaturePlace[], most: number): Map<FeaturePlace, KnownAccount> {
    let left = most
    const known = new Map<FeaturePlace, KnownAccount>()
    for (const place of places.toSorted((a, b) => Number(b.isLive) - Number(a.isLive))) {
      const follower = accounts(place.log)
      const unread = follower.unread()
      // A log larger than the limit is read alone, by a later answer.
      if (unread > Math.max(0, left) && !(left === mostBytes && leftOut.has(place.log))) {
        leftOut.add(place.log)
        continue
      }
      left -= unread
      leftOut.delete(place.log)
      known.set(place, looked(follower))
    }
    return known
  }

  const toolIn = (place: FeaturePlace, { agents }: LogAccount): Promise<ToolOf> =>
    place.isLive ? toolsOf(place, agents) : Promise.resolve(() => '')

  /** Until its log is read, a row shows what the run left in status.json. */
  async function rowOf(place: FeaturePlace, known: KnownAccount | undefined, outlookFor: OutlookFor): Promise<OverviewRow> {
    const named = namedOf(place)
    if (known === undefined) {
      const kept = keptStatus(place.dir)
      if (kept === null) return { ...named, need: null, work: [] }
      const status = statusAsOf(kept, place.isLive)
      return { ...named, status: briefly(status), need: named.isArchived ? null : needOf(status, undefined), work: [] }
    }
    if ('problem' in known) {
      const need = { kind: 'unreadable' as const, words: known.problem }
      return { ...named, problem: known.problem, need: named.isArchived ? null : need, work: [] }
    }
    const own = await planned(place, known.account)
    const toolOf = await toolIn(place, own)
    return overviewRow(named, statusAsOf(accountStatus(own, place), place.isLive), own, { outlookFor, toolOf })
  }

  return {
    async overview(projects, since = { today: '', week: '' }) {
      const each = projects.map((project) => ({ project, places: placesIn(project) }))
      const known = readSome(
        each.flatMap(({ places }) => places),
        mostBytes,
      )
      const shown = each.map(async ({ project: { id, name, root, shown: path = root }, places }) => {
        const outlookFor = outlooksOf(places, known)
        const features = await Promise.all(places.map((place) => rowOf(place, known.get(place), outlookFor)))
        return { id, name, path, features }
      })
      const read = [...known.values()].flatMap((one) => ('account' in one ? [one.account] : []))
      return {
        projects: await Promise.all(shown),
        spent: { today: spentSince(read, since.today), week: spentSince(read, since.week) },
        isReading: known.size < each.reduce((sum, { places }) => sum + places.length, 0),
      }
    },
    async run(project, place) {
      const isNew = accounts(place.log).unread() > 0
      const own = await planned(place, accounts(place.log).look())
      const places = placesIn(project)
      const outlookFor = outlooksOf(places, readSome(places, isNew ? 0 : mostBytes)) // the page first, then what it can wait for
      const status = statusAsOf(accountStatus(own, place), place.isLive)
      const { id, name } = project
      const toolOf = await toolIn(place, own)
      const label = relative(place.root, place.dir)
      const outline = outlineOf(timelines(place.log).look())
      return runData({ ...namedOf(place), project: { id, name } }, status, own, { outlookFor, toolOf, label, ...outline })
    },
    async story(place, story) {
      const { state } = accounts(place.log).look().ledger
      const read = story === null ? null : await readPlan(place.dir, relative(place.root, place.dir)).catch(() => null)
      const text = read?.plan?.texts[story ?? '']
      const receipt = state.stories[story ?? '']?.receipt
      return {
        description: text?.description ?? '',
        criteria: text?.acceptanceCriteria ?? [],
        notes: text?.notes ?? '',
        failed: state.plan?.stories.find(({ id }) => id === story)?.failed ?? null,
        proof: receipt === undefined ? null : proofData(receipt),
        receipt: story === null || receipt === undefined ? null : receiptRow(story, receipt),
        iterations: rowsOf(timelines(place.log).look(), story),
      }
    },
    async history(place) {
      const own = await planned(place, accounts(place.log).look())
      const { lessons } = await lessonsIn(place.root).catch(() => ({ lessons: [] }))
      return historyData(
        own,
        timelines(place.log).look(),
        lessons.filter(({ source }) => source.feature === place.feature),
      )
    },
    entry: (place, iteration) => entryOf(timelines(place.log).look(), iteration),
    figures(projects) {
      const all = projects.flatMap((project) => placesIn(project).map((place) => ({ project, place })))
      const known = readSome(
        all.map(({ place }) => place),
        mostBytes,
      )
      return prometheusText(
        all.flatMap(({ project, place }) => {
          const own = known.get(place)
          if (own === undefined || !('account' in own)) return []
          const { feature, isArchived, isLive } = place
          return [{ project: project.name, feature, isArchived, isLive, ledger: own.account.ledger }]
        }),
        all.length - known.size,
      )
    },
  }
}

type KnownAccount = { account: LogAccount } | { problem: string }

function followers<T>(begin: () => Fold<T>): (path: string) => Follower<T> {
  const known = new Map<string, Follower<T>>()
  return (path) => {
    const follower = known.get(path) ?? followLog(path, begin)
    known.set(path, follower)
    return follower
  }
}

function looked(follower: Follower<LogAccount>): KnownAccount {
  try {
    return { account: follower.look() }
  } catch (error) {
    return { problem: (error as Error).message }
  }
}

/** From all readable logs of a project: finished stories help to forecast the next. */
function outlooksOf(places: FeaturePlace[], known: Map<FeaturePlace, KnownAccount>): OutlookFor {
  const found = places.map((place) => known.get(place))
  if (!found.every((each) => each !== undefined)) return null
  return outlooksFrom(found.flatMap((each) => ('account' in each ? [each.account.ledger] : [])))
}

async function planned({ root, dir, isLive, isArchived }: FeaturePlace, logged: LogAccount): Promise<LogAccount> {
  const account =
    isLive || isArchived ? logged : withState(logged, withWaiting({ dir, home: ralphHome(process.env) }, logged.ledger.state))
  if (account.ledger.state.plan !== null) return account
  // The run reports what is wrong with a plan.
  const read = await readPlan(dir, relative(root, dir)).catch(() => null)
  return withPlan(account, read?.plan?.plan ?? null)
}

const namedOf = ({ id, feature, isArchived, isLive }: FeaturePlace): Named => ({ id, feature, isArchived, isLive })
