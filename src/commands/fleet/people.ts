/** `ralph fleet status, answer, pause, …`: how people watch and control a fleet. */

import { masker } from '../../adapters/mask/mask.ts'
import { eventOf } from '../../adapters/project/event-log.ts'
import { EXIT, Failure, sure } from '../../core/failure.ts'
import { jsonIn, knownJson } from '../../core/text/json.ts'
import type { Fleet } from '../../fleet/database.ts'
import { ask, asksIn, cancel, type Feature, findFeature, isOver, pause, resume } from '../../fleet/features.ts'
import { oneRow, type Row } from '../../fleet/sql.ts'
import { fleetStatus } from '../../fleet/status.ts'
import type { Io } from '../../io.ts'
import { onlyPeople, type PersonsRequest, runsAround } from '../../run/people/request.ts'
import { personHere } from '../../run/people/write-amendments.ts'
import { fleetLines } from '../../views/fleet.ts'
import { localDateTime } from '../../views/local-time.ts'
import type { FleetArgs } from './fleet.ts'

type FleetAct = (fleet: Fleet, words: string[], args: FleetArgs, io: Io) => Promise<number>

const acts: Record<string, FleetAct> = {
  status: async (fleet, _words, args, io) => {
    const status = await fleetStatus(fleet)
    io.out(args.json ? `${JSON.stringify(status, null, 2)}\n` : `${fleetLines(status).join('\n')}\n`)
    return 0
  },
  logs,
  answer: (fleet, [name, ...text], args, io) =>
    request({ fleet, args, io }, name, (feature) => {
      const open = asksIn(feature).filter(({ kind }) => kind === 'question')
      const asked = args.story === undefined ? open[0] : open.find(({ story }) => story === args.story)
      if (asked === undefined)
        throw new Failure(
          EXIT.usage,
          `${feature.feature} has no open question${args.story ? ` for ${args.story}` : ''}. See: ralph fleet status`,
        )
      const answer = needText(text, 'answer <feature> "<your decision>"')
      return { kind: 'question.answered', text: answer, story: asked.story, by: personHere(io.env) }
    }),
  unblock: (fleet, [name, ...note], args, io) =>
    request({ fleet, args, io }, name, (feature) => {
      if (!asksIn(feature).some(({ kind }) => kind === 'blocked'))
        throw new Failure(EXIT.usage, `${feature.feature} is not blocked.`)
      return { kind: 'unblocked', note: note.join(' ').trim() }
    }),
  say: (fleet, [name, ...text], args, io) =>
    request({ fleet, args, io }, name, () => ({
      kind: 'said',
      text: needText(text, 'say <feature> "<note for the next iteration>"'),
    })),
  cancel: (fleet, names, args, io) =>
    each({ fleet, args, io }, needNames(names, 'cancel'), async ({ key, feature, state }) => {
      if (isOver(state)) return `${feature} is already ${state}`
      return (await cancel(fleet, key)) === 'running' ? `${feature} is being stopped by its worker` : `${feature} is cancelled`
    }),
  pause: async (fleet, names, args, io) => {
    if (names.length === 0) return whole(fleet, true, io)
    return each({ fleet, args, io }, names, async ({ key, feature }) => {
      const state = await pause(fleet, key)
      if (state === 'running') return `${feature} pauses after this iteration and frees its worker`
      return `${feature} is ${state}`
    })
  },
  resume: async (fleet, names, args, io) => {
    if (names.length === 0) return whole(fleet, false, io)
    return each({ fleet, args, io }, names, async ({ key, feature }) => `${feature} is ${await resume(fleet, key)}`)
  },
  drain: async (fleet, workers, _args, io) => {
    const told = await fleet.query<{ id: string }>(
      `update ralph.workers set wanted = 'drain' where $1::text[] = '{}' or id = any($1) or host = any($1) returning id`,
      [workers],
    )
    if (told.length === 0) throw new Failure(EXIT.usage, `Worker not found. See: ralph fleet status`)
    io.out(`${told.map(({ id }) => id).join(', ')}: will finish current iterations, hand over its features and exit\n`)
    return 0
  },
}

export const peopleActions = Object.keys(acts)

type Asked = { fleet: Fleet; args: FleetArgs; io: Io }

export async function runPeople({ fleet, args, io }: Asked, action: string, words: string[]): Promise<number> {
  const isLooking = action === 'status' || action === 'logs'
  if (!isLooking && (await isAskedFromInside(fleet, io))) throw new Failure(EXIT.usage, onlyPeople)
  return sure(acts[action], `action ${action}`)(fleet, words, args, io)
}

