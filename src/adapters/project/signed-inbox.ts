/** Requests to a live run from other processes: one signed file each, renamed into place, deleted once they are in the log. */

import { cpSync, type FSWatcher, mkdirSync, readdirSync, realpathSync, rmSync, statSync, watch } from 'node:fs'
import { join } from 'node:path'
import { tried } from '../../core/failure.ts'
import { isText, type Json, jsonIn, recordOf } from '../../core/text/json.ts'
import { instantOf } from '../../core/text/time.ts'
import type { Report } from '../../core/types.ts'
import { dropFile, makeFolder, replaceFile } from '../files/files.ts'
import { readRegular } from '../files/open.ts'
import { inboxFolder, logsFolder } from './layout.ts'
import { isSigned, personKey, restorePersonKey, signatureOf } from './person-key.ts'

/** What a person may ask of a run, as a report with the file's name as id. */
export type Request = Extract<Report, { kind: keyof typeof FIELDS }>
type WithoutId<R> = R extends Request ? Omit<R, 'id'> : never

/** Returns the id under which the request will arrive. */
export function dropRequest(featureDir: string, home: string, report: WithoutId<Request>): string {
  dropped += 1
  const time = instantOf(Date.now()).replaceAll(/[-:.]/g, '')
  const id = `${time}-${process.pid}-${String(dropped).padStart(4, '0')}.json`
  placeRequest(featureDir, home, id, report)
  return id
}

/** Under a name that the caller chooses. */
export function placeRequest(featureDir: string, home: string, id: string, report: object): void {
  makeFolder(featureDir)
  const signature = signatureOf(personKey(home), signedParts(featureDir, id, report))
  replaceFile(join(inboxOf(featureDir), id), `${JSON.stringify({ ...report, signature })}\n`)
}

/** `copy`: where the file is now, in the feature's folder; `kind`: what it asks for, if readable. */
export type RefusedRequest = { copy: string; kind: string }

/**
 * In the order they arrived. They stay until finished, and are returned again until then. Unsigned or invalid ones do not count and move to the logs.
 */
export function takeRequests(
  featureDir: string,
  home: string,
): { requests: { id: string; report: Request }[]; refused: RefusedRequest[] } {
  const found = requestNames(featureDir).map((id) => ({ id, report: readRequest(featureDir, home, id) }))
  if (found.some(({ report }) => 'refused' in report)) restorePersonKey(home) // signed with another key, which an agent has put there: the next one counts
  return {
    requests: found.flatMap(({ id, report }) => ('refused' in report ? [] : [{ id, report }])),
    refused: found.flatMap(({ report }) => ('refused' in report ? [report.refused] : [])),
  }
}

/** Those that count, without taking any: what waits for the feature's next run. */
export function waitingRequests(featureDir: string, home: string): Request[] {
  return requestNames(featureDir).flatMap((id) => signedRequest(featureDir, home, id).request ?? [])
}

export const refusedNotice = (refused: RefusedRequest[]): Report => ({
  kind: 'noticed',
  what: 'request-refused',
  detail: `${refused.length === 1 ? 'A request' : `${refused.length} requests`} in inbox/ ${refused.length === 1 ? 'does' : 'do'} not come from a command of a person and ${refused.length === 1 ? 'was' : 'were'} ignored: ${refused
    .map(({ copy, kind }) => `${kind} (${copy})`)
    .slice(0, 5)
    .join(', ')}${refused.length > 5 ? ', …' : ''}`,
  tell: true,
})

/** Call it when the request's event is in the log. */
export function finishRequest(featureDir: string, id: string): void {
  rmSync(join(inboxOf(featureDir), id), { force: true })
}

/** Calls back soon after a request arrives, also if the folder was deleted in between. Returns a function to stop; never throws. */
export function watchInbox(featureDir: string, onChange: () => void): () => void {
  const folder = inboxOf(featureDir)
  let watcher: FSWatcher | undefined
  let watched: number | undefined

  function look(): void {
    const current = folderId(folder)
    if (current === undefined || current !== watched) rewatch()
    if (requestNames(featureDir).length > 0) onChange()
  }
  function rewatch(): void {
    watcher?.close()
    watcher = undefined
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 }) // whoever can write here controls the run
      watched = folderId(folder)
      watcher = watch(folder, { persistent: false }, look)
      watcher.on('error', () => {
        watched = undefined // the next look starts again
      })
    } catch {
      watched = undefined // no watches left, or no folder: polling still works
    }
  }

  rewatch()
  const timer = setInterval(look, LOOK_MS).unref()
  return () => {
    clearInterval(timer)
    watcher?.close()
    watched = undefined
  }
}

/** Some file systems report no changes. */
const LOOK_MS = 1000

const FIELDS = {
  'breaker.reset': {},
  said: { text: 'string' },
  unblocked: { note: 'string' },
  'question.answered': { text: 'string' },
  'pause.requested': {},
  'resume.requested': {},
  'stop.requested': { by: 'string', now: 'boolean' },
  'story.retried': { story: 'string' },
  'story.skipped': { story: 'string' },
  'finding.dismissed': { story: 'string', finding: 'string' },
} as const satisfies Partial<Record<Report['kind'], Record<string, 'string' | 'boolean'>>>

let dropped = 0

const inboxOf = (featureDir: string): string => inboxFolder(featureDir)

function requestNames(featureDir: string): string[] {
  return tried(() => readdirSync(inboxOf(featureDir)), [])
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .sort()
}

function readRequest(featureDir: string, home: string, id: string): Request | { refused: RefusedRequest } {
  const { request, kind } = signedRequest(featureDir, home, id)
  return request ?? { refused: { copy: putAside(featureDir, id), kind } }
}

function signedRequest(featureDir: string, home: string, id: string): { request: Request | null; kind: string } {
  let kind = 'unreadable'
  try {
    const path = join(inboxOf(featureDir), id)
    const { signature, ...report } = recordOf(jsonIn(readRegular(path).toString('utf8')))
    if (isKind(report['kind'])) kind = report['kind']
    if (isRequest(report) && isSigned(personKey(home), signedParts(featureDir, id, report), signature))
      return { request: { ...report, id }, kind }
  } catch {
    // the caller tells it apart from a good one
  }
  return { request: null, kind }
}

/** A request copied into another feature, or replayed under another name, does not match its signature. */
const signedParts = (featureDir: string, id: string, report: object): string[] => [
  realpathSync(featureDir),
  id,
  JSON.stringify(report),
]

const isKind = (kind: unknown): kind is keyof typeof FIELDS => isText(kind) && Object.hasOwn(FIELDS, kind)

const isRequest = (report: Json): report is Request =>
  isKind(report['kind']) && Object.entries(FIELDS[report['kind']]).every(([name, type]) => typeof report[name] === type)

function putAside(featureDir: string, id: string): string {
  const copy = join('logs', `request-${id}.rejected`)
  try {
    makeFolder(logsFolder(featureDir), 0o700)
    dropFile(join(featureDir, copy))
    cpSync(join(inboxOf(featureDir), id), join(featureDir, copy), { recursive: true, verbatimSymlinks: true })
  } catch {} // gone meanwhile, or a pipe: nothing to keep
  dropFile(join(inboxOf(featureDir), id))
  return copy
}

const folderId = (folder: string): number | undefined => statSync(folder, { throwIfNoEntry: false })?.ino
