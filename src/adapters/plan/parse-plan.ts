/** Reads a plan file: its stories, or every mistake with its position; and the text of a new plan. */
import { EXIT, Failure } from '../../core/failure.ts'
import type { Plan, StoryId } from '../../core/types.ts'
import { scanChecklist } from './checklist.ts'
import { parseJson } from './json-spans.ts'
import { BadPlan, bodyOf, placeOf } from './located-values.ts'
import { rescanned } from './rescan.ts'
import type { Problem, Scan, StoryText } from './scan.ts'
import { scanTree } from './structured.ts'
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

export const isChecklist = (file: string): boolean => file.endsWith('.md')
const nameOf = (file: string): string => file.slice(file.lastIndexOf('/') + 1)

export const failureAt = (file: string, text: string, { offset, message }: Problem): Failure =>
  new Failure(EXIT.data, `${file}:${placeOf(bodyOf(text), offset)}: ${message}`)
