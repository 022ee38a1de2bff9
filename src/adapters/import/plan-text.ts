/** The text of a plan with imported stories: a new plan, or the existing one with the stories appended and nothing else changed. */
import { isDeepStrictEqual } from 'node:util'
import { EXIT, Failure, sure } from '../../core/failure.ts'
import { type NewPlan, type NewStory, storiesAfter, storyFields } from '../../core/import/story.ts'
import type { StoryId } from '../../core/types.ts'
import { parseJson } from '../plan/json-spans.ts'
import { type ArrayTree, BadPlan, bodyOf, type Member, memberOf, type ObjectTree, withBody } from '../plan/located-values.ts'
import { type PlanFile, parsePlan, scanPlan } from '../plan/parse-plan.ts'
import { lineEnd, spliced, withItem, withMember } from '../plan/splice.ts'
import { parseYaml } from '../plan/yaml-spans.ts'

/** A plan before an import: the text of its file (null: no file yet) and its stories. */
export type Before = {
  label: string
  text: string | null
  stories: { id: StoryId; title: string; priority: number }[]
  /** If the other stories have no priority, a new one must not have one either: it would come first. */
  hasPriorities: boolean
}

/** Also for a plan without stories. Throws a Failure if it cannot be read or cannot hold story details. */
export async function planBefore(label: string, text: string | null): Promise<Before> {
  if (label.endsWith('.md'))
    throw new Failure(
      EXIT.usage,
      `${label} is a checklist, which has no place for story details. Use another feature, with a prd.json or tasks.yaml.`,
    )
  const list = text === null ? undefined : (await listIn(label, text)).list
  const isEmpty = text === null || (list !== undefined && !(list.value.kind === 'array' && list.value.items.length > 0))
  if (isEmpty) return { label, text, stories: [], hasPriorities: true }
  const { plan } = await parsePlan(label, text)
  const { entries } = await scanPlan(label, text)
  return {
    label,
    text,
    stories: plan.stories,
    hasPriorities: entries.every(({ fields }) => typeof fields['priority'] === 'number'),
  }
}

export type PlanHead = { feature: string; branchName: string; createdAt: string; schema: string }

/** The whole text after the import, checked like every plan. */
export async function planAfter(before: Before, plan: NewPlan, head: PlanHead): Promise<{ file: PlanFile; stories: NewStory[] }> {
  const later = before.stories.length === 0 ? plan.stories : storiesAfter(plan.stories, before.stories)
  const stories = before.hasPriorities ? later : later.map((story) => ({ ...story, priority: null }))
  const text =
    before.text === null
      ? await newText(before.label, { ...plan, stories }, head)
      : await longerText({ ...before, text: before.text }, { ...plan, stories })
  const file = await parsePlan(before.label, text).catch((error) => {
    throw error instanceof Failure ? new Failure(EXIT.data, withoutPlace(error.message, before.label)) : error
  })
  const kept = file.plan.stories.slice(0, before.stories.length)
  if (!isDeepStrictEqual(kept, before.stories))
    throw new Failure(EXIT.data, `${before.label} cannot be edited in place; put each story on its own lines.`)
  return { file, stories }
}

/** The text is not written yet, so line numbers would mean nothing. */
const withoutPlace = (message: string, label: string): string =>
  message.startsWith(`${label}:`) ? message.slice(label.length).replace(/^:\d+:\d+: /, '') : message

async function newText(label: string, plan: NewPlan, { feature, branchName, createdAt, schema }: PlanHead): Promise<string> {
  const fields = {
    feature,
    branchName: plan.branchName || branchName,
    description: plan.description,
    createdAt: plan.createdAt || createdAt,
    ...plan.more,
  }
  const stories = plan.stories.map(storyFields)
  if (label.endsWith('.yaml')) return yamlText({ ...fields, tasks: stories })
  const list = label.endsWith('tasks.json') ? { tasks: stories } : { userStories: stories }
  return `${JSON.stringify({ $schema: schema, ...fields, ...list }, null, 2)}\n`
}

