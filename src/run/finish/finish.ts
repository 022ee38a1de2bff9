/** After the loop: questions for a person, the summary, the archive, the last commit. */
import { join, relative } from 'node:path'
import { appendLines, flushFolder, readIfThere, readJson, replaceFile } from '../../adapters/files/files.ts'
import { readTail } from '../../adapters/files/tail.ts'
import { blockedPath, csvPath, iterationLogName, NAMES, progressPath, statusPath } from '../../adapters/project/layout.ts'
import { sure } from '../../core/failure.ts'
import { storyNamed, unpassedStories } from '../../core/plan/stories.ts'
import type { State } from '../../core/state.ts'
import { hasTexts } from '../../core/text/json.ts'
import { scopeOf } from '../../core/types/words.ts'
import type { Reporter, StoryId } from '../../core/types.ts'
import { blockedText } from '../../views/files/blocked-and-decide.ts'
import { closingEntry, endsWithEntry } from '../../views/files/progress.ts'
import { reportJson, reportMarkdown } from '../../views/report/report.ts'
import { does, summaryLines } from '../../views/screen/summary.ts'
import { type StatusFile, statusFile } from '../../views/status/account.ts'
import { beginningOf } from '../failure/checkpoint.ts'
import { logsFolderOf, withPathsNow } from '../history/archived.ts'
import type { Book } from '../history/folded-log.ts'
import { finishedBeside } from '../history/other-features.ts'
import { clearJudges } from '../iteration/guard-judge.ts'
import { passedKey } from '../iteration/own-branch.ts'
import { restoreOwn } from '../iteration/restore-ralph-files.ts'
import { wholeKey } from '../iteration/review.ts'
import { commitOwnFiles } from '../iteration/settle.ts'
import { rebuildCsv } from '../outputs/keep-views.ts'
import { masked } from '../outputs/masked.ts'
import { writeStatus } from '../outputs/write-status.ts'
import { tidyPlaces } from '../parallel/worktrees.ts'
import type { Setup } from '../parts.ts'
import { writeDecideFile } from '../people/decide-file.ts'
import { renewOwn, restoreUsersSettings } from '../preflight/users-settings.ts'
import type { World } from '../world.ts'
import { archiveFeature } from './archive.ts'

/** `atEnd`: what comes once all files say that the run has ended, and before they are archived and committed. */
type Options = { archive: boolean; status: StatusFile; atEnd(): Promise<void> }

/** Returns the lines of the summary. */
export async function finish(world: World, state: State, options: Options, report: Reporter): Promise<string[]> {
  const [kept, summary, share] = await Promise.all([
    tidyPlaces(world, state),
    close(world, state, options, report),
    howToShare(world, state),
    clearJudges(world),
  ])
  if (world.git !== null) flushFolder(world.git.dir) // git flushes its index, and not the name under which it lies
  return [...summary, ...share, ...kept]
}

/** A branch of its own, in a repository that has somewhere to go. */
async function howToShare({ git, settings, feature }: World, { home, outcome }: State): Promise<string[]> {
  const branch = home?.branch ?? null
  const isDue = outcome?.outcome === 'complete' && settings['git.pr'] === 'off' && branch !== null
  if (!isDue || git === null || !(await git.hasRemotes())) return []
  const [{ repositoryAt }, { usualDefaults }, remote] = await Promise.all([
    import('../../adapters/forges/remote.ts'),
    import('./branch-to-push.ts'),
    git.remoteFor(branch),
  ])
  const isHosted = remote !== null && (repositoryAt(remote.url) ?? repositoryAt(remote.usedUrl)) !== null
  if (!isHosted || usualDefaults.includes(branch)) return []
  return [`Share:       ${does(`ralph pr -f ${feature}`, `pushes ${branch} to ${remote.name} and opens a pull request`)}`]
}

