/** Reads stories from a plan in JSON or YAML: checks the type of every known field, and leaves unknown ones alone. */

import { nearest } from '../../core/text/nearest.ts'
import { grades } from '../../core/types/checks.ts'
import type { Grade, Story, StoryFailure } from '../../core/types.ts'
import { BadPlan, type Member, memberOf, type ObjectTree, type PlanTree, plainOf, sayTree } from './located-values.ts'
import { type Problem, relationProblems, reservedIds, type Scan, type ScannedEntry } from './scan.ts'

/** Values of `status` that mean `passes: true`. */
export const isDoneWord = (status: string): boolean => /^(done|completed?|passed)$/i.test(status.trim())

/** Throws BadPlan only if there is no list of stories at all, under any name. */
export function scanTree(file: string, text: string, tree: PlanTree): Scan {
  const isYaml = file.endsWith('.yaml')
  if (tree.kind !== 'object')
    throw new BadPlan(tree.start, `found ${sayNothing(tree)}, expected an object with a list of stories`)
  const listKeys = file === 'prd.json' ? ['userStories', 'tasks'] : ['tasks', 'userStories']
  const named = listKeys.find((key) => memberOf(tree, key))
  const misnamed = named === undefined ? misnamedList(tree, listKeys) : undefined
  const listKey = named ?? misnamed?.key
  const list = listKey === undefined ? undefined : memberOf(tree, listKey)?.value
  if (listKey === undefined || !list) throw new BadPlan(tree.start, `missing "${listKeys[0]}", the list of stories`)
  const renamed = misnamed && {
    offset: misnamed.keyStart,
    message: `missing "${listKeys[0]}", the list of stories; found "${misnamed.key}": rename it`,
  }
  const isEmpty = list.kind === 'array' ? list.items.length === 0 : isNull(list)
  if (isEmpty && renamed !== undefined) throw new BadPlan(renamed.offset, renamed.message)
  if (isEmpty) throw new BadPlan(list.start, `no stories yet: run "ralph plan", or add one to "${listKey}"`)
  if (list.kind !== 'array') throw new BadPlan(list.start, `${listKey}: found ${sayTree(list)}, expected a list of stories`)

  // Its stories are read all the same, so that all errors are known at once.
  const problems: Problem[] = renamed === undefined ? [] : [renamed]
  const warnings: Problem[] = oddKeys(tree, headKeys, 'the plan').filter(({ offset }) => offset !== misnamed?.keyStart)
  if (listKeys.every((key) => memberOf(tree, key)))
    warnings.push({ offset: tree.start, message: `"tasks" and "userStories" are both present; using "${listKey}"` })
  const source = { text, isYaml }
  const take = taker(tree, source, '', problems)
  const head = {
    feature: take(['feature'], asText) ?? '',
    description: take(['description'], asText) ?? '',
    branch: take(['branchName', 'branch_name'], asText) ?? '',
  }
  take(['createdAt', 'created_at'], asText)
  const entries = list.items.map((item, place) => entryOf(item, { place, listKey }, source, warnings))
  givePriorities(entries, listKey, warnings)
  const fields = Object.fromEntries(
    tree.members.filter(({ key }) => key !== listKey).map(({ key, value }) => [key, plainOf(value)]),
  )
  problems.push(...entries.flatMap((entry) => entry.problems), ...relationProblems(entries))
  const featureOffset = memberOf(tree, 'feature')?.keyStart ?? tree.start
  return { ...head, featureOffset, head: fields, entries, problems, warnings, list }
}

/** Every known field in all accepted spellings. */
export const headKeys = ['feature', 'description', 'branchName', 'branch_name', 'createdAt', 'created_at', 'tasks', 'userStories']
export const storyKeys = [
  ...['id', 'title', 'description', 'acceptanceCriteria', 'acceptance_criteria', 'priority', 'passes', 'status', 'notes', 'skip'],
  ...[
    'dependsOn',
    'depends_on',
    'touches',
    'exitSignal',
    'exit_signal',
    'changesTests',
    'changes_tests',
    'proof',
    'kind',
    'source',
    'bestOf',
    'best_of',
    'gates',
    'agent',
    'model',
    'failed',
  ],
]

