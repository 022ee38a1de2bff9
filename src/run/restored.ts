/** Ralph's own files after an agent or a gate had its hands on them: what they may not change is put back, kept and told. */
import { rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { readIfThere, replaceFile } from '../adapters/files.ts'
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