async function close(world: World, state: State, options: Options, report: Reporter): Promise<string[]> {
  const { outcome } = endOf(state)
  writeEnd(world, state, options.status)
  world.own.decide.know()
  await options.atEnd()
  const isWhole = state.plan === null || unpassedStories(state.plan, { ...state.policy, only: undefined }).length === 0
  const isArchived = outcome === 'complete' && options.archive && isWhole
  const isPassed = (id: StoryId): boolean => storyNamed(state.plan, id)?.passes === true
  const whole = outcome === 'complete' && isWhole ? [wholeKey(world)] : []
  await world.git?.forget(
    ...whole,
    ...(isWhole && outcome === 'complete' ? [passedKey(world)] : []),
    ...[null, ...state.totals.attempted.filter(isPassed)].map((id) => beginningOf(world, id)),
  )
  const dir = isArchived ? archived(world, state, report) : world.dir
  await commitOwnFiles(world, `chore(ralph): ${world.feature} ${outcome}`, report)
  // Nothing that ran here may configure the next run.
  await restoreOwn(world, scopeOf(state.iteration), report)
  writeBlocked(world, state)
  return summaryLines(state, pathsFor({ ...world, dir }, state)).map((line) => withPathsNow(line, { ...world, dir }))
}

/** Its specs move along: in their old place nobody misses them, or an empty feature would be left there. */
function archived(world: World, state: State, report: Reporter): string {
  restoreUsersSettings(world, scopeOf(state.iteration), report)
  const dir = archiveFeature(world, state.at, false)
  world.plan.letGo()
  world.own.decide.know()
  renewOwn(world)
  return dir
}

/** For a run that was killed between the last line of its log and its last files: writes the rest. */
export async function finishKilled(world: Setup, book: Book): Promise<void> {
  const { state } = book
  if (state.outcome === undefined || !isCutShort(world.dir, state)) return
  rebuildCsv(world.dir)
  const others = await finishedBeside(world)
  writeEnd(world, state, statusFile(book, 'run.ended', others, world.settings['defaults.rate_limit_per_hour']))
}

export const endOf = ({ run, outcome }: State) => sure(outcome, `end of run ${run}`)

/** The status comes last: once it says that the run ended, everything else exists. Safe to repeat. */
function writeEnd(world: Pick<World, 'dir' | 'mask'>, state: State, status: StatusFile): void {
  const { outcome, because } = endOf(state)
  const write = (name: string, text: string): void => replaceFile(join(world.dir, name), world.mask.text(text))
  writeBlocked(world, state)
  writeDecideFile(world, state)
  const progress = progressPath(world.dir)
  const closing = world.mask.text(closingEntry(state, outcome, because))
  if (!endsWithEntry(readTail(progress, closing.split('\n').length), closing)) appendLines(progress, closing)
  write(NAMES.report, reportMarkdown(state))
  replaceFile(join(world.dir, NAMES.reportJson), `${JSON.stringify(masked(reportJson(state), world.mask), null, 2)}\n`)
  writeStatus(world.dir, masked(status, world.mask))
}

/** Deleting it means that the problem is resolved, so it must exist. */
function writeBlocked({ dir, mask }: Pick<World, 'dir' | 'mask'>, { outcome, blocked, at }: State): void {
  const path = blockedPath(dir)
  if (outcome?.outcome !== 'blocked' || blocked === undefined) return
  const text = mask.text(blockedText(blocked, at))
  if (readIfThere(path) !== text) replaceFile(path, text)
}

function isCutShort(dir: string, state: State): boolean {
  const status = readJson(statusPath(dir))
  if (!hasTexts(status, 'run', 'state')) return false // lost or broken later: it proves nothing
  return status.run !== state.run || status.state !== 'ended'
}

function pathsFor(place: Pick<World, 'root' | 'dir'>, state: State): { dir: string; csv: string; log: string } {
  const logs = relative(place.root, logsFolderOf(place))
  return {
    dir: relative(place.root, place.dir),
    csv: csvPath(logs),
    log: join(logs, iterationLogName(state.iteration)),
  }
}
