/** `ralph import <file>`: turns a document or another tool's plan into stories, lets a person check them, and adds them to the plan. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { errorCode, readIfThere, replaceFile } from '../../adapters/files/files.ts'
import { checklistItems, proseAround } from '../../adapters/import/checklist-items.ts'
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
import { olderPrompt } from '../../adapters/project/older-forms.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import { fromChecklist } from '../../core/import/checklist.ts'
import { type PlanTool, toolNamed, toolOf } from '../../core/import/kind.ts'
import { fromPrd } from '../../core/import/prd.ts'
import type { NewPlan } from '../../core/import/story.ts'
import { fromTaskMaster } from '../../core/import/task-master.ts'
import { jsonIn } from '../../core/text/json.ts'
import type { Io } from '../../io.ts'
import { onStopSignals } from '../../run/signals.ts'
import { firstFiles } from '../init.ts'
import { importRun, storyMaker } from './agent.ts'
import type { First } from './first-files.ts'
import { type Desk, isOffered, lookOver } from './look-over.ts'

type Args = { file: string; feature?: string; from?: string; tag?: string; agent?: string; yes?: boolean }

export async function runImport(args: Args, io: Io): Promise<number> {
  const asked = args.from === undefined ? undefined : toolNamed(args.from)
  const source = readSource(args.file, io)
  const first = await firstFiles({ feature: await featureFor(args, io) }, io)
  const before = await planBefore(first.planPath, readIfThere(join(first.root, first.planPath)))
  await endOutsideRuns(first.home)
  const forget = noteOutsideRun(first.home, importRun)
  const stop = new AbortController()
  let by = ''
  const unlisten = onStopSignals(
    (signal) => {
      by = signal
      stop.abort()
    },
    () => endSurvivors(ofRun(importRun), { graceMs: 0, keep: [] }),
  )
  try {
    const desk: Desk = { io, first, before, file: args.file, isSure: args.yes === true, stop: stop.signal }
    const tool = asked ?? (await offeredTool(source, desk))
    if (args.tag !== undefined && tool !== 'task-master')
      throw new Failure(EXIT.usage, '--tag works only with --from task-master. Remove it.')
    const known = before.stories.map(({ id }) => id)
    const looked =
      tool === null
        ? await lookOver(await storyMaker(proseOf(source), desk, args.agent), desk)
        : await lookOver({ plan: converted(source, tool, args.tag, known) }, desk)
    if (looked === null) return stopExit(by, io)
    const prompt = tool === null || before.text !== null ? undefined : olderPrompt(first.root, resolve(io.cwd, args.file))
    const isTaken = write(first, before.text, looked.text, prompt?.text)
    if (prompt !== undefined && isTaken) io.out(`Copied ${prompt.path} to .ralph/${first.feature}/prompt.md.\n`)
    io.out(report(first, { wasThere: before.text !== null, count: looked.stories, file: args.file }, io))
    return 0
  } finally {
    unlisten()
    forget()
  }
}

type ImportSource = { name: string; text: string; bytes: number; json: unknown }

function readSource(name: string, io: Io): ImportSource {
  const path = resolve(io.cwd, name)
  const bytes = bytesOf(path, name)
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '')
  if (bytes.includes(0) || text.includes('\uFFFD'))
    throw new Failure(EXIT.data, `${name} is not a text file. Use a UTF-8 document, such as markdown.`)
  if (text.trim() === '') throw new Failure(EXIT.data, `${name} is empty: nothing to import.`)
  return { name, text, bytes: bytes.length, json: jsonIn(text) }
}

function bytesOf(path: string, name: string): Buffer {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new Failure(EXIT.usage, `${name} is a folder. Name a file in it.`)
  try {
    return readFileSync(path)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error)))
      throw new Failure(EXIT.usage, `File not found: ${name}. Name a document or a plan.`)
    throw error
  }
}

/** A named feature may be new; it is then created. */
async function featureFor({ feature }: Args, io: Io): Promise<string> {
  if (feature !== undefined) return featureName(feature)
  const root = findRoot(io.cwd, ralphHome(io.env))
  if (listFeatures(root).length === 0)
    throw new Failure(EXIT.usage, `No feature in ${root} yet. Name a new one with -f <feature>.`)
  return chooseFeature(root, { currentBranch: currentBranch(root) })
}

/** A file that is already a plan needs no agent. null: use the agent. */
async function offeredTool(source: ImportSource, desk: Desk): Promise<PlanTool | null> {
  const tool = toolOf(basename(source.name), source.json)
  if (tool === null) return null
  if (desk.isSure) return tool
  if (!desk.io.isAttended)
    throw new Failure(
      EXIT.usage,
      `${source.name} is already a plan. To import it: ralph import ${source.name} --from ${tool} -f ${desk.first.feature} --yes`,
    )
  return (await isOffered(`${source.name} is already a plan (--from ${tool}). Import it as it is?`, desk)) ? tool : null
}

/** As much as an agent can keep in mind besides its work. */
const mostProseBytes = 200_000

function proseOf(source: ImportSource): ImportSource {
  if (source.bytes <= mostProseBytes) return source
  const size = `${Math.ceil(source.bytes / 1000)} kB`
  throw new Failure(
    EXIT.data,
    `${source.name} is too large (${size}, at most ${mostProseBytes / 1000} kB). Split it, and import the parts one by one into the same feature.`,
  )
}

function converted({ name, text, json }: ImportSource, tool: PlanTool, tag: string | undefined, known: string[]): NewPlan {
  try {
    if (tool === 'fix-plan') return checklistPlan(text)
    if (json === undefined) throw new Failure(EXIT.data, 'not valid JSON')
    return tool === 'task-master' ? fromTaskMaster(json, tag) : fromPrd(json, known)
  } catch (error) {
    throw error instanceof Failure
      ? new Failure(error.exit, `${name} cannot be imported (--from ${tool}): ${error.message}`)
      : error
  }
}

function checklistPlan(text: string): NewPlan {
  const items = checklistItems(text)
  if (items.length === 0) throw new Failure(EXIT.data, 'no items such as "- [ ] Log in with a password"')
  return fromChecklist(items, proseAround(text))
}

/** Under the lock, and only if nothing changed meanwhile. Returns whether the prompt was written. */
function write(first: First, before: string | null, text: string, prompt: string | undefined): boolean {
  const { root, feature, planPath } = first
  const path = join(root, planPath)
  const lock = takeLock(lockPath(root), { feature, run: '', purpose: 'command' })
  try {
    if (readIfThere(path) !== before)
      throw new Failure(EXIT.data, `${planPath} was changed meanwhile. Nothing was written. Import again.`)
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

type Taken = { wasThere: boolean; count: number; file: string }

function report(first: First, { wasThere, count, file }: Taken, io: Io): string {
  const plan = join(relative(io.cwd, first.root), first.planPath)
  const stories = count === 1 ? '1 story' : `${count} stories`
  const made = first.isNew ? `Created feature ${first.feature}. ` : ''
  const where = wasThere ? `added to ${plan}` : `written to ${plan}`
  return `${made}${stories} from ${file} ${where}.\nNext: ralph run -f ${first.feature} --dry-run, then: ralph run -f ${first.feature}\n`
}

function stopExit(by: string, io: Io): number {
  io.err('Nothing was written.\n')
  return by === '' ? 1 : by === 'SIGTERM' ? 143 : by === 'SIGHUP' ? 129 : 130
}
