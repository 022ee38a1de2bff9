/** Files that git ignores and that gates get all the same: no commit shows what an agent did to them. */
import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { tried } from '../../core/failure.ts'
import type { Finding } from '../../core/proof/finding.ts'
import { isCache, isDependency } from '../../core/proof/hidden-files.ts'
import type { State } from '../../core/state.ts'
import type { Work } from '../parts.ts'

type IgnoringWorld = Pick<Work, 'git' | 'place' | 'settings'> & { own: { byGates: Set<string> } }
type Judged = Pick<State, 'ignored' | 'judgedIn' | 'programs'>

/** Before the first agent: what gates write themselves is as they write it. */
export function noteGateWrites(world: IgnoringWorld, state: Judged): void {
  for (const file of changedSince(world, state).files) world.own.byGates.add(file)
}

/** For a flip. What is given to gates is a dependency, which is looked at elsewhere; named in `worktree.copy`; or all that they need. */
export function changedIgnored(world: IgnoringWorld, state: Judged): Finding[] {
  const { files, isCut } = changedSince(world, state)
  const changed = files.filter((file) => !world.own.byGates.has(file))
  const [first] = changed
  if (first === undefined && !isCut) return []
  const names = `${changed.slice(0, 5).join(', ')}${changed.length > 5 ? ` and ${changed.length - 5} more` : ''}`
  const words = isCut
    ? 'was judged with too many git-ignored files to examine'
    : `changed ${names}, which git ignores and the gates use`
  return [{ rule: 'ignored-changed', ...(first === undefined ? {} : { file: first }), words, isBeyondChecks: true }]
}

const mostFiles = 20_000

function changedSince({ git, place, settings }: IgnoringWorld, state: Judged): { files: string[]; isCut: boolean } {
  const since = place?.since ?? state.programs?.since
  if (git === null || since === undefined) return { files: [], isCut: false }
  const known = (place === undefined ? state.ignored : place.ignored) ?? []
  const given = state.judgedIn === 'ignored' ? known : settings['worktree.copy']
  const all: string[] = []
  const look = (path: string): void => {
    if (all.length > mostFiles || isDependency(path) || isCache(path)) return
    const stat = lstatSync(join(git.top, path), { throwIfNoEntry: false })
    if (stat === undefined) return
    if (!stat.isDirectory()) all.push(path)
    else for (const name of tried(() => readdirSync(join(git.top, path)).sort(), [])) look(`${path}/${name}`)
  }
  for (const path of given) look(path.replace(/\/$/, ''))
  const files = all.filter((path) => tried(() => lstatSync(join(git.top, path)).ctimeMs >= since, false))
  return { files, isCut: all.length > mostFiles }
}
