/** The scripted agent's program: reads a prompt, plays the script's steps for this call, and prints what Claude Code would print. */
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { isRecord, isText, jsonIn, recordOf } from '../../../core/text/json.ts'
import { play, type Step, wrongIn } from './steps.ts'

type Path = (string | number)[]
type Script = {
  stories: Record<string, Step[][]>
  iterations: Step[][]
  /** What it does as a reviewer of a story, or of all changes ("final"), review by review. */
  reviews: Record<string, Step[][]>
  /** What it answers as a learner, by story, or by category when it writes a skill. */
  lessons: Record<string, Step[][]>
  otherwise: Step[] | undefined
}

const wrongScript = 64

await main(process.argv[2] ?? '')

async function main(file: string): Promise<void> {
  const prompt = await text(process.stdin)
  const source = sourceOf(file)
  const script = await parsedScript(file, source)
  const steps = stepsFor(script, prompt)
  if (!steps) return fail(`${file}: no steps for story "${process.env['RALPH_STORY'] ?? ''}", and no "otherwise"`)
  await play(steps, prompt)
}

function sourceOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    return fail(`the script cannot be read: ${(error as Error).message}`)
  }
}

async function parsedScript(file: string, source: string): Promise<Script> {
  const value = await valueIn(file, source)
  if (!isRecord(value)) return fail(`${file}: a script is an object with "stories", "iterations" or "otherwise"`)
  const listAt = (list: unknown, path: Path, of: string): unknown[] =>
    Array.isArray(list) ? list : fail(`${file}: ${path.join('.')} must be a list of ${of}`)
  let wrong: Path | undefined
  const stepsAt = (list: unknown, path: Path): Step[] => {
    const steps = listAt(list, path, 'steps').map(asStep)
    const bad = steps.findIndex((step) => wrongIn(step) !== undefined)
    if (bad >= 0) wrong ??= [...path, bad]
    return steps
  }
  const listsAt = (list: unknown, path: Path): Step[][] =>
    listAt(list, path, 'lists of steps').map((steps, n) => stepsAt(steps, [...path, n]))
  const byId = (key: string): Record<string, Step[][]> =>
    Object.fromEntries(Object.entries(recordOf(value[key])).map(([id, lists]) => [id, listsAt(lists, [key, id])]))
  const script = {
    stories: byId('stories'),
    iterations: listsAt(value['iterations'] ?? [], ['iterations']),
    reviews: byId('reviews'),
    lessons: byId('lessons'),
    otherwise: value['otherwise'] === undefined ? undefined : stepsAt(value['otherwise'], ['otherwise']),
  }
  return wrong === undefined ? script : refuse(file, source, wrong)
}

async function valueIn(file: string, source: string): Promise<unknown> {
  if (file.endsWith('.json')) return jsonIn(source) ?? fail(`${file}: not valid JSON`)
  try {
    return (await import('./yaml.ts')).parsedYaml(source) ?? {}
  } catch (error) {
    return fail(`${file}: ${(error as Error).message}`)
  }
}

/** `crash` is short for `crash: true`. */
function asStep(step: unknown): Step {
  return isText(step) ? { [step]: true } : recordOf(step)
}

async function refuse(file: string, source: string, path: Path): Promise<never> {
  const { lineAndValue } = await import('./yaml.ts')
  const { line, value } = lineAndValue(source, path)
  return fail(`${file}:${line}: ${wrongIn(asStep(value))}`)
}

function stepsFor({ stories, iterations, reviews, lessons, otherwise }: Script, prompt: string): Step[] | undefined {
  if (process.env['RALPH_ROLE'] === 'learner') return lessonSteps(lessons)
  if (process.env['RALPH_ROLE'] === 'reviewer') return reviewSteps(reviews, prompt)
  const attempts = stories[process.env['RALPH_STORY'] ?? '']
  if (attempts?.length) return nth(attempts, process.env['RALPH_ATTEMPT'])
  if (iterations.length > 0) return nth(iterations, process.env['RALPH_ITERATION'])
  return otherwise
}

/** A script that says nothing has learned nothing. */
function lessonSteps(lessons: Record<string, Step[][]>): Step[] {
  return (
    nth(lessons[process.env['RALPH_SKILL'] || process.env['RALPH_STORY'] || ''] ?? [], process.env['RALPH_TRY']) ?? [
      { say: '{"successes": [], "failures": [], "discoveries": []}' },
    ]
  )
}

/** By the attempt under review; a second try after an unreadable answer takes the next one. */
function reviewSteps(reviews: Record<string, Step[][]>, prompt: string): Step[] {
  const id = process.env['RALPH_STORY'] || 'final'
  const place = Number(process.env['RALPH_ATTEMPT']) + Number(process.env['RALPH_TRY']) - 1
  return nth(reviews[id] ?? [], String(place)) ?? [{ say: passing(prompt) }]
}

/** A reviewer's default answer, in the form that the last line of its prompt shows. */
function passing(prompt: string): string {
  const isQuality = prompt.trimEnd().split('\n').at(-1)?.startsWith('{"warnings":')
  const findings = isQuality ? { warnings: [] } : { missing: [], extra: [] }
  return JSON.stringify({ ...findings, reason: 'As the criteria ask.', verdict: 'pass' })
}

/** Counted from 1; the last repeats. */
function nth<T>(list: T[], count = '1'): T | undefined {
  return list[Math.min(Math.max(Number(count) || 1, 1), list.length) - 1]
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(wrongScript)
}
