/** The live watch: notices an agent that goes in circles while it runs, instead of when its time is up. */
import { hexFingerprint } from '../text/hash.ts'
import { errorHash } from './reading.ts'
import type { Entry } from './transcript.ts'

export type Watch = {
  /** The tool call whose result is awaited. */
  call: string
  /** How often each call failed the same way since the last edit. */
  failures: Readonly<Record<string, number>>
  /** The contents of each file, newest last, and how often one of them came back. */
  contents: Readonly<Record<string, readonly string[]>>
  returns: Readonly<Record<string, number>>
}

export const emptyWatch: Watch = { call: '', failures: {}, contents: {}, returns: {} }

export function watchAfter(watch: Watch, entry: Entry): Watch {
  if (entry.kind === 'tool') {
    const next = { ...watch, call: `${entry.name} ${entry.target}` }
    return entry.edit === undefined ? next : editSeen(next, entry.edit)
  }
  if (entry.kind !== 'tool-result' || !entry.failed) return watch
  const key = `${watch.call}\n${errorHash(entry.text)}`
  return { ...watch, failures: { ...lastOnes(watch.failures), [key]: (watch.failures[key] ?? 0) + 1 } }
}

/** Why the iteration should be stopped; null: it should not. `threshold` 0: never. */
export function circling(watch: Watch, threshold: number): string | null {
  if (threshold === 0) return null
  for (const [key, times] of Object.entries(watch.failures)) {
    if (times >= threshold) return `the same tool call failed the same way ${times} times: ${key.split('\n')[0]}`
  }
  for (const [path, times] of Object.entries(watch.returns)) {
    if (times >= threshold) return `${path} was edited back and forth ${times} times`
  }
  return null
}

/** An edit is a new attempt, unless it restores an old content. */
function editSeen(watch: Watch, { path, from, to }: NonNullable<Extract<Entry, { kind: 'tool' }>['edit']>): Watch {
  const before = watch.contents[path] ?? []
  const after = hexFingerprint(to)
  const isReturn = before.includes(after) && before.at(-1) !== after
  const known = [...before, ...(from === undefined ? [] : [hexFingerprint(from)]), after].filter(
    (hash, index, all) => all[index + 1] !== hash,
  )
  return {
    ...watch,
    failures: isReturn ? watch.failures : {},
    contents: { ...lastOnes(watch.contents), [path]: known.slice(-40) },
    returns: isReturn ? { ...lastOnes(watch.returns), [path]: (watch.returns[path] ?? 0) + 1 } : watch.returns,
  }
}

/** Memory stays bounded, however many things an agent tries. */
function lastOnes<T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  const entries = Object.entries(record)
  return entries.length < 100 ? record : Object.fromEntries(entries.slice(-50))
}
