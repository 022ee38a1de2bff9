/** Many logical workers in one process, with agents that take no time: the load that queue, leases and mirror can carry. */
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openFleet } from '../src/fleet/database.ts'
import { type Lease, renewLeases, settleTurn, takeFeatures } from '../src/fleet/leases.ts'
import { mayPush, mirror, pushed } from '../src/fleet/write-turn.ts'

/** What one process saw; times in ms. */
export type Load = {
  turns: number
  events: number
  calls: number
  refused: number
  mirrorMs: number[]
  renewMs: number[]
}

const { values } = parseArgs({
  options: { url: { type: 'string' }, workers: { type: 'string' }, connections: { type: 'string' } },
})
const fleet = await openFleet({ url: values.url!, connections: Number(values.connections), patienceMs: 120_000 })
const load: Load = { turns: 0, events: 0, calls: 0, refused: 0, mirrorMs: [], renewMs: [] }
const held = new Set<Lease>()
let isOver = false
/** As a run writes it: an event with a typical amount of text. */
const line = JSON.stringify({
  at: new Date().toISOString(),
  run: 'load',
  kind: 'noticed',
  what: 'load',
  detail: 'x'.repeat(400),
  tell: false,
})

const keeping = (async () => {
  while (!isOver) {
    load.renewMs.push(await timed(() => renewLeases(fleet, [...held])))
    await pause(1000)
  }
})()
await Promise.all(Array.from({ length: Number(values.workers) }, (_, index) => work(`load-${process.pid}-${index}`)))
isOver = true
await keeping
await fleet.close()
process.stdout.write(JSON.stringify(load))

async function work(worker: string): Promise<void> {
  for (;;) {
    const [taken] = (await takeFeatures(fleet, { worker, labels: [], allow: ['*'] }, 1)).taken
    if (taken === undefined) {
      const [row] = await fleet.query<{ left: number }>(`select count(*)::int as left from ralph.features where state = 'queued'`)
      if (row!.left === 0) return
      await pause(500 + Math.random() * 500)
      continue
    }
    held.add(taken)
    for (let iteration = 0; iteration < 2; iteration++) {
      const [answer] = await fleet.query<{ granted: boolean }>('select * from ralph.ask_call($1, $2, $3)', [
        'load',
        taken.key,
        taken.token,
      ])
      load.calls += 1
      if (!answer!.granted) load.refused += 1
      for (let batch = 0; batch < 3; batch++) {
        const from = iteration * 9 + batch * 3
        const lines = [1, 2, 3].map((number) => ({ seq: from + number, line }))
        load.mirrorMs.push(await timed(() => mirror(fleet, taken, lines)))
        load.events += lines.length
      }
      const to = { head: `${taken.key}${iteration}`, seq: (iteration + 1) * 9, files: {} }
      if (await mayPush(fleet, taken, { ...to, branch: 'branch' }, 100)) await pushed(fleet, taken, true)
    }
    held.delete(taken)
    if (await settleTurn(fleet, taken, { state: 'completed', exitCode: 0, reason: '' })) load.turns += 1
  }
}

async function timed(deed: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await deed()
  return performance.now() - began
}
