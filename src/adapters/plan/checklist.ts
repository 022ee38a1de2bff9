/** Reads stories from a markdown checklist: each item with a checkbox is a story, nested items come first, and the text gives the id. */
import { sure } from '../../core/failure.ts'
import { boxIn, columnsOf, strayBox } from './checklist-box.ts'
import { BadPlan } from './located-values.ts'
import { type Problem, reservedIds, type Scan, type ScannedEntry } from './scan.ts'

/** One item with a checkbox, and its position. */
type Item = {
  title: string
  isDone: boolean
  /** Under a heading such as "Optional". */
  isOptional: boolean
  /** Where a mark goes in the box, what it replaces, and the offset of the item's bullet. */
  box: { at: number; length: number }
  offset: number
  /** The offset after its last line of text, without nested items. */
  end: number
  parent: Item | undefined
  below: string[]
}

/** Throws BadPlan if there is no item at all. */
export function scanChecklist(text: string): Scan {
  const warnings: Problem[] = []
  const items = itemsOf(text, warnings)
  if (items.length === 0)
    throw new BadPlan(0, 'no stories yet: run "ralph plan", or add one as a line such as "- [ ] Log in with a password"')
  const ids = idsOf(items)
  const ordered = childrenFirst(items)
  const childrenOf = Map.groupBy(items, (item) => item.parent)
  const idOf = (item: Item): string => sure(ids.get(item), `id of "${item.title}"`)
  const places = new Map(items.map((item, place) => [item, place]))
  const entries = ordered.map((item, index): ScannedEntry => {
    const children = childrenOf.get(item) ?? []
    const dependsOn = children.map(idOf)
    return {
      story: {
        id: idOf(item),
        title: item.title,
        priority: index + 1,
        passes: item.isDone,
        dependsOn,
        skip: item.isOptional && !item.isDone,
        exitSignal: false,
        gates: {},
      },
      text: { description: item.below.join('\n').trim(), acceptanceCriteria: [], notes: '' },
      fields: { title: item.title, dependsOn, isOptional: item.isOptional },
      problems: [],
      offset: item.offset,
      dependencyOffsets: children.map((child) => child.offset),
      criterionOffsets: [],
      place: sure(places.get(item), `place of "${item.title}"`),
    }
  })
  return { feature: '', description: '', branch: '', head: {}, entries, problems: [], warnings }
}

/** The items in the order of the file. */
export function itemsOf(text: string, warnings: Problem[] = []): Item[] {
  const items: Item[] = []
  /** The list items around the current line, with or without checkboxes, outermost first. */
  let around: { indent: number; item: Item | undefined }[] = []
  let fence = ''
  let isComment = false
  let wasBlank = true
  let optionalLevel = 0
  let offset = 0
  /** The previous line, if it was part of a paragraph: it may turn out to be a heading. */
  let previous = ''
  let isCodeTold = false
  for (const lineWithEnd of text.split(/(?<=\n|\r(?!\n))/)) {
    const line = lineWithEnd.replace(/[\r\n]+$/, '')
    const start = offset
    offset += lineWithEnd.length
    const before = previous
    previous = ''
    if (isComment || (fence === '' && /^\s*<!--/.test(line))) {
      const inside = line.slice(isComment ? 0 : line.indexOf('<!--') + 4)
      isComment = !inside.includes('-->')
      if (!isComment && boxIn(inside.slice(inside.indexOf('-->') + 3))?.isDone === false)
        warnings.push({ offset: start, message: 'checkbox after a comment is ignored; give it its own line' })
      continue
    }
    const [, mark, info] = /^\s*(?:(?:[-*+]|\d+[.)])\s+)*(`{3,}|~{3,})([^`]*)$/.exec(line) ?? []
    if (fence !== '') {
      if (mark?.startsWith(fence) && info?.trim() === '') fence = ''
      else if (!isCodeTold && boxIn(line)?.isDone === false) {
        isCodeTold = true
        warnings.push({ offset: start, message: 'open checkbox in a code block is ignored' })
      }
      keepBelow(around, line, start)
      continue
    }
    if (mark !== undefined) {
      fence = mark
      keepBelow(around, line, start)
      continue
    }
    const box = boxIn(line)
    const stray = box === undefined ? strayBox(line) : undefined
    if (stray !== undefined) warnings.push({ offset: start, message: stray })
    const heading = headingOf(line, before)
    if (heading) {
      around = []
      const isDeeper = optionalLevel > 0 && heading.level > optionalLevel
      if (!isDeeper) optionalLevel = isOptionalHeading(heading.text) ? heading.level : 0
      if (box === undefined) continue
    }
    if (line.trim() === '') {
      wasBlank = true
      continue
    }
    const indent = box?.indent ?? columnsOf(line.replace(/\S.*/s, ''))
    if (box || /^\s*([-*+]|\d{1,9}[.)])\s+/.test(line)) {
      around = around.filter((open) => open.indent < indent)
      const title = heading ? box?.title.replace(/\s+#+$/, '') : box?.title
      const at = start + (box?.at ?? 0)
      const item: Item | undefined =
        box === undefined || !title
          ? undefined
          : {
              title,
              isDone: box.isDone,
              isOptional: optionalLevel > 0,
              box: { at: start + box.mark.at, length: box.mark.length },
              offset: at,
              end: start + line.length,
              parent: around.findLast((open) => open.item)?.item,
              below: [],
            }
      if (item) items.push(item)
      else keepBelow(around, line, start)
      if (box && !item) warnings.push({ offset: at, message: 'checkbox without text is ignored' })
      if (item && box?.odd !== undefined) warnings.push({ offset: at, message: box.odd })
      if (!heading) around.push({ indent, item })
    } else {
      // After a blank line, unindented text ends the list; without one it still belongs to the item.
      if (wasBlank) around = around.filter((open) => open.indent < indent)
      keepBelow(around, line, start)
      if (around.length === 0) previous = line
    }
    wasBlank = false
  }
  if (isComment) warnings.push({ offset: text.length, message: 'comment is not closed; items inside it are ignored' })
  if (fence !== '') warnings.push({ offset: text.length, message: 'code block is not closed; items inside it are ignored' })
  return items
}

