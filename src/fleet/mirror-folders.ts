/** The fleet's mirrored logs as folders, kept up to date, so that everything that reads a log from disk can show a fleet. */
import { appendFileSync, mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { replaceFile } from '../adapters/files/files.ts'
import { eventLogPath, featureFolder } from '../adapters/project/layout.ts'
import type { Fleet } from './database.ts'
import type { Feature } from './features.ts'

export type ShownFleet = {
  /** A folder per repository, and which of its features have a worker now. */
  repositories(): { root: string; name: string; address: string; live: Set<string> }[]
  /** The feature of a folder. */
  keyOf(root: string, feature: string): string | undefined
  /** Reads what is new. */
  look(): Promise<void>
  close(): void
}

type ShownFeature = { turn: number; seq: number; root: string; feature: string; state: Feature['state'] }

export function showFleet(fleet: Fleet, folder: string, everyMs: number): ShownFleet {
  const roots = new Map<string, { root: string; name: string; address: string }>()
  const seen = new Map<string, ShownFeature>()
  let since = '-infinity'
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  function rootOf(address: string): string {
    const known = roots.get(address)
    if (known !== undefined) return known.root
    const name =
      basename(
        address
          .replace(/\/+$/, '')
          .replace(/\.git$/, '')
          .replace(/^.*:/, ''),
      ) || 'repository'
    const root = join(folder, `${roots.size + 1}`, name)
    roots.set(address, { root, name, address })
    return root
  }

  async function look(): Promise<void> {
    const rows = await fleet.query<Feature & { last: number; changed: string }>(
      `select f.key, f.repository, f.feature, f.state, f.turn, f.changed_at::text as changed,
         coalesce((select max(e.seq) from ralph.events e where e.key = f.key), 0) as last
       from ralph.features f where f.state = 'running' or f.changed_at >= $1::timestamptz order by f.changed_at`,
      [since],
    )
    for (const row of rows) {
      await show(row)
      if (since === '-infinity' || row.changed > since) since = row.changed
    }
  }

  async function show({ key, repository, feature, turn, state, last }: Feature & { last: number }): Promise<void> {
    const root = rootOf(repository)
    const before = seen.get(key)
    const path = eventLogPath(featureFolder(root, feature))
    // A new turn may have dropped the end of the log: then it is read again.
    const from = before !== undefined && before.turn === turn && last >= before.seq ? before.seq : 0
    if (before === undefined) mkdirSync(featureFolder(root, feature), { recursive: true })
    if (last > from || (before !== undefined && from === 0 && before.seq > 0)) {
      const lines = await fleet.query<{ line: string; seq: number }>(
        'select seq, line from ralph.events where key = $1 and seq > $2 order by seq',
        [key, from],
      )
      const text = lines.map(({ line }) => `${line}\n`).join('')
      if (from === 0) replaceFile(path, text)
      else appendFileSync(path, text)
      seen.set(key, { turn, seq: lines.at(-1)?.seq ?? from, root, feature, state })
    } else seen.set(key, { turn, seq: before?.seq ?? 0, root, feature, state })
  }

  async function again(): Promise<void> {
    await look().catch(() => {}) // away for a while: keep showing what is known
    if (!isClosed) timer = setTimeout(() => void again(), everyMs)
  }

  timer = setTimeout(() => void again(), everyMs)
  return {
    repositories: () =>
      [...roots.values()].map((one) => {
        const running = [...seen.values()].filter(({ root, state }) => root === one.root && state === 'running')
        return { ...one, live: new Set(running.map(({ feature }) => feature)) }
      }),
    keyOf: (root, feature) => [...seen].find(([, known]) => known.root === root && known.feature === feature)?.[0],
    look,
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