/** One story, with its problems; warnings are added. */
export function entryOf(
  item: PlanTree,
  { place, listKey }: { place: number; listKey: string },
  source: PlanSource,
  warnings: Problem[],
): ScannedEntry {
  const problems: Problem[] = []
  const tree: ObjectTree =
    item.kind === 'object' ? item : { kind: 'object', start: item.start, end: item.end, isBlock: false, members: [] }
  const name = sayStory(tree, source, `${listKey}[${place}]`)
  const take = taker(tree, source, `${name}: `, problems)
  if (item.kind !== 'object')
    problems.push({ offset: item.start, message: `${name}: found ${sayTree(item)}, expected a story with "id" and "title"` })
  const required = (key: string) => {
    const member = memberOf(tree, key)
    if (item.kind === 'object' && (!member || isNull(member.value))) problems.push(missing(tree, name, key))
    return take([key], asName) ?? ''
  }
  const dependencies = take(['dependsOn', 'depends_on'], asPlacedTexts) ?? []
  const touches = (take(['touches'], asPlacedTexts) ?? []).map(({ value }) => value)
  const criteria = take(['acceptanceCriteria', 'acceptance_criteria'], asPlacedTexts) ?? []
  const status = take(['status'], asText)
  const passes = take(['passes'], asBoolean)
  const failed = take(['failed'], asFailure)
  const proof = take(['proof'], asGrade)
  const agent = take(['agent'], asText)
  const model = take(['model'], asText)
  const kind = take(['kind'], asKind)
  const issue = take(['source'], asText)
  const bestOf = take(['bestOf', 'best_of'], asCandidates)
  for (const { key, value } of tree.members)
    if (['passes', 'status', 'notes'].includes(key) && value.kind === 'scalar' && value.isAnchor)
      problems.push({
        offset: value.start,
        message: `${name}: ${key}: found a YAML anchor, expected a plain value that Ralph can edit`,
      })

  const story: Story = {
    id: required('id'),
    title: required('title'),
    priority: take(['priority'], asNumber) ?? Number.NaN,
    passes: passes ?? (status !== undefined && isDoneWord(status)),
    dependsOn: dependencies.map(({ value }) => value),
    skip: take(['skip'], asBoolean) ?? false,
    exitSignal: take(['exitSignal', 'exit_signal'], asBoolean) ?? false,
    gates: take(['gates'], asCommands) ?? {},
    ...(touches.length > 0 && { touches }),
    ...(take(['changesTests', 'changes_tests'], asBoolean) === true && { changesTests: true as const }),
    ...(proof !== undefined && { proof }),
    ...(kind && { kind }),
    ...(issue && { source: issue }),
    ...(bestOf !== undefined && { bestOf }),
    ...(failed && { failed }),
    ...(agent && { agent }),
    ...(model && { model }),
  }
  if (reservedIds.includes(story.id))
    problems.push({
      offset: memberOf(tree, 'id')?.value.start ?? tree.start,
      message: `${name}: id: this word is reserved; choose another id`,
    })
  const told = new Set(problems.map(({ offset }) => offset))
  warnings.push(...oddKeys(tree, storyKeys, name).filter(({ offset }) => !told.has(offset)))
  if (passes !== undefined && status !== undefined && isDoneWord(status) !== passes)
    warnings.push({ offset: tree.start, message: `${name}: passes is ${passes} and status is ${status}; passes is used` })
  return {
    story,
    text: {
      description: take(['description'], asText) ?? '',
      acceptanceCriteria: criteria.map(({ value }) => value),
      notes: take(['notes'], asText) ?? '',
    },
    fields: Object.fromEntries(
      tree.members
        .filter(({ key }) => !['passes', 'status', 'notes'].includes(key))
        .map(({ key, value }) => [key, plainOf(value)]),
    ),
    problems,
    offset: memberOf(tree, 'id')?.value.start ?? tree.start,
    dependencyOffsets: dependencies.map(({ offset }) => offset),
    criterionOffsets: criteria.map(({ offset }) => offset),
    place,
  }
}

