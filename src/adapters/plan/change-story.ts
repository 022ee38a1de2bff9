/** Changes one field of a story in a plan's text, without touching anything else. */
import { isDeepStrictEqual } from 'node:util'
import { Failure, sure } from '../../core/failure.ts'
import type { Story, StoryFailure, StoryId } from '../../core/types.ts'
import { itemsOf, scanChecklist } from './checklist.ts'
import { bodyOf, memberOf, type ObjectTree, withBody } from './located-values.ts'
import { failureAt, isChecklist, type PlanFile, parsePlan, scanPlan } from './parse-plan.ts'
import { spliced, withMember, withoutMember } from './splice.ts'
import { isDoneWord } from './structured.ts'

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
export const claimNames = ['proof', 'kind', 'changesTests', 'changes_tests', 'source', 'bestOf', 'best_of']

/** Without what only a person may say about it. */
export async function withoutClaims(plan: PlanFile, id: StoryId): Promise<PlanFile> {
  const {
    proof: _proof,
    kind: _kind,
    changesTests: _changesTests,
    source: _source,
    bestOf: _bestOf,
    ...story
  } = storyOf(plan, id)
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
