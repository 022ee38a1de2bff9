/** Edits a plan file the way agents do: rewrites JSON, changes single lines elsewhere. Undefined if the story is not there. */
import { jsonIn, recordOf, recordsIn } from '../../../core/text/json.ts'

/** What an agent changes about a story. */
export type PlanEdit = { passes: boolean } | { notes: string }

export function editedPlan(file: string, text: string, id: string, edit: PlanEdit): string | undefined {
  if (file.endsWith('.json')) return editedJson(text, id, edit)
  if (/\.ya?ml$/.test(file)) return editedYaml(text, id, edit)
  return 'passes' in edit ? editedChecklist(text, id, edit.passes) : undefined
}

function editedJson(text: string, id: string, edit: PlanEdit): string | undefined {
  const plan = recordOf(jsonIn(text))
  const story = [plan['userStories'], plan['tasks']].flatMap(recordsIn).find((one) => String(one['id']) === id)
  if (!story) return undefined
  Object.assign(story, edit)
  const indent = /^[ \t]+(?=")/m.exec(text)?.[0] ?? ''
  return JSON.stringify(plan, null, indent) + (text.endsWith('\n') ? '\n' : '')
}

function editedYaml(text: string, id: string, edit: PlanEdit): string | undefined {
  const lines = text.split('\n')
  const at = lines.findIndex((line) => /^\s*(?:- +)?id: *(["']?)(.*?)\1 *(?:#.*)?\r?$/.exec(line)?.[2] === id)
  if (at < 0) return undefined
  const lineAt = (n: number): string => lines[n] ?? ''
  const column = lineAt(at).indexOf('id:')
  const isInside = (line: string) => line.trim() === '' || line.search(/[^ ]/) >= column
  let first = at
  while (first > 0 && !/^ *-/.test(lineAt(first).slice(0, column))) first--
  let end = at + 1
  while (end < lines.length && isInside(lineAt(end))) end++
  const [key, value] = 'notes' in edit ? ['notes', JSON.stringify(edit.notes)] : ['passes', String(edit.passes)]
  for (let n = first; n < end; n++) {
    const [name] = /^\w+(?=:)/.exec(lineAt(n).slice(column)) ?? []
    const isStatus = name === 'status' && 'passes' in edit
    if (name !== key && !isStatus) continue
    const comment = / #.*$/.exec(lineAt(n))?.[0] ?? ''
    lines[n] = `${lineAt(n).slice(0, column)}${name}: ${isStatus ? (value === 'true' ? 'done' : 'pending') : value}${comment}`
    return lines.join('\n')
  }
  lines.splice(at + 1, 0, `${' '.repeat(column)}${key}: ${value}`)
  return lines.join('\n')
}

function editedChecklist(text: string, id: string, passes: boolean): string | undefined {
  let found = false
  const edited = text.replaceAll(/^([ \t]*[-*+] \[)[ xX]\] +(.+?)\r?$/gm, (line, before, item) => {
    if (found || (item.trim() !== id && slug(item) !== slug(id))) return line
    found = true
    return `${before}${passes ? 'x' : ' '}${line.slice(before.length + 1)}`
  })
  return found ? edited : undefined
}

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')
