/** `ralph import <file>`: turns a document or another tool's plan into stories, lets a person check them, and adds them to the plan. */
import { readFileSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { errorCode } from '../../adapters/files/files.ts'
import { checklistItems, proseAround } from '../../adapters/import/checklist-items.ts'
import { olderPrompt } from '../../adapters/project/older-forms.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import { fromChecklist } from '../../core/import/checklist.ts'
import { type PlanTool, toolNamed, toolOf } from '../../core/import/kind.ts'
import { fromPrd } from '../../core/import/prd.ts'
import type { NewPlan } from '../../core/import/story.ts'
import { fromTaskMaster } from '../../core/import/task-master.ts'
import { jsonIn } from '../../core/text/json.ts'
import type { Io } from '../../io.ts'
import { openPlanner } from './ask-agent.ts'
import { isTracker, runTrackerImport, type TrackerArgs } from './from-tracker.ts'
import { type Desk, isOffered, lookOver, type Maker } from './look-over.ts'
import { atDesk, featureToFill, writeAccepted } from './session.ts'
import { storiesFrom } from './stories.ts'

type Args = { file: string; feature?: string; from?: string; tag?: string; agent?: string; yes?: boolean }

export async function runImport(
  { file, ...more }: Omit<Args, 'file'> & { file?: string } & TrackerArgs,
  io: Io,
): Promise<number> {
  const { from } = more
  if (isTracker(from)) {
    if (file !== undefined)
      throw new Failure(EXIT.usage, `--from ${from} takes the issues with a label, not a file: --label <name>`)
    return runTrackerImport(from, more, io)
  }
  if (file === undefined)
    throw new Failure(
      EXIT.usage,
      'Name a document or a plan, or a tracker with a label: ralph import --from github --label agent:ready',
    )
  return importFile({ ...more, file }, io)
}

async function importFile(args: Args, io: Io): Promise<number> {
  const asked = args.from === undefined ? undefined : toolNamed(args.from)
  const source = readSource(args.file, io)
  const first = await featureToFill(args.feature, io)
  const about = { io, file: args.file, verb: 'import', again: `import ${args.file} again`, isSure: args.yes === true }
  return atDesk(first, about, async (desk) => {
    const tool = asked ?? (await offeredTool(source, desk))
    if (args.tag !== undefined && tool !== 'task-master')
      throw new Failure(EXIT.usage, '--tag works only with --from task-master. Remove it.')
    const known = desk.before.stories.map(({ id }) => id)
    const looked =
      tool === null
        ? await lookOver(await makerFor(proseOf(source), desk, args.agent), desk)
        : await lookOver({ plan: converted(source, tool, args.tag, known) }, desk)
    if (looked === null) return false
    const prompt = tool === null || desk.before.text !== null ? undefined : olderPrompt(first.root, resolve(io.cwd, args.file))
    if (writeAccepted(desk, looked, prompt?.text) && prompt !== undefined)
      io.out(`Copied ${prompt.path} to .ralph/${first.feature}/prompt.md.\n`)
    return true
  })
}

async function makerFor(source: ImportSource, desk: Desk, agent: string | undefined): Promise<Maker> {
  const planner = await openPlanner(desk, agent)
  const again = (wish: string): Promise<NewPlan> => storiesFrom(source, planner, desk, wish)
  return { plan: await again(''), again }
}

export type ImportSource = { name: string; text: string; bytes: number; json: unknown }

export function readSource(name: string, io: Io): ImportSource {
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

export function proseOf(source: ImportSource): ImportSource {
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
