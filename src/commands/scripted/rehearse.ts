/** `ralph rehearse`: cheating and misbehaving agents, played against this project in a copy; what would have happened, and what closes each hole. */
import { realpathSync } from 'node:fs'
import { agentNamed } from '../../adapters/agents/list.ts'
import { type Git, openGit } from '../../adapters/git/git.ts'
import { readPlan } from '../../adapters/plan/find-plan.ts'
import { chooseFeature, currentBranch } from '../../adapters/project/find.ts'
import { featureFolder, featureLabel } from '../../adapters/project/layout.ts'
import { findTestCommand } from '../../adapters/test-command/find.ts'
import { policyOf } from '../../config/policy.ts'
import type { LoadedSettings } from '../../config/sources.ts'
import type { Settings } from '../../config/table.ts'
import { exitCode } from '../../core/exit-codes.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import { isDependency } from '../../core/proof/hidden-files.ts'
import type { State } from '../../core/state.ts'
import { nearest } from '../../core/text/nearest.ts'
import type { Io } from '../../io.ts'
import type { Play } from '../../rehearse/play.ts'
import { playList } from '../../rehearse/plays/list.ts'
import { rehearse } from '../../rehearse/rehearse.ts'
import { openLiveLine } from '../../run/outputs/live-line.ts'
import { screenOptions } from '../../run/outputs/screen.ts'
import { reviewersOf } from '../../run/preflight/roles.ts'
import { projectRoot, settingsOf } from '../../run/project.ts'
import { onStopSignals } from '../../run/stop-signals.ts'
import {
  certainHoles,
  groupLine,
  headLines,
  isAlike,
  type LineParts,
  type PlayedRow,
  type PlayGroup,
  playedLines,
  progressText,
  type Rehearsal,
  rehearsalData,
  summaryLines,
} from '../../views/rehearsal.ts'
import { plural } from '../../views/status/status.ts'
import { painter } from '../../views/terminal/dress.ts'

export type RehearseArgs = { feature?: string; quick?: boolean; only?: string; json?: boolean }

export async function runRehearse(args: RehearseArgs, io: Io): Promise<number> {
  const { root, home } = projectRoot(io)
  const loaded = await settingsOf(io, { root, home })
  const { settings } = loaded
  const feature = await featureOf(root, args.feature)
  const git = await openGit(root, io.env)
  const [stop, kill, over] = [new AbortController(), new AbortController(), Promise.withResolvers<void>()]
  let by: NonNullable<State['stop']>['by'] = 'SIGINT'
  const notes = await notesAbout(git, settings)
  const shown = showing(args, io, { feature, notes })
  const unlisten = onStopSignals(
    (signal) => {
      by = signal
      shown.doing('Stopping')
      stop.abort()
    },
    // Again: what runs is killed, and the copy is still removed.
    async () => {
      kill.abort()
      await over.promise
    },
  )
  try {
    const rehearsal = await rehearse({
      original: {
        root: realpathSync(root),
        ralphHome: home,
        env: io.env,
        git,
        copied: settings['worktree.copy'],
        sandbox: settings['sandbox.kind'],
      },
      settings,
      feature,
      storyGates: await gatesOfNextStory(root, feature),
      gates: policyOf(settings, undefined, false, { final: [] }).gates.filter(({ soft }) => soft !== true),
      reviewer: reviewerOf(loaded, root),
      testCommand: findTestCommand(root, io.env)?.command ?? null,
      isQuick: args.quick === true,
      isWanted: wantedBy(args),
      stop: stop.signal,
      kill: kill.signal,
      on: shown,
      notes,
    })
    shown.ended(rehearsal)
    if (args.json) io.raw(`${JSON.stringify(rehearsalData(rehearsal), null, 2)}\n`)
    if (certainHoles(rehearsal).length > 0) return 1
    return rehearsal.problem === null ? 0 : EXIT.data
  } catch (error) {
    if (!stop.signal.aborted) throw error
    shown.say([{ tone: 'warn', text: 'Stopped. The copy is removed; your project is as it was.' }])
    return exitCode('interrupted', { by })
  } finally {
    shown.close()
    unlisten()
    git?.close()
    over.resolve()
  }
}

