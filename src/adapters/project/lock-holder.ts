/** Who holds a lock, and whether it is alive: by its process if we can see it, otherwise by its signs of life. */

import { readFileSync, readlinkSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename } from 'node:path'
import { tried } from '../../core/failure.ts'
import { hasTexts, isText, jsonIn } from '../../core/text/json.ts'
import { epochMs, sayDuration } from '../../core/text/time.ts'
import type { Instant } from '../../core/types.ts'
import { isAlive, processStart } from '../process/survivors.ts'

export type Holder = { feature: string; run: string; purpose: 'run' | 'command' }
export type Held = Holder & {
  pid: number
  /** Tells a process from a later one with the same pid. */
  start: string | null
  host: string
  /** Pids are comparable only if boot and pid namespace are the same (a container has its own namespace). */
  boot?: string | null
  pids?: string | null
  at: Instant
}

/** How often a holder gives a sign of life, by touching the file. */
export const beatMs = 2000
/** After this long without a sign of life it is dead, and nobody needs to watch. */
const deadAfterMs = 60_000

let known: Pick<Held, 'pid' | 'start' | 'host' | 'boot' | 'pids'> | undefined
export const ourselves = () =>
  (known ??= { pid: process.pid, start: processStart(process.pid), host: hostname(), boot: boot(), pids: pids() })

export const textOf = (held: Held): string => `${JSON.stringify(held)}\n`

/** null: not a lock that Ralph wrote; nobody holds it. */
export function heldIn(text: string | null): Held | null {
  const held = jsonIn(text ?? '')
  return isHeld(held) ? held : null
}

function isHeld(value: unknown): value is Held {
  if (!hasTexts(value, 'host', 'at', 'feature', 'run', 'purpose') || !['run', 'command'].includes(value.purpose)) return false
  const { pid, start } = value
  return Number.isInteger(pid) && Number(pid) > 0 && (start === null || isText(start))
}

export function isLive(held: Held, path: string): boolean {
  switch (sight(held)) {
    case 'process':
      return isAlive(held.pid, held.start ?? undefined)
    case 'signs':
      return Math.abs(silentMs(path)) < deadAfterMs // a live one follows a clock that was set
    case 'nothing':
      return true
  }
}

/** Whether only its signs of life are visible from here. */
export const showsSignsOnly = (held: Held): boolean => sight(held) === 'signs'

/** What is visible of it from here. */
function sight(held: Held): 'process' | 'signs' | 'nothing' {
  const we = ourselves()
  const isHere = held.host === we.host
  // Written by an older Ralph, or on a system that does not report it.
  if (typeof held.boot !== 'string' || typeof held.pids !== 'string' || !we.boot || !we.pids)
    return isHere ? 'process' : 'nothing'
  if (held.boot === we.boot) return held.pids === we.pids ? 'process' : 'signs'
  // The machine was restarted, or is another one, perhaps with another clock.
  return isHere ? 'signs' : 'nothing'
}

const silentMs = (path: string): number => Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)

/** A lock that is released while we look has no time any more. */
const signAge = (path: string): string => {
  const ms = silentMs(path)
  return ms > 0 && ms < deadAfterMs ? `${sayDuration(ms)} ago` : 'just now'
}

/** `wanted`: who asks for the lock; undefined: nobody in particular. */
export function busyMessage(path: string, held: Held, wanted?: Holder): string {
  const age = sayDuration(Math.max(0, Date.now() - epochMs(held.at)))
  const who = held.purpose === 'run' ? `A run of feature "${held.feature}"` : 'Another ralph command'
  const where = `${who} is live here: pid ${held.pid} on ${held.host}, since ${new Date(held.at).toTimeString().slice(0, 5)} (${age} ago).`
  switch (sight(held)) {
    case 'nothing':
      return `${where} If it is no longer running there, remove ${path} and try again.`
    case 'signs':
      return `${where} It runs in another container and was last active ${signAge(path)}. Wait for it, or end it there.`
    case 'process':
      if (held.purpose === 'run' && canWorkBeside(path, held, wanted))
        return `${where} Wait for it, end it with: ralph stop -f ${held.feature}, or work beside it with: ralph run -f ${wanted?.feature} --worktree`
      if (held.purpose === 'run') return `${where} Wait for it, or end it with: ralph stop -f ${held.feature}`
      return `${where} Try again when it has ended.`
  }
}

/** Another feature, in a git worktree of its own; outside git there are none. */
const canWorkBeside = (path: string, held: Held, wanted: Holder | undefined): boolean =>
  wanted?.purpose === 'run' && wanted.feature !== held.feature && basename(path) === 'ralph.lock'

export function lostMessage(path: string, by: Held | null): string {
  const who = by === null ? 'someone else' : `pid ${by.pid} on ${by.host}${by.feature === '' ? '' : ` (feature "${by.feature}")`}`
  return `The lock ${path} was taken over by ${who}: this run stops and writes nothing more. "ralph run" continues when the other has ended.`
}

const boot = (): string | null => tried(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim(), null)

/** This machine and its last start; undefined: the system does not tell. */
export function thisBoot(): string | undefined {
  const id = boot()
  return id === null ? undefined : `${hostname()} ${id}`
}

/** The same machine was started again since. Another machine says nothing about this one. */
export const isEarlierBoot = (then: string | undefined): boolean =>
  then !== undefined && then !== thisBoot() && then.split(' ')[0] === hostname()

const pids = (): string | null => tried(() => readlinkSync('/proc/self/ns/pid'), null)
