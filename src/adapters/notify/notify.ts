/** Sends notices through every channel that is set up, beside the run: nothing waits for them, and what fails is told once. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Notice } from '../../core/notice/notice.ts'

export type Channel = {
  name: string
  /** Only this process can send it: another one has not its terminal. */
  isHere?: true
  /** null: it has arrived. Otherwise why it has not, and what to do. `stop`: nobody waits for it any more. */
  send(notice: Notice, stop: AbortSignal): Promise<string | null>
}

/** What a channel is opened with, beside its own settings. */
export type ChannelOptions = {
  cwd: string
  env: Record<string, string | undefined>
  /** RALPH_RUN of what is started: another one each time, so that one notice does not end another's processes. */
  tag(): string
  keep: string[]
  /** Takes out what looks like a credential. */
  mask(text: string): string
  /** To the terminal, where there is one. */
  ring: ((text: string) => void) | null
  warn(text: string): void
}

export type Notifier = {
  send(notices: Notice[]): void
  /** What is still under way gets this long, and is then dropped. Comes back when nothing is left. */
  close(graceMs: number): Promise<void>
}

/** `failed` hears of a channel's first failure; of a second one nobody could learn more. */
export function openNotifier(channels: Channel[], failed: (detail: string) => void): Notifier {
  const stop = new AbortController()
  const underWay = new Map<Channel, Set<Promise<void>>>(channels.map((channel) => [channel, new Set()]))
  const told = new Set<Channel>()
  const tell = (channel: Channel, detail: string): void => {
    if (told.has(channel)) return
    told.add(channel)
    try {
      failed(detail)
    } catch {} // that a failure cannot be told is no reason to disturb the run
  }
  const sendOne = async (channel: Channel, notice: Notice): Promise<void> => {
    const problem = await channel.send(notice, stop.signal).catch((error) => `The ${channel.name} notice failed: ${error}`)
    if (problem !== null) tell(channel, problem)
  }
  const all = (): Promise<unknown> => Promise.allSettled([...underWay.values()].flatMap((sending) => [...sending]))

  return {
    send(notices) {
      for (const notice of notices)
        for (const [channel, sending] of underWay) {
          if (sending.size >= mostUnderWay) {
            tell(channel, `${mostUnderWay} notices by ${channel.name} are still under way: "${notice.what}" was left out`)
            continue
          }
          const promise = sendOne(channel, notice).finally(() => sending.delete(promise))
          sending.add(promise)
        }
    },
    async close(graceMs) {
      const over = new AbortController()
      await Promise.race([all(), pause(graceMs, undefined, { signal: over.signal }).catch(() => {})])
      over.abort()
      stop.abort()
      await all()
    },
  }
}

/** Where every event is a notice and its receiver hangs, they would pile up for hours. */
const mostUnderWay = 16
