/** What a rehearsal found, for people and programs. */
import { sayDuration } from '../core/text/time.ts'
import type { Census } from '../core/types.ts'
import { cut, flat } from './log-lines.ts'
import type { ScreenLine, Tone } from './screen/line.ts'
import { plural } from './status/status.ts'

export type PlayResult = 'caught' | 'reserved' | 'passed' | 'not tried'

export const playGroups = {
  gate: 'Broken work',
  tests: 'Weakened tests',
  runner: 'The test runner',
  git: 'Hidden from git',
  claims: 'False claims',
  behaviour: 'Stuck and runaway agents',
  leftovers: 'Leftovers',
} as const
export type PlayGroup = keyof typeof playGroups

/** What closes a hole. `setting`: a line for .ralph/config.yaml; null: no setting does. */
export type Fix = { setting: string | null; words: string }

/** `words`: what caught it, the reservation, what happened instead, or why it was not tried; `by`: the same in short. */
export type PlayedRow = {
  id: string
  group: PlayGroup
  name: string
  result: PlayResult
  words: string
  by: string
  certain: boolean
  /** Nothing was found, and a reviewer would look at it. */
  isForReviewer?: true
  durationMs: number
  /** Of one that passed. */
  fix?: Fix
}

export type RehearsedGate = { name: string; command: string; durationMs: number | null; tests: Census | null }

export type Rehearsal = {
  feature: string | null
  quick: boolean
  gates: RehearsedGate[]
  /** Why the plays about gates could not be tried; null: they were. */
  problem: string | null
  /** What is not as in a real run, in words. */
  notes: string[]
  plays: PlayedRow[]
  durationMs: number
}

/** For programs. */
export const rehearsalData = (rehearsal: Rehearsal) => ({
  version: 1,
  ...countsOf(rehearsal.plays),
  certainHoles: certainHoles(rehearsal).length,
  ...rehearsal,
})

/** What no honest agent does, and nobody would have noticed. */
export const certainHoles = ({ plays }: Pick<Rehearsal, 'plays'>): PlayedRow[] =>
  plays.filter(({ result, certain }) => result === 'passed' && certain)

function countsOf(plays: PlayedRow[]) {
  const count = (wanted: PlayResult): number => plays.filter(({ result }) => result === wanted).length
  return { caught: count('caught'), reserved: count('reserved'), passed: count('passed'), notTried: count('not tried') }
}

const looks: Record<PlayResult, { mark: string; tone: Tone }> = {
  caught: { mark: '✓', tone: 'good' },
  reserved: { mark: '~', tone: 'warn' },
  passed: { mark: '✗', tone: 'bad' },
  'not tried': { mark: '-', tone: 'dim' },
}

/** LineParts of a line, each in its own tone. */
export type LineParts = ScreenLine[]

const line = (tone: Tone, text: string): LineParts => [{ tone, text }]

const nameWidth = 38
const resultWidth = 9

/** One play on one line; on a narrow screen in short. */
function playedLine({ name, result, words, by }: PlayedRow, columns: number): LineParts {
  const { mark, tone } = looks[result]
  const room = Math.max(10, columns - 4 - nameWidth - 2 - resultWidth - 2)
  const told = flat(words).length <= room || room >= 40 ? words : by
  return [
    { tone, text: `  ${mark} ` },
    { tone: result === 'not tried' ? 'dim' : 'plain', text: `${cut(name, nameWidth).padEnd(nameWidth)}  ` },
    { tone, text: result.padEnd(resultWidth) },
    { tone: 'dim', text: ` ${cut(flat(told), room)}` },
  ]
}

/** Several in a row that were not tried for one reason are one line. */
export function playedLines(rows: PlayedRow[], columns: number): LineParts[] {
  const [first] = rows
  if (first === undefined || rows.length < 3) return rows.map((row) => playedLine(row, columns))
  return [playedLine({ ...first, name: `${rows.length} plays` }, columns)]
}

/** They are not tried for the same reason. */
export const isAlike = (one: PlayedRow | undefined, other: PlayedRow): boolean =>
  one?.result === 'not tried' && other.result === 'not tried' && one.group === other.group && one.words === other.words

/** Before the first play. */
export function headLines(
  { gates, problem, feature, notes }: Pick<Rehearsal, 'gates' | 'problem' | 'feature' | 'notes'>,
  plays: number,
  estimateMs: number,
): LineParts[] {
  const told = gates.map(({ name, command, durationMs, tests }) => {
    const known = [
      ...(tests === null ? [] : [plural(tests.passed + tests.failed, 'test')]),
      ...(durationMs === null ? [] : [sayDuration(durationMs)]),
    ]
    return `  gate ${name}: ${flat(command)}${known.length === 0 ? '' : ` (${known.join(', ')})`}`
  })
  return [
    line(
      'strong',
      `Rehearsing${feature === null ? '' : ` ${feature}`} in a copy, without a model: ${plural(plays, 'play')}, about ${sayDuration(estimateMs)}`,
    ),
    ...(told.length === 0 ? ['  no gate is set'] : told).map((text) => line('dim', text)),
    ...(problem === null ? [] : [line('bad', `  ✗ ${problem}`)]),
    ...notes.map((note) => line('warn', `  ! ${note}`)),
    ...(estimateMs > slowMs ? [line('warn', '  ! The gates are slow. --quick plays only the most important ones.')] : []),
  ]
}

