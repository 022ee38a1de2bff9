/** `ralph fleet work`: this machine works for the fleet until it is told to stop. */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { masker } from '../../adapters/mask/mask.ts'
import { ralphHome } from '../../adapters/project/find.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import { instantOf } from '../../core/text/time.ts'
import { Away, type Fleet, type Opening, openFleet } from '../../fleet/database.ts'
import { startWorker } from '../../fleet/worker.ts'
import type { Io } from '../../io.ts'
import { closedAfter, type FleetArgs, labelsIn, wholeNumber } from './fleet.ts'

export async function runWork(url: string, args: FleetArgs, io: Io): Promise<number> {
  const slots = args.slots === undefined ? 1 : wholeNumber('--slots', args.slots)
  if (slots < 1) throw new Failure(EXIT.usage, `--slots is "${args.slots}"; expected 1 or more.`)
  const allow = args.allow ?? []
  if (allow.length === 0)
    throw new Failure(
      EXIT.usage,
      'No repository allowed. Repositories decide which programs run on this machine, so name those that you trust: --allow https://github.com/us/* (* matches any characters)',
    )
  const place = resolve(io.cwd, args.folder ?? join(ralphHome(io.env), 'fleet'))
  mkdirSync(place, { recursive: true })
  const mask = masker(io.env)
  const say = (text: string): void => io.out(`${instantOf(Date.now())} ${mask.text(text)}\n`)
  const fleet = await openPatiently({ url, connections: Math.min(slots + 3, 12) }, say)
  return closedAfter(url, fleet, async () => {
    const worker = startWorker({
      fleet,
      place,
      slots,
      labels: labelsIn(args.labels),
      account: args.account ?? 'default',
      env: io.env,
      allow,
      pollMs,
      isUntilEmpty: args.untilEmpty === true,
      say,
    })
    say(`${worker.id} takes up to ${slots} at a time from ${allow.join(', ')}`)
    let isAsked = false
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => {
        if (isAsked) return worker.stopNow()
        isAsked = true
        worker.drain()
      })
    await worker.ended
    return 0
  })
}

const pollMs = 1000

/** A machine may be up before its database. */
async function openPatiently(opening: Opening, say: (text: string) => void): Promise<Fleet> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await openFleet(opening)
    } catch (error) {
      if (!(error instanceof Away)) throw error
      if (isFirst) say(`waiting for the database: ${error.message}`)
      await pause(2000)
    }
  }
}
