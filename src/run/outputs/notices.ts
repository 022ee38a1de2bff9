/** The notices of a run: which channels are configured, fed with each event, closed with the run. */

import { join } from 'node:path'
import { channels } from '../../adapters/notify/channels.ts'
import { type Channel, type ChannelOptions, openNotifier } from '../../adapters/notify/notify.ts'
import { setVariables } from '../../adapters/process/child-env.ts'
import { iterationLogName, logsFolder } from '../../adapters/project/layout.ts'
import type { Settings } from '../../config/table.ts'
import { type Notice, noticesFor } from '../../core/notice/notice.ts'
import type { State } from '../../core/state.ts'
import type { Event } from '../../core/types.ts'
import type { Io } from '../../io.ts'
import { inLocalTime } from '../../views/local-time.ts'
import { nextThing } from '../../views/screen/summary.ts'
import type { Setup } from '../parts.ts'
import { maskerOf } from '../preflight/begin.ts'
import { masked } from './masked.ts'

export type Notices = {
  take(events: Event[], state: State): void
  /** Waits some seconds for what is being sent. */
  close(graceMs?: number): Promise<void>
}

/** How long a notice may take after the end of its run. */
const lastMs = 5000

/** `ring`: to the terminal, if there is one. `failed`: a channel's first failure, in words. */
export function openNotices(
  world: Setup & { run: string },
  ring: ((text: string) => void) | null,
  failed: (detail: string) => void,
): Notices {
  const { settings, mask } = world
  const open = channelsOf(world, ring, (text) => world.screen.say('warn', text))
  if (open.length === 0) return { take: () => {}, close: () => Promise.resolve() }
  const notifier = openNotifier(open, (detail) => failed(mask.text(detail)))
  return {
    take(events, state) {
      const notices = noticesFor(events, state, settings['notify.on'], nextWords(world, state))
      notifier.send(notices.map((notice) => masked(forPeople(notice), mask)))
    },
    close: (graceMs = lastMs) => notifier.close(graceMs),
  }
}

/** Its own time stays in UTC: programs read it. */
const forPeople = (notice: Notice): Notice => ({
  ...notice,
  title: inLocalTime(notice.title, notice.at),
  text: inLocalTime(notice.text, notice.at),
})

/** One notice, with all the time that its channels need. */
export async function sendNotice(notice: Notice, root: string, settings: Settings, env: Io['env']): Promise<void> {
  const open = channelsOf(senderOf(notice, root, settings, env), null)
  const notifier = openNotifier(open, () => {})
  notifier.send([notice])
  await notifier.close(longestMs)
}

/** Four tries of ten seconds, and the waits between them. */
const longestMs = 65_000

/** The same without waiting: `apart` gets it if other channels are configured than those that only this process can use. */
export function sendAtOnce(
  notice: Notice,
  { root, settings }: { root: string; settings: Settings },
  io: Io,
  apart: (notice: Notice) => void,
): void {
  const sender = senderOf(notice, root, settings, io.env)
  const open = channelsOf(sender, io.isTerminal ? io.out : null)
  const safe = masked(forPeople(notice), sender.mask)
  for (const { isHere, send } of open) if (isHere) send(safe, new AbortController().signal).catch(() => {}) // nobody is left to be told
  if (open.some(({ isHere }) => !isHere)) apart(safe)
}

function senderOf({ run }: Notice, root: string, settings: Settings, given: Io['env']): Sender {
  const env = setVariables(given)
  return { settings, env, root, run: run || 'no-run', mask: maskerOf(env, settings) }
}

type Sender = Pick<Setup, 'settings' | 'env' | 'root' | 'mask'> & { run: string }

function channelsOf(
  { settings, env, root, run, mask }: Sender,
  ring: ChannelOptions['ring'],
  warn: ChannelOptions['warn'] = () => {},
): Channel[] {
  let started = 0
  const tag = (): string => `${run}:notice-${++started}`
  const options = { cwd: root, env, tag, keep: settings['process.keep'], mask: mask.text, ring, warn }
  return channels.flatMap((open) => open(settings, options) ?? [])
}

function nextWords({ label, run }: { label: string; run: string }, state: State): string {
  if (state.outcome === undefined || state.run !== run) return ''
  const log = join(logsFolder(label), iterationLogName(state.iteration))
  return nextThing(state.outcome.outcome, state, { dir: label, log })
}
