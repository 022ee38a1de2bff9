/** Adds a story that the agent added to the end of the snapshot's text, as open. */
import { sure } from '../../core/failure.ts'
import { withFailed, withoutClaims, withPasses } from './change-story.ts'
import { itemsOf } from './checklist.ts'
import { bodyOf, plainOf, withBody } from './located-values.ts'
import { type PlanFile, parsePlan, scanPlan } from './parse-plan.ts'
import type { Scan, ScannedEntry } from './scan.ts'
import { lineEnd, spliced, withItem } from './splice.ts'

/** `source` is the agent's text and `scan` its content. */
export async function withAddedStory(plan: PlanFile, source: string, scan: Scan, entry: ScannedEntry): Promise<PlanFile> {
  const body = bodyOf(plan.text)
  const { list } = await scanPlan(plan.file, plan.text)
  if (!list) return parsePlan(plan.file, withBody(plan.text, withLine(body, entry)))

  const item = sure(scan.list?.items[entry.place], `item ${entry.place} in the list`)
  const lines = plan.file.endsWith('.yaml')
    ? await yamlLines(plainOf(item), list.isBlock)
    : [bodyOf(source).slice(item.start, item.end)]
  const longer = await parsePlan(plan.file, withBody(plan.text, withItem(body, list, lines)))
  const { id } = entry.story
  return withoutClaims(await withFailed(await withPasses(longer, id, false), id, undefined), id)
}

async function yamlLines(value: unknown, isBlock: boolean): Promise<string[]> {
  if (!isBlock) return [JSON.stringify(value)]
  const { stringify } = await import('yaml')
  return stringify(value, { lineWidth: 0 }).trimEnd().split('\n')
}

/** After the last item with the same weight: the end of the file may be the section that does not count. */
function withLine(text: string, { story, fields }: ScannedEntry): string {
  const items = itemsOf(text)
  const last = items.findLast((item) => item.isOptional === fields.isOptional) ?? sure(items.at(-1), 'item to follow')
  return spliced(text, last.end, last.end, `${lineEnd(text)}- [ ] ${story.title}`)
}
