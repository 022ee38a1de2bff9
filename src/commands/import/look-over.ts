/** Lets a person check stories before they go into a plan: accept, edit, make again, or quit. */
import { join, relative } from 'node:path'
import { replaceFile } from '../../adapters/files/files.ts'
import { editedText } from '../../adapters/import/editor.ts'
import { type Before, planAfter } from '../../adapters/import/plan-text.ts'
import { lintPlan } from '../../adapters/plan/lint.ts'
import { scanPlan } from '../../adapters/plan/parse-plan.ts'
import { ensureIgnored } from '../../adapters/project/gitignore.ts'
import { projectLogsFolder } from '../../adapters/project/layout.ts'
import { policyOf } from '../../config/policy.ts'
import { exitCode } from '../../core/exit-codes.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import { fromPrd } from '../../core/import/prd.ts'
import { type NewPlan, storyFields } from '../../core/import/story.ts'
import { shownPlan } from '../../core/import/story-preview.ts'
import { keptRemark } from '../../core/import/values.ts'
import { jsonIn } from '../../core/text/json.ts'
import type { Io } from '../../io.ts'
import { openScreen, type Screen, screenOptions } from '../../run/outputs/screen.ts'
import { askForText, askOnTerminal, type KeyQuestion } from '../../run/people/ask-on-terminal.ts'
import type { First } from './first-files.ts'

export type Desk = {
  io: Io
  first: First
  before: Before
  /** The document, as it was named. */
  file: string
  /** "import" or "plan", and the words for doing it again. */
  verb: string
  again: string
  /** The person has already agreed. */
  isSure: boolean
  stop: AbortSignal
}
/** A plan to check; `again` makes another one, following the person's wish. */
export type Maker = {
  plan: NewPlan
  again?(wish: string): Promise<NewPlan>
  /** What is used as the wish if the person says nothing. */
  suggested?: () => string
}
/** The resulting text of the plan, and the number of new stories. */
export type LookedOver = { text: string; stories: number }

/** null: the person quit. */
export async function lookOver(maker: Maker, desk: Desk): Promise<LookedOver | null> {
  const { io, before, first, stop } = desk
  let { plan } = maker
  for (;;) {
    if (stop.aborted) return null
    const after = await planAfter(before, plan, first.head).catch(problemOf)
    if ('problem' in after) {
      if (maker.again === undefined && !io.isAttended)
        throw new Failure(EXIT.data, `${desk.file} cannot be imported: ${after.problem}. Fix it there, then import again.`)
      io.err(`! ${after.problem}\n`)
    } else {
      const remarks = [...plan.remarks, ...headRemarks(plan, desk), ...(await planRemarks(after, desk))]
      io.out(`\n${heading(after.stories.length, desk)}\n\n${shownPlan({ ...plan, stories: after.stories, remarks })}\n`)
    }
    const taken = 'problem' in after ? null : { text: after.file.text, stories: after.stories.length }
    if (taken !== null && desk.isSure) return taken
    if (!io.isAttended) throw unseen(plan, maker.again !== undefined, desk)
    const keys = { ...(taken && { a: 'accept' }), e: 'edit', ...(maker.again && { r: 'redo' }), q: 'quit' }
    const key = await asker(desk)('Add them to the plan?', { keys, timeoutMs: patienceMs }, stop)
    if (key === 'a') return taken
    if (key === 'e') plan = await edited(plan, desk)
    else if (key === 'r' && maker.again) plan = await maker.again(await wishOf(maker.suggested?.() ?? '', stop))
    else return null
  }
}

async function wishOf(suggested: string, stop: AbortSignal): Promise<string> {
  const hint = suggested === '' ? '' : ' (Enter: what the critic found)'
  const wish = await askForText(`What should be different?${hint} `, patienceMs, stop)
  return wish === '' ? suggested : wish
}

export async function isOffered(question: string, desk: Desk): Promise<boolean> {
  const key = await asker(desk)(question, { keys: { y: 'yes', n: 'no, ask the agent' }, timeoutMs: patienceMs }, desk.stop)
  if (desk.stop.aborted) throw new Failure(exitCode('interrupted'), 'Stopped. Nothing was written.')
  if (key === null) throw new Failure(EXIT.usage, 'No answer. Nothing was written. Use --from, or answer the question.')
  return key === 'y'
}

