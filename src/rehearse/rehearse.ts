/** A rehearsal: plays cheating and misbehaving agents in a copy of the project, and says what would have happened. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeFolders } from '../adapters/files/remove-folders.ts'
import type { Settings } from '../config/table.ts'
import type { Gate } from '../core/types.ts'
import type { PlayedRow, Rehearsal } from '../views/rehearsal.ts'
import { innerRun, type Stops } from './inner-run.ts'
import { planText } from './plan.ts'
import { judgeStory, type Play, type Scene, storyId } from './play.ts'
import { playList } from './plays/list.ts'
import { type KnownGates, probe } from './probe.ts'
import { projectFiles } from './project-files.ts'
import { type Original, openStage, type Stage } from './stage.ts'
import { settingVariables } from './surroundings.ts'

export type Rehearsing = Stops & {
  original: Original
  settings: Settings
  feature: string | null
  /** Hard gates of the settings, and of the feature's next story. */
  gates: Gate[]
  storyGates: Record<string, string>
  reviewer: string | null
  testCommand: string | null
  /** Which plays. */
  isWanted(play: Play): boolean
  isQuick: boolean
  /** What is not as in a real run, in words. */
  notes: string[]
  on: RehearsalWatcher
}

export type RehearsalWatcher = {
  /** What is going on now. */
  doing(what: string): void
  /** The gates have run once. */
  begun(known: Pick<Rehearsal, 'gates' | 'problem'>, estimateMs: number, plays: number): void
  /** In the order of the list; `done`: how many are over, also of those that come later. */
  played(rows: PlayedRow[], done: number): void
}

/** Throws when it is stopped. Whatever happens, the copy is gone afterwards. */
export async function rehearse(rehearsing: Rehearsing): Promise<Rehearsal> {
  const base = mkdtempSync(join(tmpdir(), 'ralph-rehearsal-'))
  // An error in one lane ends the other.
  const failed = new AbortController()
  const stop = AbortSignal.any([rehearsing.stop, failed.signal])
  try {
    return await inFolder(base, { ...rehearsing, stop }, failed)
  } finally {
    await removeFolders([base])
    rmSync(base, { recursive: true, force: true, maxRetries: 5 }) // a process that just ended may have written once more
  }
}

async function inFolder(base: string, rehearsing: Rehearsing, failed: AbortController): Promise<Rehearsal> {
  const { original, settings, feature, storyGates, reviewer, testCommand, isQuick, notes, on } = rehearsing
  const startedAt = performance.now()
  on.doing('Copying the project')
  const gates = [...rehearsing.gates, ...Object.entries(storyGates).map(([name, command]) => ({ name, command }))]
  const files = await projectFiles(original.root, original.git)
  const stage = await openStage(original, join(base, 'gates'), { isBare: false, stop: rehearsing.stop, said: on.doing })
  const beside = await openStage(original, join(base, 'others'), { isBare: true, stop: rehearsing.stop, said: on.doing })
  const plays = playList.filter(rehearsing.isWanted)
  const scene: Scene = { settings, gates, files, subject: null, isGit: original.git !== null, reviewer, testCommand }
  const known = await begin(stage, scene, plays, rehearsing)
  const played = playing({ ...scene, subject: known.subject }, known, rehearsing)
  const rows = inOrder(plays, on)
  const left = new Set(plays)
  const lane = async (isForGates: boolean, where: Stage): Promise<void> => {
    for (const play of plays.filter((each) => (each.isForGates === true) === isForGates)) {
      rehearsing.stop.throwIfAborted()
      on.doing([...left][0]?.name ?? '')
      const row = await played(play, where)
      left.delete(play)
      rows.take(row)
    }
  }
  const lanes = [lane(true, stage), lane(false, beside)]
  for (const each of lanes) each.catch((error) => failed.abort(error))
  await Promise.allSettled(lanes)
  rehearsing.stop.throwIfAborted()
  return {
    feature,
    quick: isQuick,
    gates: known.gates,
    problem: known.problem,
    notes,
    plays: rows.all(),
    durationMs: Math.round(performance.now() - startedAt),
  }
}

/** What the gates say about the project as it is, and about a mistake. */
async function begin(stage: Stage, scene: Scene, plays: Play[], { on, storyGates, ...stops }: Rehearsing): Promise<KnownGates> {
  const begun = (known: KnownGates): void => {
    on.begun(known, estimate(plays, known.problem === null ? known.gatesMs : null), plays.length)
    on.doing('Looking for a test that notices wrong code')
  }
  if (scene.gates.length > 0) {
    on.doing('Running the gates')
    await stage.reset(planText([{ id: storyId(), gates: storyGates }]))
    const known = await probe(stage, scene, stops, begun)
    stops.stop.throwIfAborted()
    return known
  }
  const none: KnownGates = { subject: null, gates: [], gatesMs: 0, problem: null }
  begun(none)
  return none
}

/** In a play about gates they run about three times: before it, after it, and as they were. `gatesMs` null: none of those is played. */
function estimate(plays: Play[], gatesMs: number | null): number {
  const own = plays.filter(({ isForGates }) => isForGates).length
  return Math.max(gatesMs === null ? 0 : own * (3 * gatesMs + 1000), (plays.length - own) * 1500)
}

/** Rows are told in the order of the list, whichever lane is faster. */
function inOrder(plays: Play[], on: RehearsalWatcher) {
  const rows = new Map<string, PlayedRow>()
  let told = 0
  const all = (): PlayedRow[] => plays.flatMap(({ id }) => rows.get(id) ?? [])
  return {
    all,
    take(row: PlayedRow): void {
      rows.set(row.id, row)
      const first = told
      while (rows.has(plays[told]?.id ?? '')) told++
      on.played(all().slice(first, told), rows.size)
    },
  }
}

/** Plays one of them. */
function playing(scene: Scene, { gatesMs, problem }: KnownGates, { storyGates, stop, kill }: Rehearsing) {
  const limitMs = (): number => 60_000 + 12 * gatesMs
  const planOf = ({ isForGates }: Play, stories = 1): string =>
    planText(
      Array.from({ length: stories }, (_, index) => ({ id: storyId(index + 1), ...(isForGates ? { gates: storyGates } : {}) })),
    )
  return async (play: Play, stage: Stage): Promise<PlayedRow> => {
    const { id, group, name, isForGates, isCertain } = play
    const startedAt = performance.now()
    const row = { id, group, name, certain: isCertain === true, durationMs: 0 }
    const notTried = (words: string): PlayedRow => ({ ...row, result: 'not tried', words, by: words })
    if (problem !== null && isForGates) return notTried('the gates fail already')
    await stage.reset(planOf(play))
    const acting = play.act(scene, stage)
    if (typeof acting === 'string') return notTried(acting)
    if (acting.stories !== undefined) await stage.reset(planOf(play, acting.stories))
    const { iterations, limit = iterations.length, through = [], settings } = acting
    const env = settingVariables({ ...(isForGates ? {} : withoutGates), ...settings })
    try {
      const run = await innerRun(stage, { iterations, limit, env, through }, { stop, kill, limitMs })
      const judged = (play.judge ?? judgeStory)(run, scene)
      const fix = judged.result === 'passed' ? { fix: play.closedBy(scene) } : {}
      return { ...row, ...judged, durationMs: Math.round(performance.now() - startedAt), ...fix }
    } finally {
      play.tidy?.(stage)
    }
  }
}

const withoutGates = { 'gates.tests': '', quality_checks: {}, 'quality.commands': {} }