function keepBelow(around: { item: Item | undefined }[], line: string, start: number): void {
  const item = around.findLast((open) => open.item)?.item
  if (!item) return
  item.below.push(line.trim())
  item.end = start + line.length
}

/** `## Title`, or a line underlined with `===` or `---` (recognised at the underline). */
function headingOf(line: string, before: string): { level: number; text: string } | undefined {
  const [, marks, text = ''] = /^ {0,3}(#{1,6})(?:\s+(.*))?$/.exec(line) ?? []
  if (marks !== undefined) return { level: marks.length, text }
  const isUnderline = /^ {0,3}(=+|-+)\s*$/.test(line)
  return isUnderline && before !== '' ? { level: line.includes('=') ? 1 : 2, text: before } : undefined
}

function isOptionalHeading(text: string): boolean {
  const words = text
    .toLowerCase()
    .replace(/[^\p{L}]+/gu, ' ')
    .trim()
  return ['optional', 'future', 'future enhancements', 'nice to have'].includes(words)
}

/** Slugs of the texts; a repeated text gets -2, -3. */
function idsOf(items: Item[]): Map<Item, string> {
  const taken = new Set<string>(reservedIds)
  const ids = new Map<Item, string>()
  const counts = new Map<string, number>()
  for (const item of items) {
    const slug = slugOf(item.title)
    let id = slug
    let count = counts.get(slug) ?? 1
    for (; taken.has(id); id = `${slug}-${count}`) count += 1
    counts.set(slug, count)
    taken.add(id)
    ids.set(item, id)
  }
  return ids
}

/** Ids become parts of branch and file names. */
const maxSlug = 60
/** The rest is not in a slug; on a line of only brackets, the pattern would take quadratic time. */
const longestTitle = 1000

function slugOf(title: string): string {
  const words = title
    .slice(0, longestTitle)
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .normalize('NFC')
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '')
  let slug = ''
  for (const word of words) {
    if (slug !== '' && slug.length + 1 + word.length > maxSlug) break
    slug += (slug === '' ? '' : '-') + word.slice(0, maxSlug)
  }
  return slug === '' ? 'item' : slug
}

function childrenFirst(items: Item[]): Item[] {
  const ordered: Item[] = []
  /** Parents whose nested items are still to come, outermost first. */
  let open: Item[] = []
  for (const item of items) {
    const depth = item.parent ? open.indexOf(item.parent) + 1 : 0
    ordered.push(...open.slice(depth).reverse())
    open = [...open.slice(0, depth), item]
  }
  return [...ordered, ...open.reverse()]
}
