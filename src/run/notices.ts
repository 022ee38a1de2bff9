/** The notices of a run: what is set up, told of each event, and closed with the run. */

import { command, desktop, type ProgramOptions } from '../adapters/notify/program.ts'
import { webhook } from '../adapters/notify/webhook.ts'
import { type Channel, openNotifier } from '../adapters/notify.ts'
import { noticesFor } from '../core/notice.ts'
import type { State } from '../core/state.ts'
import type { Event } from '../core/types.ts'
import { nextThing } from '../views/summary.ts'
import { masked } from './masked.ts'
import type { World } from './world.ts'

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
  const channels = channelsOf(world, ring)
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

function channelsOf({ settings, env, root, run, screen, mask }: World, ring: ((text: string) => void) | null): Channel[] {
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
    screen.say('warn', `! notify.webhook.secret_env names ${keyName}, which is not set: notices are posted unsigned`)
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
  const log = `${label}/logs/iteration-${String(state.iteration).padStart(3, '0')}.log`
  return nextThing(state.outcome.outcome, state, { dir: label, log })
}
