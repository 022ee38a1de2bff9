/** Ralph's own files after an agent or a gate had its hands on them: what they may not change is put back, kept and told. */
import { cpSync, mkdirSync, renameSync, rmSync, type Stats, statSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { readIfThere, replaceFile, temporaryName } from '../adapters/files.ts'
import { snapshotPath } from '../adapters/plan/keeper.ts'
import { removeLinksOut } from '../adapters/sandbox/links.ts'
import type { Report } from '../core/types.ts'
import { padded } from './called.ts'
import type { World } from './world.ts'

/** What was shut in has no business outside: a link of its making is not followed. */
export function removeLinks(world: World, iteration: number, report: (report: Report) => void): void {
  if (world.sandbox === null) return
  for (const path of removeLinksOut(world.root, world.dir))
    report({
      kind: 'noticed',
      what: 'link-removed',
      detail: `${path} led out of the project since iteration ${iteration}, and was removed`,
      tell: true,
    })
}

/** A folder where a file of ours belongs, or a file where the logs do, would stop us at the next write: it goes aside, and ours comes back. */
export function clearPlaces(world: World, iteration: number, report: (report: Report) => void): void {
  const plan = world.plan.current()?.file
  const own = [...ownFiles, ...(plan === undefined ? [] : [plan])].map((name) => join(world.dir, name))
  const kept = plan === undefined ? [] : [snapshotPath(world.dir, plan)]
  const folders = [...own, ...kept, ...world.configFiles.map(({ path }) => path)].filter((path) => statOf(path)?.isDirectory())
  const inTheWay = statOf(world.logs)?.isFile() ? [world.logs, ...folders] : folders
  const moved = inTheWay.map((path) => ({ path, aside: movedAside(world, path, iteration) }))
  // A report is written to files of ours: only now are all of them free.
  for (const { path, aside } of moved)
    report({
      kind: 'noticed',
      what: 'place-cleared',
      detail: `${relative(world.root, path)} was replaced by ${path === world.logs ? 'a file' : 'a folder'} during iteration ${iteration}, which is in ${relative(world.root, aside)} now`,
      tell: true,
    })
}

function movedAside({ logs }: World, path: string, iteration: number): string {
  const aside = join(logs, `${basename(path)}-${padded(iteration)}.rejected`)
  const between = temporaryName(path)
  renameSync(path, between)
  mkdirSync(logs, { recursive: true, mode: 0o700 })
  rmSync(aside, { recursive: true, force: true })
  // A worktree may be on another disk than the logs, where nothing can be renamed to.
  try {
    cpSync(between, aside, { recursive: true, verbatimSymlinks: true })
  } catch {} // a pipe or a socket: there is nothing in it to keep
  rmSync(between, { recursive: true, force: true })
  return aside
}

const ownFiles = [
  'progress.txt',
  'state.md',
  'status.json',
  'decide.txt',
  'blocked.txt',
  'report.md',
  'report.json',
  join('logs', 'summary.csv'),
]

const statOf = (path: string): Stats | undefined => {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined // in a folder that is none: a link to itself, a file in its place
  }
}

/** Settings are read at the start of the run: an agent that loosens its own gates changes nothing. Whether one was put back. */
export function restoreConfig(world: World, iteration: number, report: (report: Report) => void): boolean {
  let isRestored = false
  for (const { path, text } of world.configFiles) {
    const now = readIfThere(path)
    if (now === text) continue
    isRestored = true
    const copy = join(world.logs, `config-${padded(iteration)}.rejected`)
    if (now !== null) replaceFile(copy, now)
    if (text === null) rmSync(path)
    else replaceFile(path, text)
    const did = text === null ? 'made' : 'changed'
    const what = now === null ? 'was removed' : `was ${did} (the copy is in ${relative(world.root, copy)})`
    report({
      kind: 'noticed',
      what: 'config-restored',
      detail: `${relative(world.root, path)} ${what} during iteration ${iteration}, and was ${text === null ? 'taken away' : 'put back'}`,
      tell: true,
    })
  }
  return isRestored
}

/** A gate says whether a story passes; it does not write it into the plan. Whether it did. */
export async function undoGateEdits(
  world: World,
  iteration: number,
  report: (report: Report) => void,
  who = iteration === 0 ? 'the gates' : `the gates of iteration ${iteration}`,
): Promise<boolean> {
  const copy = await world.plan.gateEdits(iteration)
  if (copy === null) return false
  const where = copy === '' ? '' : ` (the copy is in ${world.label}/${copy})`
  report({
    kind: 'noticed',
    what: 'plan-restored',
    detail: `the plan was changed while ${who} ran, and was put back${where}`,
    tell: true,
  })
  return true
}
