/** Reads and folds logs: of each only the new part, and of many long ones a limited amount per answer, so that the page never waits for all. */
import { relative } from 'node:path'
import { type Fold, type Follower, followLog } from '../../adapters/logs/follower.ts'
import { readPlan } from '../../adapters/plan/read.ts'
import { keptStatus, statusAsOf } from '../../run/history/status-now.ts'
import { outlooksFrom } from '../../views/report/costs.ts'
import {
  accountFold,
  accountStatus,
  briefly,
  type LogAccount,
  type Named,
  type OutlookFor,
  type Overview,
  type OverviewRow,
  overviewRow,
  type RunData,
  runData,
  type TimelineEntry,
  type TimelineRow,
  withPlan,
} from '../data/shapes.ts'
import { entryOf, outlineOf, pageOf, timelineFold } from '../data/timeline.ts'
import { type FeaturePlace, type ProjectPlace, placesIn } from './places.ts'

export type LogReader = {
  overview(projects: ProjectPlace[]): Promise<Overview>
  run(project: ProjectPlace, place: FeaturePlace): Promise<RunData>
  rows(place: FeaturePlace, page: number): TimelineRow[]
  entry(place: FeaturePlace, iteration: number): TimelineEntry | null
}

/** `mostBytes`: of other logs that one answer reads. */
export function logReader(mostBytes = 3_000_000): LogReader {
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

  return {
    async overview(projects) {
      const each = projects.map((project) => ({ project, places: placesIn(project) }))
      const known = readSome(
        each.flatMap(({ places }) => places),
        mostBytes,
      )
      const shown = each.map(async ({ project: { id, name, root, shown: path = root }, places }) => {
        const outlookFor = outlooksOf(places, known)
        return {
          id,
          name,
          path,
          features: await Promise.all(places.map((place) => rowOf(place, known.get(place), outlookFor))),
        }
      })
      return {
        projects: await Promise.all(shown),
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
      return runData(
        { ...namedOf(place), project: { id, name } },
        status,
        { own, outlookFor },
        outlineOf(timelines(place.log).look()),
      )
    },
    rows: (place, page) => pageOf(timelines(place.log).look(), page),
    entry: (place, iteration) => entryOf(timelines(place.log).look(), iteration),
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

/** Until its log is read, a row shows what the run left in status.json. */
async function rowOf(place: FeaturePlace, known: KnownAccount | undefined, outlookFor: OutlookFor): Promise<OverviewRow> {
  const named = namedOf(place)
  if (known === undefined) {
    const status = keptStatus(place.dir)
    return status === null ? named : { ...named, status: briefly(statusAsOf(status, place.isLive)) }
  }
  if ('problem' in known) return { ...named, problem: known.problem }
  const own = await planned(place, known.account)
  return overviewRow(named, statusAsOf(accountStatus(own, place), place.isLive), own, outlookFor)
}

async function planned({ root, dir }: FeaturePlace, account: LogAccount): Promise<LogAccount> {
  if (account.ledger.state.plan !== null) return account
  // The run reports what is wrong with a plan.
  const read = await readPlan(dir, relative(root, dir)).catch(() => null)
  return withPlan(account, read?.plan?.plan ?? null)
}

const namedOf = ({ id, feature, isArchived, isLive }: FeaturePlace): Named => ({ id, feature, isArchived, isLive })
