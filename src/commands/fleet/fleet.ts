/** `ralph fleet …`: features on many machines, through one PostgreSQL. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readJson, replaceFile } from '../../adapters/files/files.ts'
import { gitIn } from '../../adapters/git/run.ts'
import { featureName, ralphHome } from '../../adapters/project/find.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import { recordOf, textOf } from '../../core/text/json.ts'
import { didYouMean } from '../../core/text/nearest.ts'
import { parseDuration, sayDuration } from '../../core/text/time.ts'
import { type Fleet, openFleet, shownUrl, whyNot } from '../../fleet/database.ts'
import { submit } from '../../fleet/features.ts'
import { makeTables } from '../../fleet/schema.ts'
import { oneRow } from '../../fleet/sql.ts'
import type { Io } from '../../io.ts'
import { projectRoot } from '../../run/project.ts'

export type FleetArgs = {
  db?: string
  repo?: string
  branch?: string
  priority?: string
  labels?: string
  slots?: string
  allow?: string[]
  account?: string
  folder?: string
  untilEmpty?: boolean
  json?: boolean
  story?: string
  follow?: boolean
  calls?: string
  perRepo?: string
  lease?: string
  from?: string
  label?: string
  project?: string
}

export async function runFleet(action: string, words: string[], args: FleetArgs, io: Io): Promise<number> {
  switch (action) {
    case 'init':
      return inFleet(args, io, (fleet) => init(fleet, args, io), true)
    case 'submit':
      return inFleet(args, io, (fleet) => submitAll(fleet, words, args, io))
    case 'work': {
      const { runWork } = await import('./work.ts')
      return runWork(databaseUrl(args, io), args, io)
    }
    default: {
      const { peopleActions, runPeople } = await import('./people.ts')
      if (peopleActions.includes(action)) return inFleet(args, io, (fleet) => runPeople({ fleet, args, io }, action, words))
      const all = ['init', 'submit', 'work', ...peopleActions]
      throw new Failure(EXIT.usage, `"${action}" is not a fleet action.${didYouMean(action, all)} Use one of: ${all.join(', ')}`)
    }
  }
}

/** The database: from the flag, the variable, or what init stored. */
export function databaseUrl(args: FleetArgs, io: Io): string {
  const url = args.db ?? io.env['RALPH_FLEET_DB'] ?? textOf(recordOf(readJson(notePath(io)))['db'])
  if (url) return url
  throw new Failure(
    EXIT.usage,
    'No database given. Use --db postgres://user@host/name, or set RALPH_FLEET_DB. For a new fleet: ralph fleet init --db …',
  )
}

const notePath = (io: Io): string => join(ralphHome(io.env), 'fleet.json')

async function init(fleet: Fleet, args: FleetArgs, io: Io): Promise<number> {
  const url = databaseUrl(args, io)
  await makeTables(fleet)
  const calls = args.calls === undefined ? null : callsIn(args.calls)
  const leaseMs = args.lease === undefined ? null : leaseIn(args.lease)
  await fleet.query(
    'update ralph.settings set calls = coalesce($1, calls), calls_ms = coalesce($2, calls_ms), lease_ms = coalesce($3, lease_ms), per_repository = coalesce($4, per_repository)',
    [
      calls?.calls ?? null,
      calls?.ms ?? null,
      leaseMs,
      args.perRepo === undefined ? null : wholeNumber('--per-repo', args.perRepo),
    ],
  )
  const now = await oneRow<{ calls: number; calls_ms: string; lease_ms: number; per_repository: number }>(
    fleet,
    'select * from ralph.settings',
  )
  const kept = shownUrl(url)
  replaceFile(notePath(io), `${JSON.stringify({ db: kept })}\n`)
  io.out(
    [
      `The fleet is ready in ${kept}`,
      `  lease              ${sayDuration(now.lease_ms)}`,
      `  calls per account  ${now.calls === 0 ? 'no limit' : `${now.calls} in ${sayDuration(Number(now.calls_ms))}`}`,
      `  per repository     ${now.per_repository === 0 ? 'no limit' : `${now.per_repository} at a time`}`,
      ...(kept === url ? [] : ['The password is not stored: provide it in PGPASSWORD, ~/.pgpass or RALPH_FLEET_DB.']),
      'Next: ralph fleet submit <feature>, and on any machine: ralph fleet work --allow <repository>',
      '',
    ].join('\n'),
  )
  return 0
}

async function inFleet(args: FleetArgs, io: Io, body: (fleet: Fleet) => Promise<number>, isNew = false): Promise<number> {
  const url = databaseUrl(args, io)
  return closedAfter(url, await openFleet({ url, isNew }), body)
}

/** A connection that stays open would keep this process alive. */
export async function closedAfter(url: string, fleet: Fleet, body: (fleet: Fleet) => Promise<number>): Promise<number> {
  try {
    return await body(fleet)
  } catch (error) {
    throw whyNot(error, url)
  } finally {
    await fleet.close()
  }
}

