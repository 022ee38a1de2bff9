/** From a feature's plan to the same plan with accepted stories: what `import` and `plan` have in common around their agents. */
import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { readIfThere, replaceFile } from '../../adapters/files/files.ts'
import { planBefore } from '../../adapters/import/plan-text.ts'
import { endOutsideRuns, noteOutsideRun } from '../../adapters/process/calls-outside-runs.ts'
import { ofRun } from '../../adapters/process/process-mark.ts'
import { endSurvivors } from '../../adapters/process/survivors.ts'
import {
  chooseFeature,
  currentBranch,
  featureName,
  findRoot,
  listFeatures,
  lockPath,
  ralphHome,
} from '../../adapters/project/find.ts'
import { featureLabel } from '../../adapters/project/layout.ts'
import { takeLock } from '../../adapters/project/lock.ts'
import { type StopSignal, signalExit } from '../../core/exit-codes.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import type { Io } from '../../io.ts'
import { onStopSignals } from '../../run/stop-signals.ts'
import { firstFiles } from '../init.ts'
import { importRun } from './ask-agent.ts'
import type { First } from './first-files.ts'
import type { Desk, LookedOver } from './look-over.ts'

type Asked = Pick<Desk, 'io' | 'file' | 'verb' | 'again' | 'isSure'>

/** Ends what it started, however it ends. `work` returns whether stories were written. */
export async function atDesk(first: First, asked: Asked, work: (desk: Desk) => Promise<boolean>): Promise<number> {
  const before = await planBefore(first.planPath, readIfThere(join(first.root, first.planPath)))
  await endOutsideRuns(first.home)
  const forget = noteOutsideRun(first.home, importRun)
  const stop = new AbortController()
  let by = undefined as StopSignal | undefined
  const unlisten = onStopSignals(
    (signal) => {
      by = signal
      stop.abort()
    },
    () => endSurvivors(ofRun(importRun), { graceMs: 0, keep: [] }),
  )
  try {
    const isWritten = await work({ ...asked, first, before, stop: stop.signal })
    if (isWritten) return 0
    asked.io.err('Nothing was written.\n')
    return by === undefined ? 1 : signalExit[by]
  } finally {
    unlisten()
    forget()
  }
}

/** A named feature may be new; it is then created. */
export async function featureToFill(feature: string | undefined, io: Io): Promise<First> {
  return firstFiles({ feature: await nameFor(feature, io) }, io)
}

async function nameFor(feature: string | undefined, io: Io): Promise<string> {
  if (feature !== undefined) return featureName(feature)
  const root = findRoot(io.cwd, ralphHome(io.env))
  if (listFeatures(root).length === 0)
    throw new Failure(EXIT.usage, `No feature in ${root} yet. Name a new one with -f <feature>.`)
  return chooseFeature(root, { currentBranch: currentBranch(root) })
}

/** Writes the plan, and says so. `prompt`: the text of its prompt.md. Returns whether that was written. */
export function writeAccepted({ first, before, file, verb, io }: Desk, looked: LookedOver, prompt?: string): boolean {
  const isTaken = write(first, { before: before.text, text: looked.text, prompt, verb })
  const plan = join(relative(io.cwd, first.root), first.planPath)
  const stories = looked.stories === 1 ? '1 story' : `${looked.stories} stories`
  const made = first.isNew ? `Created feature ${first.feature}. ` : ''
  const where = before.text !== null ? `added to ${plan}` : `written to ${plan}`
  io.out(
    `${made}${stories} from ${file} ${where}.\nNext: ralph run -f ${first.feature} --dry-run, then: ralph run -f ${first.feature}\n`,
  )
  return isTaken
}

type Texts = { before: string | null; text: string; prompt: string | undefined; verb: string }

/** Under the lock, and only if nothing changed meanwhile. */
function write(first: First, { before, text, prompt, verb }: Texts): boolean {
  const { root, feature, planPath } = first
  const path = join(root, planPath)
  const lock = takeLock(lockPath(root), { feature, run: '', purpose: 'command' })
  try {
    if (readIfThere(path) !== before)
      throw new Failure(
        EXIT.data,
        `${planPath} was changed meanwhile. Nothing was written. ${verb === 'import' ? 'Import' : 'Plan'} again.`,
      )
    const missing =
      before === null ? first.missing.filter((one) => one.path !== planPath && !existsSync(join(root, one.path))) : []
    const promptPath = `${featureLabel(feature)}/prompt.md`
    for (const file of missing)
      replaceFile(join(root, file.path), file.path === promptPath && prompt !== undefined ? prompt : file.text)
    replaceFile(path, text)
    return missing.some((file) => file.path === promptPath)
  } finally {
    lock.release()
  }
}