export function screenOf({ io }: Pick<Desk, 'io'>): Screen {
  return openScreen(screenOptions({}, io))
}

/** Long enough to think, without blocking a terminal forever. */
export const patienceMs = 30 * 60_000

export const asker = (desk: Desk): KeyQuestion => askOnTerminal(screenOf(desk), desk.io.isAttended)

function problemOf(error: unknown): { problem: string } {
  if (error instanceof Failure) return { problem: error.message }
  throw error
}

/** An existing plan only gets the stories. */
function headRemarks({ branchName, more }: NewPlan, { before }: Desk): string[] {
  if (before.text === null) return keptRemark(Object.keys(more), 'the plan')
  const names = [...(branchName === '' ? [] : [`branchName ${branchName}`]), ...Object.keys(more)]
  return names.length === 0 ? [] : [`Not imported, because ${before.label} already exists: ${names.join(', ')}.`]
}

/** What lint says about the new stories. The text is not written yet, so places would mean nothing. */
async function planRemarks({ file, stories }: Awaited<ReturnType<typeof planAfter>>, { first }: Desk): Promise<string[]> {
  const { gates } = policyOf(first.settings, undefined, false, { final: [] })
  const tests = first.tests === undefined ? [] : [{ name: 'tests', command: first.tests.command }]
  const facts = { gates: [...gates, ...tests], hasReviewer: true, history: {} }
  const { findings } = await lintPlan(file.file, file.text, facts)
  const isNew = ({ story }: { story: string | null }): boolean => stories.some(({ id }) => id === story)
  const linted = findings.filter((finding) => finding.severity === 'warning' && isNew(finding)).map(({ message }) => message)
  return [...file.warnings.map(withoutFile), ...linted]
}

const withoutFile = (warning: string): string => warning.replace(/^.*?:\d+:\d+: /, '')

function heading(count: number, { file, before }: Desk): string {
  const stories = count === 1 ? '1 story' : `${count} stories`
  const place = before.stories.length === 0 ? before.label : `the end of ${before.label}, which has ${before.stories.length}`
  return `${stories} from ${file}, for ${place}:`
}

/** Nobody is there to check. Stories made by an agent are kept, so that it need not be called again. */
function unseen(plan: NewPlan, isMade: boolean, { again, first, io }: Desk): Failure {
  const what = 'Nothing was written, because nobody is here to check the stories.'
  if (!isMade) return new Failure(EXIT.usage, `${what} To accept them unchecked: --yes.`)
  const path = join(projectLogsFolder(first.root), `import-${first.feature}.json`)
  ensureIgnored(first.root)
  replaceFile(path, storiesText(plan))
  return new Failure(
    EXIT.usage,
    `${what} To accept these: ralph import ${relative(io.cwd, path)} --from snarktank -f ${first.feature} --yes (or ${again} with --yes).`,
  )
}

const storiesText = ({ stories }: NewPlan): string => `${JSON.stringify({ userStories: stories.map(storyFields) }, null, 2)}\n`

/** The plan as the person edited it; unchanged, with the reason on the screen, if the result is not a plan. */
async function edited(plan: NewPlan, desk: Desk): Promise<NewPlan> {
  const { io, before } = desk
  let text = storiesText(plan)
  for (;;) {
    const result = editedText('stories.json', text, io.env)
    if ('problem' in result) {
      io.err(`! ${result.problem}\n`)
      return plan
    }
    text = result.text
    const read = await readAgain(text, before).catch(problemOf)
    if (!('problem' in read)) return { ...plan, stories: read.stories, remarks: read.remarks }
    io.err(`! ${read.problem}\n`)
    const key = await asker(desk)(
      'Edit again?',
      { keys: { e: 'edit again', d: 'discard the edits' }, timeoutMs: patienceMs },
      desk.stop,
    )
    if (key !== 'e') return plan
  }
}

async function readAgain(text: string, before: Before): Promise<NewPlan> {
  await scanPlan('stories.json', text) // reports where it cannot be read
  return fromPrd(
    jsonIn(text),
    before.stories.map(({ id }) => id),
  )
}
