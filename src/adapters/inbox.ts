/** Requests to a live run from other processes: one file each, renamed in, deleted once they are in the log. */
import { type FSWatcher, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, watch } from 'node:fs'
import { join } from 'node:path'
import { instantOf } from '../core/time.ts'
import type { Report } from '../core/types.ts'
import { replaceFile } from './files.ts'

/** What a person may ask of a run, as a report with its file's name as id. */
export type Request = Extract<Report, { kind: keyof typeof FIELDS }>
type WithoutId<R> = R extends Request ? Omit<R, 'id'> : never

/** Gives the id under which the request will arrive. */
export function dropRequest(featureDir: string, report: WithoutId<Request>): string {
  dropped += 1
  const time = instantOf(Date.now()).replaceAll(/[-:.]/g, '')
  const id = `${time}-${process.pid}-${String(dropped).padStart(4, '0')}.json`
  replaceFile(join(inboxOf(featureDir), id), `${JSON.stringify(report)}\n`)
  return id
}

/** In the order they were dropped. They stay until finished, and come again until then. What is no request goes to `bad/`. */
export function takeRequests(featureDir: string): { id: string; report: Request }[] {
  return requestNames(featureDir).flatMap((id) => {
    const report = readRequest(featureDir, id)
    return report ? [{ id, report }] : []
  })
}

/** Call it when the request's event is in the log. */
export function finishRequest(featureDir: string, id: string): void {
  rmSync(join(inboxOf(featureDir), id), { force: true })
}

/** Calls back soon after something was dropped, also when the folder was deleted in between. Gives the way to stop; never throws. */
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
      mkdirSync(folder, { recursive: true, mode: 0o700 }) // whoever writes here steers the run
      watched = folderId(folder)
      watcher = watch(folder, { persistent: false }, look)
      watcher.on('error', () => {
        watched = undefined // the next look starts again
      })
    } catch {
      watched = undefined // no more watches to be had, or no folder: looking now and then still works
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

/** Some file systems tell nothing of changes. */
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
} as const satisfies Partial<Record<Report['kind'], Record<string, 'string' | 'boolean'>>>

let dropped = 0

const inboxOf = (featureDir: string): string => join(featureDir, 'inbox')

function requestNames(featureDir: string): string[] {
  try {
    return readdirSync(inboxOf(featureDir))
      .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
      .sort()
  } catch {
    return [] // no folder, no requests
  }
}

function readRequest(featureDir: string, id: string): Request | null {
  const path = join(inboxOf(featureDir), id)
  try {
    const report = JSON.parse(readFileSync(path, 'utf8')) as Request
    if (isRequest(report)) return { ...report, id }
  } catch {
    // told apart from a good one below
  }
  putAside(featureDir, id)
  return null
}

function isRequest(report: Request): boolean {
  if (!Object.hasOwn(FIELDS, report?.kind)) return false
  return Object.entries(FIELDS[report.kind]).every(([name, type]) => typeof (report as Record<string, unknown>)[name] === type)
}

function putAside(featureDir: string, id: string): void {
  try {
    mkdirSync(join(inboxOf(featureDir), 'bad'), { recursive: true })
    renameSync(join(inboxOf(featureDir), id), join(inboxOf(featureDir), 'bad', id))
  } catch {
    // gone meanwhile
  }
}

const folderId = (folder: string): number | undefined => statSync(folder, { throwIfNoEntry: false })?.ino
