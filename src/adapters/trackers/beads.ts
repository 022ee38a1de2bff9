/** Issues of beads (`bd`), which lie in the repository itself. */
import { EXIT, Failure } from '../../core/failure.ts'
import type { Issue } from '../../core/import/issue.ts'
import { isText, type Json, jsonIn, numberOf, recordOf, recordsIn, textOf } from '../../core/text/json.ts'
import { ran } from '../forges/api.ts'
import { findProgram } from '../process/program.ts'
import { COMMENT_MARK, labelOf, progressMarks, type Tracker, type TrackerPlace } from './tracker.ts'

export async function beads({ env, cwd }: TrackerPlace): Promise<Tracker> {
  const path = findProgram('bd', cwd, env)
  if (path === null) throw new Failure(EXIT.missing, 'bd was not found. Install beads, or add it to PATH.')
  async function bd(...args: string[]): Promise<string> {
    const { code, out, err } = await ran({ name: 'bd', path: path ?? '', env, cwd }, args)
    if (code === 0) return out
    throw new Failure(
      EXIT.data,
      `bd ${args[0] ?? ''} failed: ${(err || out).trim().split('\n')[0] ?? ''}. Check it with: bd doctor`,
    )
  }
  const listed = async (...args: string[]): Promise<Json[]> => {
    const value = jsonIn(await bd(...args, '--json'))
    return Array.isArray(value) ? recordsIn(value) : [recordOf(value)].filter((fields) => textOf(fields['id']) !== '')
  }
  return {
    async issues(label) {
      const found = await listed('list', '--label', label, '--limit', '0') // without it bd lists 50
      const open = found.filter(({ status }) => status !== 'closed').sort(byAge)
      return { issues: open.map(issueIn), isCut: false }
    },
    async mark(id, mark) {
      const [issue = {}] = await listed('show', id)
      const there = textsIn(issue['labels'])
      for (const other of progressMarks.filter((each) => each !== mark).map(labelOf))
        if (there.includes(other)) await bd('label', 'remove', id, other)
      if (!there.includes(labelOf(mark))) await bd('label', 'add', id, labelOf(mark))
    },
    /** Its comments cannot be changed, its notes can: what others wrote there stays. */
    async comment(id, text) {
      const [issue = {}] = await listed('show', id)
      const notes = textOf(issue['notes'])
      const others = notes.includes(COMMENT_MARK)
        ? notes.slice(0, notes.indexOf(COMMENT_MARK))
        : `${notes}${notes === '' ? '' : '\n\n'}`
      await bd('update', id, '--notes', `${others}${COMMENT_MARK}\n${text}`)
    },
  }
}

const byAge = (one: Json, other: Json): number => textOf(one['created_at']).localeCompare(textOf(other['created_at']))

const textsIn = (value: unknown): string[] => (Array.isArray(value) ? value.filter(isText) : [])

function issueIn(fields: Json): Issue {
  const criteria = textOf(fields['acceptance_criteria'])
  const design = textOf(fields['design'])
  const priority = numberOf(fields['priority'])
  const id = textOf(fields['id'])
  return {
    url: `beads:${id}`,
    repository: 'beads',
    id,
    title: textOf(fields['title']),
    body: [textOf(fields['description']), design && `## Design\n\n${design}`, criteria && `## Acceptance criteria\n\n${criteria}`]
      .filter((part) => part !== '')
      .join('\n\n'),
    author: textOf(fields['created_by']) || textOf(fields['owner']) || 'ghost',
    isOpen: true,
    labels: [...textsIn(fields['labels']), ...(priority === undefined ? [] : [`P${priority}`])],
    comments: [],
  }
}
