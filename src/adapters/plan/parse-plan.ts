/** A plan file as data: reports every mistake with its position, and changes values without touching anything else. */
import { isDeepStrictEqual } from 'node:util'
import { EXIT, Failure, sure } from '../../core/failure.ts'
import type { Plan, Story, StoryFailure, StoryId } from '../../core/types.ts'
import { itemsOf, scanChecklist } from './checklist.ts'
import { parseJson } from './json-spans.ts'
import { BadPlan, bodyOf, memberOf, type ObjectTree, placeOf, withBody } from './located-values.ts'
import { rescanned } from './rescan.ts'
import type { Problem, Scan, StoryText } from './scan.ts'
import { spliced, withMember, withoutMember } from './splice.ts'
import { isDoneWord, scanTree } from './structured.ts'
import { parseYaml } from './yaml-spans.ts'

export type { StoryText } from './scan.ts'

/** The first of these that a feature's folder has is its plan. */
export const planFileNames: readonly string[] = ['prd.json', 'tasks.json', 'tasks.yaml', 'fix_plan.md', '@fix_plan.md']

export type PlanFile = {
  /** As given, a name or a path; messages start with it. */
  file: string
  text: string
  plan: Plan
  texts: Record<StoryId, StoryText>
  warnings: string[]
  feature: string
  description: string
}

/** Throws a Failure that starts with path:line:column and says what was found and what was expected. */
export async function parsePlan(file: string, text: string): Promise<PlanFile> {
  const scan = await scanPlan(file, text)
  const problem = scan.problems.toSorted((one, other) => one.offset - other.offset)[0]
  if (problem) throw failureAt(file, text, problem)
  const stories = scan.entries.map((entry) => entry.story)
  return {
    file,
    text,
    plan: { file: nameOf(file), branch: scan.branch, stories, marks: isChecklist(file) ? 'log' : 'file' },
    texts: Object.fromEntries(scan.entries.map((entry) => [entry.story.id, entry.text])),
    warnings: scan.warnings.map(({ offset, message }) => `${file}:${placeOf(bodyOf(text), offset)}: ${message}`),
    feature: scan.feature,
    description: scan.description,
  }
}

/** The content of the text, right or wrong; throws a Failure if it has no list of stories at all. The result must not be changed. */
export async function scanPlan(file: string, text: string): Promise<Scan> {
  const name = nameOf(file)
  const known = scanned.find((one) => one.text === text && one.name === name) ?? {
    name,
    text,
    scan: fromEarlier(name, text) ?? (await scannedNow(file, text)),
  }
  scanned = [known, ...scanned.filter((one) => one !== known)].slice(0, mostScanned)
  return known.scan
}

/** The plan before an agent, after it, and with corrections: each is scanned several times per edit. */
const mostScanned = 3
let scanned: { name: string; text: string; scan: Scan }[] = []

/** From the scan that was used last: most texts differ from it in one story. null: it has to be read as a whole. */
function fromEarlier(name: string, text: string): Scan | null {
  const [last] = scanned
  return last === undefined || last.name !== name || !name.endsWith('.json')
    ? null
    : rescanned({ text: bodyOf(last.text), scan: last.scan }, bodyOf(text))
}

async function scannedNow(file: string, text: string): Promise<Scan> {
  const body = bodyOf(text)
  try {
    if (isChecklist(file)) return scanChecklist(body)
    return scanTree(nameOf(file), body, file.endsWith('.yaml') ? await parseYaml(body) : parseJson(body))
  } catch (error) {
    throw error instanceof BadPlan ? failureAt(file, text, error) : error
  }
}

/** Only this story's `passes`, `status` or box differs in the new text. */
export async function withPasses(plan: PlanFile, id: StoryId, passes: boolean): Promise<PlanFile> {
  const story = storyOf(plan, id)
  if (story.passes === passes) return plan
  if (isChecklist(plan.file)) return withBox(plan, id, passes)
  const word = passes ? 'done' : 'pending'
  return edited(plan, { ...story, passes }, 'passes', [
    (text, tree) => (memberOf(tree, 'passes') || !memberOf(tree, 'status') ? withMember(text, tree, 'passes', passes) : text),
    // If both are given, both keep saying the same.
    (text, tree) => (isStatusOther(tree, passes) ? withMember(text, tree, 'status', word) : text),
  ])
}

/** A checklist has no place for the mark: the text stays as it was. */
export async function withFailed(plan: PlanFile, id: StoryId, failure: StoryFailure | undefined): Promise<PlanFile> {
  const { failed, ...story } = storyOf(plan, id)
  if (plan.plan.marks === 'log' || isDeepStrictEqual(failed, failure)) return plan
  if (failure)
    return edited(plan, { ...story, failed: failure }, 'failed', [(text, tree) => withMember(text, tree, 'failed', failure)])
  return edited(plan, story, 'failed', [(text, tree) => withoutMember(text, tree, 'failed')])
}

/** Fields by which a story says itself how much proof it needs, and which issue is closed with it. */
export const claimNames = ['proof', 'kind', 'changesTests', 'changes_tests', 'source']

