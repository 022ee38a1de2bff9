/** Where an agent looks at the project while it plans: a checkout of its own, as reviewers have, that is thrown away afterwards. */
import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { removeFolders } from '../../adapters/files/remove-folders.ts'
import { withoutRepository } from '../../adapters/git/checkout.ts'
import { openGit } from '../../adapters/git/git.ts'
import { featureFolder } from '../../adapters/project/layout.ts'
import type { Sandbox } from '../../adapters/sandbox/wrapped.ts'
import { tried } from '../../core/failure.ts'
import type { Io } from '../../io.ts'
import { projectPlaces, tooFull } from '../../run/parallel/worktree-paths.ts'
import type { SandboxFor, Setup } from '../../run/parts.ts'

type LookingWorld = Setup & { run: string; sandbox: Sandbox | null; sandboxFor: SandboxFor }
type LookingPlace = { cwd: string; sandbox: Sandbox | null; env: Record<string, string>; remove(): Promise<void> }

/** The project itself outside git, in a repository without a commit, and where there is no space. */
export async function placeForLooking(world: LookingWorld, io: Io): Promise<LookingPlace> {
  const { root, env, sandbox, sandboxFor, feature, run } = world
  const itself: LookingPlace = { cwd: root, sandbox, env, remove: async () => {} }
  const git = await openGit(root, env)
  if (git === null) return itself
  try {
    if ((await git.snapshot()).head === null) return itself
    const places = join(projectPlaces(world), '.planning')
    await removeLeftovers(places)
    const folder = join(places, run)
    const crowded = tooFull(world, folder)
    const made = crowded === null ? await git.checkOut(folder, '') : { error: crowded }
    if ('error' in made) {
      io.err(`! No checkout for the agent, so it looks at the project itself: ${made.error}\n`)
      return itself
    }
    const cwd = join(folder, relative(git.top, root))
    return {
      cwd,
      sandbox: sandboxFor(cwd, featureFolder(cwd, feature)),
      env: withoutRepository(env),
      remove: async () => void (await removeFolders([folder, `${folder}.index`])),
    }
  } finally {
    git.close()
  }
}

/** Of commands that were killed: the name ends with the process. */
async function removeLeftovers(places: string): Promise<void> {
  const names = tried(() => readdirSync(places), [])
  const isDead = (name: string): boolean => {
    const pid = Number(/-(\d+)(?:\.index)?$/.exec(name)?.[1])
    return Number.isInteger(pid) && pid !== process.pid && !tried(() => process.kill(pid, 0), false)
  }
  await removeFolders(names.filter(isDead).map((name) => join(places, name)))
}