/** From an agent, a gate or a hook of a run of this fleet. */
async function isAskedFromInside(fleet: Fleet, io: Io): Promise<boolean> {
  const runs = runsAround(io.env)
  if (runs.length === 0) return false
  const marks = runs.map((run) => `"run":${JSON.stringify(run)}`)
  const found = await fleet.query(
    'select 1 from ralph.events, unnest($1::text[]) mark where position(mark in line) > 0 limit 1',
    [marks],
  )
  return found.length > 0
}

async function request(
  { fleet, args, io }: Asked,
  name: string | undefined,
  make: (feature: Feature) => PersonsRequest,
): Promise<number> {
  const feature = await findFeature(fleet, needName(name, 'answer'), args.repo)
  const how = await ask(fleet, feature.key, maskedRequest(make(feature), io))
  const words = {
    live: `${feature.feature}: sent to the run through its worker`,
    queued: `${feature.feature} is queued again and continues with it`,
    kept: `${feature.feature}: saved for its next run (now ${feature.state})`,
  }
  io.out(`${words[how]}\n`)
  return 0
}

const maskedRequest = (request: PersonsRequest, io: Io): PersonsRequest => knownJson(masker(io.env).text(JSON.stringify(request)))

async function each({ fleet, args, io }: Asked, names: string[], act: (feature: Feature) => Promise<string>): Promise<number> {
  for (const name of names) io.out(`${await act(await findFeature(fleet, name, args.repo))}\n`)
  return 0
}

async function whole(fleet: Fleet, isPaused: boolean, io: Io): Promise<number> {
  await fleet.query('update ralph.settings set is_paused = $1', [isPaused])
  io.out(
    isPaused
      ? 'Paused: workers finish what they run and take no more features. Continue with: ralph fleet resume\n'
      : 'Workers take features again.\n',
  )
  return 0
}

/** The stored end of an iteration's log; or, with --follow, the events as they arrive, until it is over. */
async function logs(fleet: Fleet, [name, iteration]: string[], args: FleetArgs, io: Io): Promise<number> {
  const feature = await findFeature(fleet, needName(name, 'logs'), args.repo)
  if (args.follow) return follow(fleet, feature, io)
  const [row] = await fleet.query<Row & { text: string }>(
    'select text from ralph.logs where key = $1 and ($2::int is null or iteration = $2) order by iteration desc limit 1',
    [feature.key, iteration === undefined ? null : Number(iteration) || 0],
  )
  if (row === undefined)
    throw new Failure(
      EXIT.usage,
      `${feature.feature} has no log${iteration ? ` of iteration ${iteration}` : ''} yet. Logs are stored after an iteration is pushed.`,
    )
  io.out(row.text.endsWith('\n') ? row.text : `${row.text}\n`)
  return 0
}

async function follow(fleet: Fleet, { key, feature }: Feature, io: Io): Promise<number> {
  for (let seq = 0; ; ) {
    const rows = await fleet.query<{ seq: number; line: string }>(
      'select seq, line from ralph.events where key = $1 and seq > $2 order by seq limit 1000',
      [key, seq],
    )
    for (const { line, seq: number } of rows) {
      const event = eventOf(jsonIn(line), `The log of ${feature} in the database`, number)
      io.out(
        `${localDateTime(event.at).join(' ')} ${event.kind}${'because' in event && event.because !== '' ? `: ${event.because}` : ''}\n`,
      )
    }
    seq = rows.at(-1)?.seq ?? seq
    const { state } = await oneRow<Pick<Feature, 'state'>>(fleet, 'select state from ralph.features where key = $1', [key])
    if (rows.length === 0 && (isOver(state) || state === 'waiting')) return 0
    if (rows.length === 0) await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

function needNames(names: string[], action: string): string[] {
  return [needName(names[0], action), ...names.slice(1)]
}

function needName(name: string | undefined, action: string): string {
  if (name !== undefined) return name
  throw new Failure(EXIT.usage, `No feature given. Use: ralph fleet ${action} <feature>. See: ralph fleet status`)
}

function needText(words: string[], usage: string): string {
  const text = words.join(' ').trim()
  if (text === '') throw new Failure(EXIT.usage, `No text given. Use: ralph fleet ${usage}`)
  return text
}
