/** The notices of a run: what is set up, told of each event, and closed with the run. */
import { join } from 'node:path'
import { type Channel, openNotifier } from '../../adapters/notify/notify.ts'
import { command, desktop, type ProgramOptions } from '../../adapters/notify/program.ts'
import { webhook } from '../../adapters/notify/webhook.ts'
import { iterationLogName, logsFolder } from '../../adapters/project/layout.ts'
import type { Settings } from '../../config/table.ts'
import { type Notice, noticesFor } from '../../core/notice/notice.ts'
import type { State } from '../../core/state.ts'
import type { Event } from '../../core/types.ts'
import type { Io } from '../../io.ts'
import { nextThing } from '../../views/screen/summary.ts'
import { maskerOf } from '../preflight/begin.ts'
import type { World } from '../world.ts'
import { masked } from './masked.ts'

export type Notices = {
  take(events: Event[], state: State): void
  /** Gives what is under way its last seconds. */
  close(graceMs?: number): Promise<void>
}

/** What a notice may take after the end of its run. */
const lastMs = 5000

/** `ring`: to the terminal, where there is one. `failed`: a channel's first failure, in words. */
export function openNotices(world: World, ring: ((text: string) => void) | null, failed: (detail: string) => void): Notices {
  const { settings, mask } = world
  const channels = channelsOf(world, ring, (text) => world.screen.say('warn', text))
  if (channels.length === 0) return { take: () => {}, close: () => Promise.resolve() }
  const notifier = openNotifier(channels, (detail) => failed(mask.text(detail)))
  return {
    take(events, state) {
      const notices = noticesFor(events, state, settings['notify.on'], nextWords(world, state))
      notifier.send(notices.map((notice) => masked(notice, mask)))
    },
    close: (graceMs = lastMs) => notifier.close(graceMs),
  }
}

/** One notice, with all the time that its channels take. */
export async function sendNotice(notice: Notice, root: string, settings: Settings, given: Io['env']): Promise<void> {
  const env = Object.fromEntries(Object.entries(given).filter((pair): pair is [string, string] => pair[1] !== undefined))
  const sender = { settings, env, root, run: notice.run || 'no-run', mask: maskerOf(env, settings) }
  const notifier = openNotifier(
    channelsOf(sender, null, () => {}),
    () => {},
  )
  notifier.send([notice])
  await notifier.close(longestMs)
}

/** Four tries of ten seconds, and the waits between them. */
const longestMs = 65_000

type Sender = Pick<World, 'settings' | 'env' | 'root' | 'run' | 'mask'>

function channelsOf(
  { settings, env, root, run, mask }: Sender,
  ring: ((text: string) => void) | null,
  warn: (text: string) => void,
): Channel[] {
  let started = 0
  const options: ProgramOptions = {
    cwd: root,
    env,
    tag: () => `${run}:notice-${++started}`,
    keep: settings['process.keep'],
    mask: mask.text,
  }
  const url = settings['notify.webhook.url']
  const keyName = settings['notify.webhook.secret_env']
  const secret = keyName === '' ? '' : (env[keyName] ?? '')
  if (url !== '' && keyName !== '' && secret === '')
    warn(`! notify.webhook.secret_env names ${keyName}, which is not set: notices are posted unsigned`)
  return [
    ...(settings['notify.desktop'] ? [desktop(process.platform, options)] : []),
    ...(settings['notify.bell'] && ring !== null ? [bell(ring)] : []),
    ...(url === '' ? [] : [webhook({ url, secret, now: Date.now })]),
    ...(settings['notify.command'] === '' ? [] : [command(settings['notify.command'], options)]),
  ]
}

const bell = (ring: (text: string) => void): Channel => ({
  name: 'bell',
  send: async () => {
    ring('\u0007')
    return null
  },
})

function nextWords({ label, run }: World, state: State): string {
  if (state.outcome === undefined || state.run !== run) return ''
  const log = join(logsFolder(label), iterationLogName(state.iteration))
  return nextThing(state.outcome.outcome, state, { dir: label, log })
}
