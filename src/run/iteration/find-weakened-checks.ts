/** Finds checks that were weakened since a story began: looks closer if tests, gate files or the agent's git commands give cause. */
import { existsSync, realpathSync } from 'node:fs'
import { join, relative } from 'node:path'
import { readJson } from '../../adapters/files/files.ts'
import { scriptIn } from '../../adapters/project/test-command.ts'
import type { Transcript } from '../../core/reading/transcript.ts'
import type { State } from '../../core/state.ts'
import { filesOfGates, type GateFile } from '../../core/tamper/gate-files.ts'
import { isTestFile } from '../../core/tamper/test-code.ts'
import { addedTests, countsForChecks, weakenedChecks } from '../../core/tamper/weakened-checks.ts'
import type { Ended, StoryId } from '../../core/types.ts'
import { beginningOf } from '../failure/checkpoint.ts'
import { knownFork } from '../parallel/worktree.ts'
import type { Work } from '../parts.ts'

type Measured = Pick<Ended, 'repo' | 'files' | 'uncommitted' | 'flips'> & { story: StoryId | null }

/** Weakened checks, in words; and the tests added meanwhile in files of this iteration. */
export async function weakenedSince(
  world: Pick<Work, 'root' | 'feature' | 'git' | 'place'>,
  { story, repo, files = [], uncommitted, flips }: Measured,
  transcript: Transcript,
  state: State,
): Promise<Pick<Ended, 'weakened' | 'tests'>> {
  if (world.git === null) return {}
  const gateFiles = gateFilesOf(world, world.git.top, state)
  const touched = [...files, ...uncommitted]
  const isSuspect = touched.some((file) => isTestFile(file) || gateFiles.some(({ path }) => path === file))
  if (!isSuspect && flips.length === 0 && transcript.commands.length === 0) return {}
  const isBegun = world.place === undefined && story !== null && state.stories[story]?.isSaved === true
  const { git, place } = world
  const since =
    place === undefined
      ? state.repo.head
      : ((await knownFork({ git, place })) ?? (await git.forkOf('HEAD', place.onto ?? 'HEAD')))
  const from = isBegun ? git.refOf(beginningOf(world, story)) : since
  const isClean = repo.dirt === ''
  // Names need no extra git; lines need two.
  const isHarmless = isClean && !(await git.diffFiles(from, 'HEAD')).some((file) => countsForChecks(file, gateFiles))
  const changes = isHarmless || from === null ? [] : await git.changesSince(from, isClean)
  const weakened = weakenedChecks({ changes, commands: transcript.commands, gateFiles })
  const tests = addedTests(changes, touched)
  return { ...(weakened.length === 0 ? {} : { weakened }), ...(tests.length === 0 ? {} : { tests }) }
}

/** Gates run in the project's folder; git's paths are from the top. */
function gateFilesOf({ root }: Pick<Work, 'root'>, top: string, { policy }: State): GateFile[] {
  const found = filesOfGates(
    policy.gates,
    (path) => existsSync(join(root, path)),
    (path, script) => scriptIn(readJson(join(root, path)), script), // as it is now: a change to it is noticed separately
  )
  const folder = relative(top, realpathSync(root))
  return found.map((file) => ({ ...file, path: join(folder, file.path) }))
}