async function longerText({ label, text, stories: there }: Before & { text: string }, plan: NewPlan): Promise<string> {
  const body = bodyOf(text)
  const { list, tree } = await listIn(label, text)
  const isYaml = label.endsWith('.yaml')
  if (there.length > 0) {
    let longer = body
    for (const story of plan.stories) longer = await withStory(label, longer, storyFields(story), isYaml)
    return withBody(text, longer)
  }
  const member = sure(list, 'list to fill')
  const filled = isYaml ? await withYamlList(body, member, plan.stories) : withJsonList(body, member, plan.stories)
  // Only a plan without stories takes over the imported description and branch.
  const description = tree && !isYaml ? memberOf(tree, 'description')?.value : undefined
  if (description?.kind !== 'scalar' || description.value !== '') return withBody(text, filled)
  return withBody(text, withMember(filled, parseJson(filled) as ObjectTree, 'description', plan.description))
}

/** The member with the stories, and its object. */
async function listIn(label: string, text: string): Promise<{ list?: Member; tree?: ObjectTree }> {
  const body = bodyOf(text)
  const tree = await (label.endsWith('.yaml') ? parseYaml(body) : Promise.resolve().then(() => parseJson(body))).catch(
    async (error) => {
      if (error instanceof BadPlan) await scanPlan(label, text) // reports what is wrong, with its position
      throw error
    },
  )
  if (tree.kind !== 'object') return {}
  const names = label.endsWith('prd.json') ? ['userStories', 'tasks'] : ['tasks', 'userStories']
  const list = names.map((name) => memberOf(tree, name)).find((member) => member !== undefined)
  const isFillable = list && (list.value.kind === 'array' || (list.value.kind === 'scalar' && list.value.value === null))
  return isFillable ? { list, tree } : { tree }
}

async function withStory(label: string, body: string, fields: object, isYaml: boolean): Promise<string> {
  const list = sure((await listIn(label, body)).list, 'list of stories').value as ArrayTree
  if (isYaml) {
    const lines = list.isBlock ? (await yamlText(fields)).trimEnd().split('\n') : [JSON.stringify(fields)]
    return withItem(body, list, lines)
  }
  const last = sure(list.items.at(-1), 'story to follow')
  const before = body.slice(0, last.start)
  const column = /\n([ \t]*)$/.exec(before)?.[1]
  const lines = column === undefined ? [JSON.stringify(fields)] : indented(fields, column, unitOf(body))
  return withItem(body, list, lines)
}

function withJsonList(body: string, list: Member, stories: NewStory[]): string {
  const column = /(?:^|\n)([ \t]*)[^\n]*$/.exec(body.slice(0, list.value.start))?.[1] ?? ''
  const lines = indented(stories.map(storyFields), column, unitOf(body))
  return spliced(body, list.value.start, list.value.end, lines.join(lineEnd(body)))
}

async function withYamlList(body: string, { keyEnd, value }: Member, stories: NewStory[]): Promise<string> {
  const lines = (await yamlText(stories.map(storyFields))).trimEnd().split('\n')
  const colon = body.indexOf(':', keyEnd) + 1
  const end = Math.max(colon, value.kind === 'array' ? value.end : colon)
  return spliced(body, colon, end, lineEnd(body) + lines.map((line) => (line === '' ? '' : `  ${line}`)).join(lineEnd(body)))
}

/** Indents all lines but the first to where the value starts. */
const indented = (value: unknown, column: string, unit: string): string[] =>
  JSON.stringify(value, null, unit)
    .split('\n')
    .map((line, place) => (place === 0 ? line : column + line))

const unitOf = (body: string): string => /\n([ \t]+)"/.exec(body)?.[1] ?? '  '

async function yamlText(value: unknown): Promise<string> {
  const { stringify } = await import('yaml')
  return stringify(value, { lineWidth: 0 })
}
