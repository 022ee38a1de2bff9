/** Checks that were weakened since a story began: looked for where tests, gates' own files or the agent's git commands give cause. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { State } from '../core/state.ts'
import { filesOfGates } from '../core/tamper/gate-files.ts'
import { isTestFile } from '../core/tamper/test-code.ts'
import { weakenedChecks } from '../core/tamper.ts'
import type { Transcript } from '../core/transcript.ts'
import type { Ended, StoryId } from '../core/types.ts'
import { beginningOf } from './beginning.ts'
import { knownFork } from './place.ts'
import type { World } from './world.ts'

type Measured = Pick<Ended, 'repo' | 'files' | 'uncommitted' | 'flips'>

/** In words, one each. */
export async function weakenedSince(
  world: World,
  story: StoryId | null,
  state: State,
  { repo, files = [], uncommitted, flips }: Measured,
  transcript: Transcript,
): Promise<string[]> {
  if (world.git === null) return []
  const gateFiles = filesOfGates(
    state.policy.gates,
    (path) => existsSync(join(world.root, path)),
    (path, script) => scriptIn(join(world.root, path), script),
  )
  const touched = [...files, ...uncommitted]
  const isSuspect = touched.some((file) => isTestFile(file) || gateFiles.some(({ path }) => path === file))
  if (!isSuspect && flips.length === 0 && transcript.commands.length === 0) return []
  const isBegun = world.place === undefined && story !== null && state.stories[story]?.isSaved === true
  const { git, place } = world
  const since =
    place === undefined
      ? state.repo.head
      : ((await knownFork({ git, place })) ?? (await git.forkOf('HEAD', place.onto ?? 'HEAD')))
  const key = isBegun ? beginningOf(world, story) : null
  const changes = await git.changesSince({ key, head: since, isClean: repo.dirt === '' })
  return weakenedChecks({ changes, commands: transcript.commands, gateFiles })
}

/** Of a package.json that can be read, as it is now: a script that was changed is noticed as that. */
function scriptIn(path: string, script: string): string | undefined {
  try {
    const command: unknown = JSON.parse(readFileSync(path, 'utf8')).scripts?.[script]
    return typeof command === 'string' ? command : undefined
  } catch {
    return undefined
  }
}
