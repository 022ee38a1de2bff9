/** Calls that look and answer: what they change in the tree is put back, and their word does not count. */
import { hashFiles } from '../adapters/tree-hash.ts'
import type { Report } from '../core/types.ts'
import { restoreConfig, undoGateEdits } from './restored.ts'
import type { World } from './world.ts'

export type Guard = { putBack(): Promise<string | null> }

/** `putBack` says what was changed, in words; null: nothing. */
export async function guarded(world: World, who: 'The reviewer' | 'The learner'): Promise<Guard> {
  const { git } = world
  if (git === null) {
    const before = hashFiles(world.root)
    return {
      putBack: async () =>
        hashFiles(world.root).tree === before.tree
          ? null
          : `${who} changed files. Outside a git repository they cannot be put back: look at them. Its answer does not count.`,
    }
  }
  const key = `${world.feature}/.looking`
  await git.save(key)
  return {
    async putBack() {
      const isChanged = await git.restore(key)
      await git.forget(key)
      if (!isChanged) return null
      const copy = `${git.refOf(key)}.before-restore`
      return `${who} changed the work tree: it was put back, and its answer does not count. What it left is kept in ${copy}.`
    },
  }
}

/** Plan and settings too are put back; null: nothing was changed. */
export async function undone(
  world: World,
  iteration: number,
  tree: Guard,
  who: 'The reviewer' | 'The learner',
  report: (report: Report) => void,
): Promise<string | null> {
  const whom = who.toLowerCase()
  const isConfig = restoreConfig(world, iteration, report)
  const isPlan = await undoGateEdits(
    world,
    iteration,
    report,
    iteration > 0 ? `${whom} of iteration ${iteration}` : who === 'The reviewer' ? `${whom} of the whole` : whom,
  )
  const problem = await tree.putBack()
  if (problem !== null || !(isConfig || isPlan)) return problem
  return `${who} changed ${isPlan ? 'the plan' : 'the settings'}: that was put back, and its answer does not count.`
}