/** Stories without a priority come after those with one, in the order of the file. */
function givePriorities(entries: ScannedEntry[], listKey: string, warnings: Problem[]): void {
  const given = entries.map(({ story }) => story.priority).filter((priority) => !Number.isNaN(priority))
  let next = Math.floor(given.reduce((highest, priority) => Math.max(highest, priority), 0)) + 1
  for (const { story, offset, fields, place } of entries) {
    if (!Number.isNaN(story.priority)) continue
    const name = story.id === '' ? `${listKey}[${place}]` : `story ${story.id}`
    if (given.length > 0 && !('priority' in fields))
      warnings.push({ offset, message: `${name}: no priority; it comes after stories that have one` })
    story.priority = next++
  }
}

type PlanSource = { text: string; isYaml: boolean }
type Wanted<T> = (tree: PlanTree, source: PlanSource) => T

/** Reads one field under any of its names; a wrong type is reported and counts as missing, and so does null. */
function taker(tree: ObjectTree, source: PlanSource, name: string, problems: Problem[]) {
  return <T>(keys: string[], wanted: Wanted<T>): T | undefined => {
    const member: Member | undefined = memberOf(tree, ...keys)
    if (!member || isNull(member.value)) return undefined
    try {
      return wanted(member.value, source)
    } catch (error) {
      if (!(error instanceof BadPlan)) throw error
      problems.push({ offset: error.offset, message: `${name}${member.key}: ${error.message}` })
      return undefined
    }
  }
}

const isNull = (tree: PlanTree): boolean => tree.kind === 'scalar' && tree.value === null
const wrong = (tree: PlanTree, expected: string) => new BadPlan(tree.start, `found ${sayTree(tree)}, expected ${expected}`)

const asText: Wanted<string> = (tree, { text, isYaml }) => {
  if (tree.kind !== 'scalar' || tree.isAlias) throw wrong(tree, 'text')
  if (typeof tree.value === 'string') return tree.value
  // In YAML nobody quotes `id: 1` or `- 404`: the digits are the text.
  if (!isYaml || typeof tree.value !== 'number') throw wrong(tree, 'text')
  return text[tree.start] === '*' ? String(tree.value) : text.slice(tree.start, tree.end)
}

/** An id or title: one line that is not blank. */
const asName: Wanted<string> = (tree, source) => {
  const name = asText(tree, source)
  if (name.trim() === '' || /[^\P{Cc}\t]/u.test(name)) throw wrong(tree, 'one line of text')
  return name
}

const asBoolean: Wanted<boolean> = (tree) => {
  if (tree.kind !== 'scalar' || typeof tree.value !== 'boolean') throw wrong(tree, 'true or false')
  return tree.value
}

const asGrade: Wanted<Grade> = (tree) => {
  const grade = grades.find((known) => tree.kind === 'scalar' && tree.value === known)
  if (grade === undefined) throw wrong(tree, `one of ${grades.join(', ')}`)
  return grade
}

/** Other tools have kinds of their own, in other forms. */
const asKind: Wanted<string | undefined> = (tree) =>
  tree.kind === 'scalar' && typeof tree.value === 'string' ? tree.value : undefined

const asNumber: Wanted<number> = (tree) => {
  if (tree.kind !== 'scalar' || typeof tree.value !== 'number' || !Number.isFinite(tree.value))
    throw wrong(tree, 'a number (1 is first)')
  return tree.value
}

