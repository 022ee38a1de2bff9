/** Sends notices through every configured channel, beside the run: nothing waits for them, and a failure is reported once. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Notice } from '../../core/notice/notice.ts'

export type Channel = {
  name: string
  /** Only this process can send it, because another has no access to its terminal. */
  isHere?: true
  /** null: delivered. Otherwise why not, and what to do. `stop`: nobody waits for it any more. */
  send(notice: Notice, stop: AbortSignal): Promise<string | null>
}

/** What a channel is opened with, besides its own settings. */
export type ChannelOptions = {
  cwd: string
  env: Record<string, string | undefined>
  /** RALPH_RUN of a started program: different each time, so that one notice does not end another's processes. */
  tag(): string
  keep: string[]
  /** Masks credentials. */
  mask(text: string): string
  /** To the terminal, if there is one. */
  ring: ((text: string) => void) | null
  warn(text: string): void
}

export type Notifier = {
  send(notices: Notice[]): void
  /** Waits this long for what is still being sent, then drops it. Resolves when nothing is left. */
  close(graceMs: number): Promise<void>
}

/** `failed` gets a channel's first failure; more of them would not help anyone. */
export function openNotifier(channels: Channel[], failed: (detail: string) => void): Notifier {
  const stop = new AbortController()
  const underWay = new Map<Channel, Set<Promise<void>>>(channels.map((channel) => [channel, new Set()]))
  const told = new Set<Channel>()
  const tell = (channel: Channel, detail: string): void => {
    if (told.has(channel)) return
    told.add(channel)
    try {
      failed(detail)
    } catch {} // a failure that cannot be reported must not disturb the run
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
            tell(channel, `${mostUnderWay} notices by ${channel.name} are still being sent: "${notice.what}" was skipped`)
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

/** If every event is a notice and the receiver hangs, they would pile up for hours. */
const mostUnderWay = 16
