/** Two logs of the same world, made comparable: what differs from run to run gets the same names in both, in the order in which it comes. */
import type { Event, Repo } from '../../src/core/types.ts'

/** What no simulator can foretell: times, money, ids, what people and programs say; and what both sides are given. */
const leftOut = new Set([
  ...[
    'at',
    'run',
    'pid',
    'boot',
    'log',
    'feature',
    'code',
    'settings',
    'kept',
    'programs',
    'estimate',
    'model',
    'tools',
    'until',
    'durationMs',
    'usage',
    'outputChars',
    'reading',
  ],
  ...[
    'summary',
    'saidHash',
    'session',
    'sessionCostUsd',
    'output',
    'outputHash',
    'evidence',
    'message',
    'wroteProgress',
    'tests',
  ],
])
const givenToBoth = new Set(['plan', 'policy', 'ignored', 'unwatched', 'unlearned'])

export function comparable(events: Event[]): string[] {
  const name = namer()
  const told = events.filter(({ kind }) => kind !== 'noticed')
  return inOrder(told).map(({ kind, ...fields }) => {
    const isBeginning = kind === 'run.started' || kind === 'run.resumed'
    return `${kind} ${shown(isBeginning ? without(fields, givenToBoth) : fields, name)}`
  })
}

/** Of several workers nobody knows who is first: each iteration for itself, and then the rest. */
function inOrder(events: Event[]): Event[] {
  if (!events.some((event) => event.kind === 'iteration.started' && event.worker !== undefined)) return events
  const iterationOf = (event: Event): number =>
    'iteration' in event && event.iteration !== 'whole' ? event.iteration : Number.MAX_VALUE
  return events
    .map((event): Event => ('call' in event ? { ...event, call: 0 } : event))
    .toSorted((one, other) => iterationOf(one) - iterationOf(other))
}

type Name = (kind: string, name: string) => string
type Show = (value: never, name: Name) => string

const named =
  (kind: string): Show =>
  (value: string | null, name) =>
    value === null || value === '' ? 'none' : name(kind, value)
const all =
  (kind: string): Show =>
  (values: string[], name) =>
    `[${values.map((value) => name(kind, value)).join(' ')}]`
/** The simulator knows whose a file is, and no more. */
const files: Show = (paths: string[]) =>
  `[${[...new Set(paths.map((path) => (path === 'mine.txt' ? path : 'work')))].sort().join(' ')}]`
const howMany: Show = (words: string[]) => String(words.length)
/** What is uncommitted is known by what it lies on. */
const repo: Show = ({ head, tree, dirt }: Repo, name) =>
  [head === null ? 'none' : name('head', head), name('tree', tree), dirt === '' ? 'clean' : name('dirt', `${tree} ${dirt}`)].join(
    ' ',
  )

const ways: Record<string, Show> = {
  repo,
  before: repo,
  commits: all('head'),
  trees: all('tree'),
  hash: named('hash'),
  content: named('content'),
  commit: named('head'),
  ready: named('head'),
  file: named('file'),
  path: named('path'),
  branch: named('branch'),
  aside: named('branch'),
  lines: () => 'known',
  files,
  uncommitted: files,
  dirty: files,
  left: files,
  checks: howMany,
  taken: files,
  repairs: howMany,
  findings: howMany,
  seen: () => 'known',
  astray: () => 'yes',
  because: (text: string) =>
    JSON.stringify(
      text
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'then')
        .replace(/\b[\d.]+m?s\b/g, 'so long')
        .replace(/\b\d+ lines\b/g, 'so many lines')
        .replace(/(must decide about \w+|this is suspicious:)[\s\S]*/, '$1'), // what it is, each side says in its own words
    ),
}

function shown(value: unknown, name: Name, key = ''): string {
  const way = ways[key]
  if (way !== undefined) return way(value as never, name)
  if (Array.isArray(value)) return `[${value.map((each) => shown(each, name)).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(without(value, leftOut)).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `{${fields.map(([field, each]) => `${field}: ${shown(each, name, field)}`).join(', ')}}`
}

const without = (value: object, keys: Set<string>): object =>
  Object.fromEntries(Object.entries(value).filter(([key, each]) => each !== undefined && !keys.has(key)))

/** The first of its kind is 1. */
function namer(): Name {
  const known = new Map<string, string[]>()
  return (kind, name) => {
    const names = known.get(kind) ?? []
    known.set(kind, names)
    if (!names.includes(name)) names.push(name)
    return `${kind}${names.indexOf(name) + 1}`
  }
}