const asCandidates: Wanted<number> = (tree) => {
  if (
    tree.kind !== 'scalar' ||
    typeof tree.value !== 'number' ||
    !Number.isInteger(tree.value) ||
    tree.value < 1 ||
    tree.value > 9
  )
    throw wrong(tree, 'a whole number from 1 to 9')
  return tree.value
}

const asPlacedTexts: Wanted<{ value: string; offset: number }[]> = (tree, source) => {
  if (tree.kind !== 'array') throw wrong(tree, 'a list of strings')
  return tree.items.map((item) => ({ value: asText(item, source), offset: item.start }))
}

const asCommands: Wanted<Record<string, string>> = (tree, source) => {
  if (tree.kind !== 'object') throw wrong(tree, 'an object with names and commands')
  return Object.fromEntries(tree.members.map(({ key, value }) => [key, asText(value, source)]))
}

const asFailure: Wanted<StoryFailure> = (tree, source) => {
  if (tree.kind !== 'object') throw wrong(tree, 'an object with "branch", "reason" and "at"')
  const field = (key: string) => {
    const member = memberOf(tree, key)
    return member ? asText(member.value, source) : ''
  }
  return { branch: field('branch'), reason: field('reason'), at: field('at') }
}

/** What people and other tools call our fields. */
const otherNames = new Map([
  ...['criteria', 'acceptance'].map((name) => [name, 'acceptanceCriteria'] as const),
  ...['dependencies', 'deps', 'blockedby', 'requires'].map((name) => [name, 'dependsOn'] as const),
  ...['done', 'completed'].map((name) => [name, 'passes'] as const),
  ...['name', 'summary'].map((name) => [name, 'title'] as const),
  ...['stories', 'items'].map((name) => [name, 'userStories'] as const),
  ...['files', 'paths'].map((name) => [name, 'touches'] as const),
])

/** The field that someone probably meant. */
const meantBy = (key: string, known: string[]): string | undefined => {
  const other = otherNames.get(key.toLowerCase())
  return other !== undefined && known.includes(other) ? other : nearest(key.replaceAll(' ', ''), known)
}

/** A required field that is missing, or there under a wrong name. */
function missing(tree: ObjectTree, name: string, key: string): Problem {
  const meant = tree.members.find((member) => !storyKeys.includes(member.key) && meantBy(member.key, storyKeys) === key)
  return meant === undefined
    ? { offset: tree.start, message: `${name}: missing "${key}"` }
    : { offset: meant.keyStart, message: `${name}: missing "${key}"; found "${meant.key}": rename it` }
}

/** A list of stories under a wrong name. */
const misnamedList = (tree: ObjectTree, listKeys: string[]): Member | undefined =>
  tree.members.find(({ key, value }) => value.kind === 'array' && listKeys.includes(meantBy(key, headKeys) ?? ''))

/** Duplicate keys, and unknown ones that look like a known one. */
function oddKeys(tree: ObjectTree, known: string[], name: string): Problem[] {
  const seen = new Set<string>()
  return tree.members.flatMap(({ key, keyStart }) => {
    const isRepeated = seen.has(key)
    seen.add(key)
    if (isRepeated) return [{ offset: keyStart, message: `${name}: duplicate "${key}"; the last one is used` }]
    const near = known.includes(key) ? undefined : meantBy(key, known)
    return near ? [{ offset: keyStart, message: `${name}: unknown "${key}" is ignored; did you mean "${near}"?` }] : []
  })
}

function sayStory(tree: ObjectTree, source: PlanSource, otherwise: string): string {
  try {
    const id = memberOf(tree, 'id')
    return id ? `story ${asName(id.value, source)}` : otherwise
  } catch {
    return otherwise
  }
}

const sayNothing = (tree: PlanTree): string => (tree.kind === 'scalar' && tree.start === tree.end ? 'nothing' : sayTree(tree))