/** A wrong name is a usage error. */
function wantedBy({ quick, only }: RehearseArgs): (play: Play) => boolean {
  if (only === undefined) return (play) => quick !== true || play.isQuick === true
  const ids = only.split(',').map((id) => id.trim())
  const known = playList.map(({ id }) => id)
  const unknown = ids.find((id) => !known.includes(id))
  if (unknown === undefined) return ({ id }) => ids.includes(id)
  const meant = nearest(unknown, known)
  throw new Failure(
    EXIT.usage,
    `No play "${unknown}".${meant === undefined ? '' : ` Did you mean ${meant}?`} Plays: ${known.join(', ')}`,
  )
}

/** Without one, the gates of the settings are rehearsed alone. */
async function featureOf(root: string, asked: string | undefined): Promise<string | null> {
  try {
    return await chooseFeature(root, { asked, currentBranch: currentBranch(root) })
  } catch (error) {
    if (asked !== undefined || !(error instanceof Failure)) throw error
    return null
  }
}

async function gatesOfNextStory(root: string, feature: string | null): Promise<Record<string, string>> {
  if (feature === null) return {}
  const { plan } = await readPlan(featureFolder(root, feature), featureLabel(feature)).catch(() => ({ plan: null }))
  return plan?.plan.stories.find(({ passes, skip, gates }) => !passes && !skip && gates !== undefined)?.gates ?? {}
}

/** What is not as in a real run. */
async function notesAbout(git: Git | null, settings: Settings): Promise<string[]> {
  const left = git === null ? [] : (await git.uncommitted()).filter((path) => !isDependency(path))
  return [
    ...(left.length === 0 ? [] : [`${plural(left.length, 'file')} with uncommitted changes: as in the last commit here`]),
    ...(settings['sandbox.kind'] === 'docker' ? ['docker is not used here: the gates run without a sandbox'] : []),
  ]
}

/** Who would review in a real run; nobody is called here. */
function reviewerOf(loaded: LoadedSettings, root: string): string | null {
  const { settings } = loaded
  const options = { allowedTools: '', skipPermissions: false, root }
  const own = typeof settings.agent === 'string' ? { name: settings.agent } : settings.agent
  try {
    return reviewersOf(loaded, (name) => agentNamed(name === undefined ? own : { name }, options)).spec ?? null
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}

/** Rows as they come, and on a terminal a bar below them. */
function showing(args: RehearseArgs, io: Io, { feature, notes }: Pick<Rehearsal, 'feature' | 'notes'>) {
  const { look, write } = screenOptions(args, io)
  const columns = (): number => look().columns ?? (Number(io.env['COLUMNS']) || 100)
  const painted = painter(look())
  const isLive = look().hasCursor
  const startedAt = performance.now()
  let [done, total, estimate, what, group] = [0, 0, 0, '', null as PlayGroup | null]
  const line = openLiveLine(look, write, (width) =>
    progressText({ done, total, what, elapsedMs: performance.now() - startedAt, estimateMs: estimate }, width),
  )
  const draw = (): void => {
    if (isLive) line.draw()
  }
  const say = (parts: LineParts): void => {
    line.wipe()
    write(`${parts.map(painted).join('').trimEnd()}\n`)
  }
  /** Rows that may become one line with the next. */
  let held: PlayedRow[] = []
  const flush = (): void => {
    const [first] = held
    if (first !== undefined && first.group !== group) say(groupLine(first.group))
    group = first?.group ?? group
    for (const parts of playedLines(held, columns())) say(parts)
    held = []
  }
  if (isLive) line.tick()
  return {
    say,
    doing(now: string): void {
      what = now
      draw()
    },
    begun(known: Pick<Rehearsal, 'gates' | 'problem'>, estimateMs: number, plays: number): void {
      ;[total, estimate] = [plays, estimateMs]
      for (const parts of headLines({ ...known, feature, notes }, plays, estimateMs)) say(parts)
    },
    played(rows: PlayedRow[], now: number): void {
      done = now
      for (const row of rows) {
        if (!isAlike(held.at(-1), row)) flush()
        held.push(row)
        if (row.result !== 'not tried') flush()
      }
      draw()
    },
    ended(rehearsal: Rehearsal): void {
      line.rest()
      flush()
      for (const parts of summaryLines(rehearsal, columns())) say(parts)
    },
    close: line.rest,
  }
}