async function submitAll(fleet: Fleet, given: string[], args: FleetArgs, io: Io): Promise<number> {
  const names = args.from === undefined ? given : [...given, ...(await labelledFeatures(args, io))]
  if (names.length === 0 && args.from !== undefined) return 0
  if (names.length === 0) throw new Failure(EXIT.usage, 'No feature given. Use: ralph fleet submit <feature>…')
  const features = names.map(featureName)
  const repository = args.repo === undefined ? await ownRepository(io) : checkedRepository(args.repo)
  const priority = args.priority === undefined ? 0 : wholeNumber('--priority', args.priority)
  const labels = labelsIn(args.labels)
  for (const feature of features) {
    const given = { repository, feature, base: args.branch ?? '', priority, labels }
    const { feature: now, isNew } = await submit(fleet, given)
    const kept =
      now.state === 'running' ? `${feature} is being worked on already, by ${now.worker}` : `${feature} is in the queue already`
    io.out(
      isNew ? `${feature} is in the queue, with priority ${now.priority}\n` : `${kept}; its priority is ${now.priority} now\n`,
    )
  }
  return 0
}

/** Features that were imported from open issues with a label. What has no feature yet is said: a worker needs a plan, and a person looks at it first. */
async function labelledFeatures({ from, label, project }: FleetArgs, io: Io): Promise<string[]> {
  const { isTracker, knownSources, labelledIssues } = await import('../import/from-tracker.ts')
  if (!isTracker(from))
    throw new Failure(EXIT.usage, `--from is ${JSON.stringify(from)}; expected github, gitlab, linear, jira or beads.`)
  const issues = await labelledIssues(from, { ...(label && { label }), ...(project && { project }) }, io)
  const known = await knownSources(io)
  const missing = issues.filter(({ url }) => !known.has(url)).map(({ id }) => id)
  if (issues.length === 0) io.out(`No open issue has the label ${label}.\n`)
  if (missing.length > 0)
    io.err(
      `! Without a feature: ${missing.join(', ')}. Import them (ralph import --from ${from} --label ${label}), commit, push, then submit again.\n`,
    )
  return [...new Set(issues.flatMap(({ url }) => known.get(url) ?? []))]
}

/** Where this project is pushed to. */
async function ownRepository(io: Io): Promise<string> {
  const { root } = projectRoot(io)
  const { code, out } = await gitIn(root, io.env)(['remote', 'get-url', 'origin'])
  if (code !== 0)
    throw new Failure(EXIT.usage, `${root} has no remote "origin" for workers to clone. Name the repository with --repo <url>.`)
  return checkedRepository(out.toString().trim())
}

/** Every worker can read it, and so can whoever reads the database: it must not contain a key. */
function checkedRepository(url: string): string {
  if (/^[a-z+]+:\/\/[^/@]*:[^/@]*@/i.test(url) || /^https?:\/\/[^/@]+@/i.test(url))
    throw new Failure(
      EXIT.usage,
      'The repository URL contains a login, which would be stored in the queue. Remove it: each worker uses its own login.',
    )
  if (url.startsWith('-') || /^ext::|\s/.test(url)) throw new Failure(EXIT.usage, `"${url}" is not a repository URL.`)
  if (!/^[a-z+]+:\/\/|^[^/]+:|^\//i.test(url) || (url.startsWith('.') && existsSync(url)))
    throw new Failure(EXIT.usage, `"${url}" means something else on each machine. Use a full URL or an absolute path.`)
  return url
}

export function labelsIn(text: string | undefined): string[] {
  const labels = (text ?? '')
    .split(',')
    .map((label) => label.trim())
    .filter(Boolean)
  const wrong = labels.find((label) => !/^[\w-]+$/.test(label))
  if (wrong !== undefined) throw new Failure(EXIT.usage, `"${wrong}" is not a valid label. Use letters, digits, "_" and "-".`)
  return [...new Set(labels)].sort()
}

export function wholeNumber(flag: string, text: string): number {
  if (/^-?\d{1,9}$/.test(text)) return Number(text)
  throw new Failure(EXIT.usage, `${flag} is "${text}"; expected a whole number.`)
}

/** 100/1h: calls per time. */
function callsIn(text: string): { calls: number; ms: number } {
  const [, calls, span] = /^(\d{1,9})(?:\/(.+))?$/.exec(text) ?? []
  const ms = span === undefined ? 3_600_000 : parseDuration(span)
  if (calls === undefined || ms === undefined || ms < 1)
    throw new Failure(EXIT.usage, `--calls is "${text}"; expected calls per time, such as 100/1h, or 0 for no limit.`)
  return { calls: Number(calls), ms }
}

function leaseIn(text: string): number {
  const ms = parseDuration(text)
  if (ms !== undefined && ms >= 5000 && ms <= 3_600_000) return ms
  throw new Failure(EXIT.usage, `--lease is "${text}"; expected a time from 5s to 1h.`)
}
