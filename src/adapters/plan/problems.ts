/** Everything that is wrong with a plan's text, at once: what `run`, `lint` and `doctor` say about it. */
import { EXIT, Failure } from '../../core/failure.ts'
import { scanChecklist } from './checklist.ts'
import { parseJson } from './json-spans.ts'
import { BadPlan, bodyOf, placeOf } from './located-values.ts'
import type { Problem, Scan } from './scan.ts'
import { scanTree } from './structured.ts'
import { parseYaml } from './yaml-spans.ts'

export type ReadPlan = {
  /** null: no list of stories could be read. */
  scan: Scan | null
  /** Errors, by position. */
  problems: Problem[]
}

/** Reads on after small mistakes, so that all of them are known. `file`: a name or a path. */
export async function planProblems(file: string, text: string): Promise<ReadPlan> {
  const body = bodyOf(text)
  const mistakes: Problem[] = []
  const note = (mistake: BadPlan): void => void mistakes.push(mistake)
  const read = async (): Promise<Scan> => {
    if (file.endsWith('.md')) return scanChecklist(body)
    const tree = file.endsWith('.yaml') ? await parseYaml(body, note) : parseJson(body, note)
    return scanTree(file.slice(file.lastIndexOf('/') + 1), body, tree)
  }
  try {
    const scan = await read()
    return { scan, problems: sorted([...mistakes, ...scan.problems]) }
  } catch (error) {
    if (!(error instanceof BadPlan)) throw error
    return { scan: null, problems: sorted([...mistakes, error]) }
  }
}

/** What follows from text that is no YAML, at the same place, is left out. */
function sorted(problems: Problem[]): Problem[] {
  const all = problems.map(({ offset, message }) => ({ offset, message })).sort((one, other) => one.offset - other.offset)
  return all.filter(({ offset }, index) => {
    const before = all[index - 1]
    return before?.offset !== offset || !all[firstAt(all, index)]?.message.startsWith('not valid ')
  })
}

function firstAt(all: Problem[], index: number): number {
  let first = index
  while (first > 0 && all[first - 1]?.offset === all[index]?.offset) first -= 1
  return first
}

/** A run stops with them: the first ones, and how many there are. */
export async function problemsFailure(file: string, text: string): Promise<Failure> {
  const { problems } = await planProblems(file, text)
  const lines = problems.map(({ offset, message }) => `${file}:${placeOf(bodyOf(text), offset)}: ${message}`)
  const shown = lines.slice(0, mostShown)
  const more = lines.length - shown.length
  return new Failure(EXIT.data, [...shown, ...(more > 0 ? [`${more} more; "ralph lint" lists all of them.`] : [])].join('\n'))
}

/** A screen should still show what was typed. */
const mostShown = 8