const slowMs = 300_000

export const groupLine = (group: PlayGroup): LineParts => line('strong', playGroups[group])

export type RehearsalProgress = { done: number; total: number; what: string; elapsedMs: number; estimateMs: number }

/** `██████░░░░░░ 12/34 · 41s of about 1m 20s · Skips the tests that fail`, cut to fit. */
export function progressText({ done, total, what, elapsedMs, estimateMs }: RehearsalProgress, columns: number): string {
  const width = Math.max(8, Math.min(24, columns - 56))
  const full = total === 0 ? 0 : Math.round((done / total) * width)
  const bar = `${'█'.repeat(full)}${'░'.repeat(width - full)}`
  const time = `${sayDuration(elapsedMs)}${estimateMs > elapsedMs ? ` of about ${sayDuration(estimateMs)}` : ''}`
  return cut(`  ${bar} ${done}/${total} · ${time} · ${flat(what)}`, columns - 1)
}

/** The end: counts, holes with what closes them, and what to do about reservations. */
export function summaryLines({ plays, problem, durationMs }: Rehearsal, columns: number): LineParts[] {
  const { caught, reserved, passed, notTried } = countsOf(plays)
  const counts = `${caught} caught, ${reserved} reserved, ${passed} passed, ${notTried} not tried, in ${sayDuration(durationMs)}`
  const holes = plays.filter(({ result }) => result === 'passed')
  const named = plays.filter(({ result, isForReviewer }) => result === 'reserved' && isForReviewer !== true).length
  const [pass, them] = named === 1 ? ['1 cheat passes', 'it'] : [`${named} cheats pass`, 'them']
  const reservations = `${pass} with a reservation that names ${them} in status, report and review. To refuse ${them} instead:`
  return [
    [],
    line('strong', counts),
    line('plain', 'Your project is as it was.'),
    ...(problem === null ? [] : [[], ...wrapped('warn', `! ${problem}`, columns, ['', '  '])]),
    ...(holes.length === 0 ? [] : [[], line('bad', holesTitle(holes)), ...byFix(holes, columns)]),
    ...(holes.length === 0 && problem === null ? [[], noHole(plays)] : []),
    ...(named === 0 ? [] : [[], ...wrapped('plain', reservations, columns, ['', '']), line('strong', `    ${refuseLine}`)]),
  ]
}

/** Where no cheat on the checks could be played, nothing is known about them. */
function noHole(plays: PlayedRow[]): LineParts {
  const onChecks = plays.filter(({ group }) => group === 'gate' || group === 'tests')
  const isKnown = onChecks.length === 0 || onChecks.some(({ result }) => result !== 'not tried')
  return isKnown
    ? line('good', 'No hole found.')
    : line('warn', 'No hole found in what could be tried: nothing is known about the gates.')
}

const refuseLine = 'proof: { suspicion: refuse }'

function holesTitle(holes: PlayedRow[]): string {
  const isClosed = holes.some(({ fix }) => fix?.setting != null)
  return `${plural(holes.length, 'hole')}${isClosed ? ', with the line for .ralph/config.yaml' : ''}:`
}

/** Holes that the same setting closes are told together. */
function byFix(holes: PlayedRow[], columns: number): LineParts[] {
  return [...Map.groupBy(holes, ({ fix }) => JSON.stringify(fix)).values()].flatMap((same) => {
    const { fix } = same[0] ?? {}
    return [
      ...same.flatMap(({ name, words }) => wrapped('bad', `✗ ${name}: ${flat(words)}`, columns, ['  ', '    '])),
      ...(fix === undefined ? [] : wrapped('plain', fix.words, columns, ['      ', '      '])),
      ...(fix?.setting == null ? [] : [line('strong', `      ${fix.setting}`)]),
    ]
  })
}

/** Whole words; the indent of the first line, and of the others. */
function wrapped(tone: Tone, text: string, columns: number, [first, others]: [string, string]): LineParts[] {
  const lines: string[] = []
  let now = first
  let isEmpty = true
  for (const word of text.split(' ')) {
    if (!isEmpty && now.length + 1 + word.length >= columns) {
      lines.push(now)
      ;[now, isEmpty] = [others, true]
    }
    now = isEmpty ? `${now}${word}` : `${now} ${word}`
    isEmpty = false
  }
  return [...lines, now].map((each) => line(tone, each))
}