/** Without what only a person may say about it. */
export async function withoutClaims(plan: PlanFile, id: StoryId): Promise<PlanFile> {
  const { proof: _proof, kind: _kind, changesTests: _changesTests, source: _source, ...story } = storyOf(plan, id)
  if (plan.plan.marks === 'log') return plan
  const remove = (name: string) => (text: string, tree: ObjectTree) => withoutMember(text, tree, name)
  return edited(plan, story, 'proof', claimNames.map(remove))
}

/** A checklist has no place for the mark: the text stays as it was. */
export async function withSkip(plan: PlanFile, id: StoryId, skip: boolean): Promise<PlanFile> {
  const story = storyOf(plan, id)
  if (plan.plan.marks === 'log' || story.skip === skip) return plan
  return edited(plan, { ...story, skip }, 'skip', [(text, tree) => withMember(text, tree, 'skip', skip)])
}

/** A checklist has no notes: the text stays as it was. */
export async function withNotes(plan: PlanFile, id: StoryId, notes: string): Promise<PlanFile> {
  const story = storyOf(plan, id)
  if (plan.plan.marks === 'log' || plan.texts[id]?.notes === notes) return plan
  return edited(plan, story, 'notes', [(text, tree) => withMember(text, tree, 'notes', notes)])
}

/** The text of a new plan without stories; `schema` is the relative path of the JSON Schema. */
export function emptyPlan(
  file: string,
  fields: { feature: string; branchName: string; createdAt: string; schema?: string; description?: string },
): string {
  const { feature, branchName, createdAt, schema, description = '' } = fields
  if (isChecklist(file)) {
    const example = '<!-- One story per line, in order:\n- [ ] Log in with a password\n-->'
    return `# ${feature}\n\n${description === '' ? '' : `${description}\n\n`}${example}\n`
  }
  const head = { feature, branchName, description, createdAt }
  if (!file.endsWith('.yaml')) {
    const list = nameOf(file) === 'prd.json' ? { userStories: [] } : { tasks: [] }
    return `${JSON.stringify({ ...(schema !== undefined && { $schema: schema }), ...head, ...list }, null, 2)}\n`
  }
  const lines = Object.entries(head).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  const example = [
    '# - id: S-1',
    '#   title: Log in with a password',
    '#   status: pending   # done when it is',
    '#   priority: 1',
  ]
  return `${[...lines, '', '# Stories, such as:', ...example, 'tasks: []'].join('\n')}\n`
}

const isChecklist = (file: string): boolean => file.endsWith('.md')
const nameOf = (file: string): string => file.slice(file.lastIndexOf('/') + 1)

const failureAt = (file: string, text: string, { offset, message }: Problem): Failure =>
  new Failure(EXIT.data, `${file}:${placeOf(bodyOf(text), offset)}: ${message}`)

function storyOf(plan: PlanFile, id: StoryId): Story {
  const story = plan.plan.stories.find((other) => other.id === id)
  if (story === undefined) throw new Error(`no story ${id} in ${plan.file}`)
  return story
}

const isStatusOther = (tree: ObjectTree, passes: boolean): boolean => {
  const status = memberOf(tree, 'status')?.value
  return status?.kind === 'scalar' && typeof status.value === 'string' && isDoneWord(status.value) !== passes
}

async function withBox(plan: PlanFile, id: StoryId, passes: boolean): Promise<PlanFile> {
  const body = bodyOf(plan.text)
  const entry = scanChecklist(body).entries.find(({ story }) => story.id === id)
  const { box } = sure(itemsOf(body)[entry?.place ?? -1], `box of ${id}`)
  return parsePlan(plan.file, withBody(plan.text, spliced(body, box.at, box.at + box.length, passes ? 'x' : ' ')))
}

type TextChange = (text: string, tree: ObjectTree) => string

/** Applies the changes and verifies that this story, and no other, is now as expected: YAML can surprise. */
async function edited(plan: PlanFile, expected: Story, field: string, changes: TextChange[]): Promise<PlanFile> {
  const index = plan.plan.stories.findIndex((story) => story.id === expected.id)
  const after = await changed(plan, index, changes).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error
    return undefined
  })
  if (after && isDeepStrictEqual(after.plan.stories, plan.plan.stories.toSpliced(index, 1, expected))) return after
  const { offset } = sure((await scanPlan(plan.file, plan.text)).entries[index], `story ${expected.id} in the text`)
  const message = `story ${expected.id}: ${field} cannot be edited in place; put it on its own line`
  throw failureAt(plan.file, plan.text, { offset, message })
}

async function changed(plan: PlanFile, index: number, changes: TextChange[]): Promise<PlanFile | undefined> {
  let body = bodyOf(plan.text)
  for (const change of changes) {
    const tree = (await scanPlan(plan.file, body)).list?.items[index]
    if (tree?.kind !== 'object') return undefined
    body = change(body, tree)
  }
  return parsePlan(plan.file, withBody(plan.text, body))
}
