/** All keys and sections, and the nearest one to an unknown name. */
import { mostTypos, nearest, typosBetween } from '../core/text/nearest.ts'
import { longFlag } from './flags.ts'
import { envName, type Key, table } from './table.ts'

export const keys = Object.keys(table) as Key[]

export const isKey = (name: string): name is Key => Object.hasOwn(table, name)
export const isSection = (name: string): boolean => sections.includes(name)

/** The nearest name in the whole table, by its last word, its flag or its section; its own section first. */
export function meantKey(written: string): string | undefined {
  const dot = written.lastIndexOf('.')
  const [section, word] = [written.slice(0, Math.max(dot, 0)), written.slice(dot + 1)]
  const distance = ({ section: home, word: candidate }: Candidate): number =>
    typosBetween(word, candidate) + (home === section ? 0 : 0.5)
  let best: Candidate | undefined
  for (const candidate of candidates) if (best === undefined || distance(candidate) < distance(best)) best = candidate
  return best !== undefined && distance(best) < mostTypos(word) + 1 ? best.name : undefined
}

/** Compared without RALPH_, which would make all short names look similar. */
export function meantVariable(written: string): string | undefined {
  const bare = (name: string): string => name.slice('RALPH_'.length)
  const meant = nearest(
    bare(written),
    keys.map((key) => bare(envName(key))),
  )
  return meant === undefined ? undefined : `RALPH_${meant}`
}

type Candidate = { name: string; section: string; word: string }

const sections: string[] = [...new Set(keys.flatMap(parents))]
const candidates: Candidate[] = [
  ...[...sections, ...keys].map((name) => candidate(name, name)),
  ...keys.flatMap((key) => {
    const flag = longFlag(key)?.slice(2)
    return flag === undefined ? [] : [candidate(key, flag)]
  }),
]

/** roles.reviewer.agent: roles, roles.reviewer. */
function parents(key: string): string[] {
  const words = key.split('.')
  return words.slice(1).map((_, i) => words.slice(0, i + 1).join('.'))
}

function candidate(name: string, written: string): Candidate {
  const section = name.slice(0, Math.max(name.lastIndexOf('.'), 0))
  return { name, section, word: written.slice(written.lastIndexOf('.') + 1) }
}
