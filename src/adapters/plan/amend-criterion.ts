/** Changes one acceptance criterion of a plan, in every format; in a checklist it is a line below an item. */
import { isDeepStrictEqual } from 'node:util'
import { EXIT, Failure } from '../../core/failure.ts'
import type { Proposal, StoryId } from '../../core/types.ts'
import { itemsOf } from './checklist.ts'
import { boxIn } from './checklist-box.ts'
import { bodyOf, memberOf, type PlanTree, withBody } from './located-values.ts'
import { type PlanFile, parsePlan, scanPlan } from './parse-plan.ts'
import { spliced } from './splice.ts'

/** Without a story, the only one that has such a criterion. Throws a Failure that says what is in the way. */
export async function withCriterion(plan: PlanFile, story: StoryId | null, change: Proposal): Promise<PlanFile> {
  const scan = await scanPlan(plan.file, plan.text)
  const places = scan.entries
    .filter((entry) => story === null || entry.story.id === story)
    .flatMap(({ place, story: { id } }) => placesOf(plan, scan.list?.items[place], { id, place }, change))
  const [found, ...others] = places
  if (found === undefined || others.length > 0)
    throw new Failure(
      EXIT.data,
      scan.list === undefined && scan.entries.some(({ story: { title } }) => isSame(title, change.before))
        ? `"${change.before}" is an item of ${plan.file} and names its story`
        : `${story ?? plan.file} has ${found === undefined ? 'no criterion' : 'more than one criterion'} "${change.before}"`,
    )
  const after = await parsePlan(plan.file, withBody(plan.text, found.edited)).catch((error: unknown) => {
    if (error instanceof Failure) return null
    throw error
  })
  // YAML can surprise: nothing else may differ, and this must be as it was meant.
  if (after === null || !isDeepStrictEqual(after.texts, found.texts))
    throw new Failure(EXIT.data, `the criterion "${change.before}" in ${plan.file} cannot be edited in place`)
  return after
}

type Place = { edited: string; texts: PlanFile['texts'] }

function placesOf(
  plan: PlanFile,
  tree: PlanTree | undefined,
  entry: { id: StoryId; place: number },
  { before, after }: Proposal,
): Place[] {
  const body = bodyOf(plan.text)
  if (tree === undefined) return placesInItem(plan, body, entry, { before, after })
  const list = tree.kind === 'object' ? memberOf(tree, 'acceptanceCriteria', 'acceptance_criteria')?.value : undefined
  if (list?.kind !== 'array') return []
  return list.items.flatMap((item, index) => {
    const text = plan.texts[entry.id]
    const criteria = text?.acceptanceCriteria ?? []
    if (text === undefined || !isSame(criteria[index] ?? '', before)) return []
    const end = item.start + body.slice(item.start, item.end).trimEnd().length
    const isPlain = plainScalar.test(body.slice(item.start, end)) && plainScalar.test(after)
    return [
      {
        edited: spliced(body, item.start, end, isPlain ? after : JSON.stringify(after)),
        texts: { ...plan.texts, [entry.id]: { ...text, acceptanceCriteria: criteria.toSpliced(index, 1, after) } },
      },
    ]
  })
}

/** YAML that needs no quotes: nothing in it has a meaning of its own. */
const plainScalar = /^\p{L}[\p{L}\p{N} .,;()/_'=+<>$%?-]*$/u

function placesInItem(plan: PlanFile, body: string, { id, place }: { id: StoryId; place: number }, change: Proposal): Place[] {
  const item = itemsOf(body)[place]
  const own = plan.texts[id]
  if (item === undefined || own === undefined) return []
  let at = item.offset
  return body
    .slice(item.offset, item.end)
    .split('\n')
    .flatMap((line, index) => {
      const start = at
      at += line.length + 1
      const text = line.replace(/^\s*(?:[-*+]|\d+[.)])\s+/, '').trim()
      if (index === 0 || boxIn(line) !== undefined || !isSame(text, change.before)) return [] // an item is a story of its own
      const from = start + line.lastIndexOf(text)
      const description = own.description.replace(text, () => change.after)
      return [
        {
          edited: spliced(body, from, from + text.length, change.after),
          texts: { ...plan.texts, [id]: { ...own, description } },
        },
      ]
    })
}

/** An agent that quotes a criterion may lose its last dot, its case or its line breaks. */
const isSame = (known: string, quoted: string): boolean => normal(known) === normal(quoted)
const normal = (text: string): string => text.replace(/\s+/g, ' ').trim().replace(/\.$/, '').toLowerCase()
