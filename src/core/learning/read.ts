/** Reads a learning from a learner's answer or from its file: checks it, cuts it to size, and removes what could do harm. */
import { withoutSignals } from '../reading/reading.ts'
import { isRecord, type Json } from '../text/json.ts'
import { epochMs } from '../text/time.ts'
import type { Instant, StoryId } from '../types.ts'
import { harmIn } from './harm.ts'
import type { Mark, StoryLearnings } from './learning.ts'
import { failureText } from './lessons.ts'
import { isWithinLength, oneLine, shortened, slugOf } from './text.ts'

/** `flagged`: entries that were rejected for their content, a sentence each. `problem`: for the second try, and for people. */
export type LearningReading = { ok: true; learning: StoryLearnings; flagged: string[] } | { ok: false; problem: string }

/** From an answer. Story, outcome, time and marks come from Ralph: what the answer says about them is ignored. */
export function readLearning(
  value: unknown,
  facts: { story: StoryId; outcome: StoryLearnings['outcome']; at: Instant },
): LearningReading {
  if (!isRecord(value)) return broken(`The answer was ${said(value)}; it must be an object with ${names}.`)
  const { problems, flagged, examples, ...lists } = listsIn(value, false)
  if (problems[0] !== undefined) return broken(problems[0])
  if (examples > 0) return broken('The answer repeats the example texts. Replace them with what was learned.')
  const learning = { task_id: facts.story, outcome: facts.outcome, timestamp: facts.at, ...lists }
  return { ok: true, learning, flagged }
}

/** From a file, with all its fields. */
export function storedLearning(value: unknown): LearningReading {
  if (!isRecord(value)) return broken(`It is ${said(value)}; it must be an object with ${names}.`)
  const { task_id, outcome, timestamp } = value
  if (typeof task_id !== 'string' && typeof task_id !== 'number')
    return broken(`"task_id" was ${said(task_id)}; it must be a string.`)
  if (outcome !== 'success' && outcome !== 'failure')
    return broken(`"outcome" was ${said(outcome)}; it must be success or failure.`)
  if (typeof timestamp !== 'string' || Number.isNaN(epochMs(timestamp)))
    return broken(`"timestamp" was ${said(timestamp)}; it must be a time such as "2026-01-09T12:00:00.000Z".`)
  const { problems, flagged, examples: _, ...lists } = listsIn(value, true)
  if (problems[0] !== undefined) return broken(problems[0])
  return { ok: true, learning: { task_id: shortened(oneLine(String(task_id))), outcome, timestamp, ...lists }, flagged }
}

/** A person's text for a lesson: as it will be stored, or why it is rejected. */
export function editedText(text: string): { ok: true; text: string } | { ok: false; problem: string } {
  const line = oneLine(text)
  if (line === '') return broken('A lesson needs text. To remove it, drop it.')
  if (!isWithinLength(line))
    return broken(`The text has ${line.length} characters. Make it shorter: a lesson is a sentence or two.`)
  const harm = harmIn(line)
  return harm === undefined ? { ok: true, text: line } : broken(`Agents would never see it, because ${harm}. Use other words.`)
}

type SeenWords = { problems: string[]; flagged: string[]; examples: number }

const names = '"successes", "failures" and "discoveries"'
const mostEntries = 10
const marks: Mark[] = ['kept', 'dropped', 'retired']
const broken = (problem: string) => ({ ok: false as const, problem })

function listsIn(value: Json, hasMarks: boolean): Pick<StoryLearnings, 'successes' | 'failures' | 'discoveries'> & SeenWords {
  const seen: SeenWords = { problems: [], flagged: [], examples: 0 }
  if (!['successes', 'failures', 'discoveries'].some((name) => Object.hasOwn(value, name)))
    seen.problems.push(`It has none of ${names}.`)
  const restOf = (raw: Json): { category: string; mark?: Mark } => {
    const mark = marks.find((each) => hasMarks && each === raw['mark'])
    const { category } = raw
    return { category: slugOf(typeof category === 'string' ? category : ''), ...(mark !== undefined && { mark }) }
  }
  return {
    successes: entriesIn(value, 'successes', ['pattern'], seen).map(({ raw, texts: [pattern = ''] }) => ({
      pattern,
      reusable: raw['reusable'] !== false,
      ...restOf(raw),
    })),
    failures: entriesIn(value, 'failures', ['pattern', 'lesson'], seen).map(({ raw, texts: [pattern = '', lesson = ''] }) => ({
      pattern,
      lesson,
      ...restOf(raw),
    })),
    discoveries: entriesIn(value, 'discoveries', ['description'], seen).map(({ raw, texts: [description = ''] }) => ({
      description,
      ...restOf(raw),
    })),
    ...seen,
  }
}

/** Entries that may be used. The last of its texts is the lesson; a missing list is an empty one. */
function entriesIn(value: Json, list: string, keys: string[], seen: SeenWords): { raw: Json; texts: string[] }[] {
  const items = (Object.hasOwn(value, list) ? value[list] : null) ?? []
  if (!Array.isArray(items)) seen.problems.push(`"${list}" was ${said(items)}; it must be a list.`)
  return (Array.isArray(items) ? items.slice(0, mostEntries) : []).flatMap((raw: unknown, index) => {
    const where = `${list}[${index}]`
    const wrong = wrongIn(raw, keys)
    if (wrong !== undefined || !isRecord(raw)) {
      seen.problems.push(`${where} ${wrong}`)
      return []
    }
    const whole = keys.map((key) => oneLine(String(raw[key] ?? '')))
    if (whole.some(isExample)) seen.examples += 1
    if (whole.at(-1) === '' || whole.some(isExample)) return []
    const texts = whole.map(shortened)
    // Checks the whole text and the cut one, because the cut one will be read again.
    const harm = harmIn(toldAs(whole)) ?? harmIn(toldAs(texts))
    if (harm === undefined) return [{ raw, texts }]
    seen.flagged.push(`${where} is ignored, because ${harm}: ${quoted(toldAs(texts))}`)
    return []
  })
}

function wrongIn(raw: unknown, keys: string[]): string | undefined {
  const asked = keys.map((key) => `"${key}"`).join(' and ')
  if (!isRecord(raw)) return `was ${said(raw)}; it must be an object with ${asked}.`
  const wrong = keys.find((key) => typeof (raw[key] ?? '') !== 'string')
  if (wrong !== undefined) return `has ${said(raw[wrong])} as "${wrong}"; it must be a string.`
  const [last = ''] = keys.slice(-1)
  if (!Object.hasOwn(raw, last)) return `has no "${last}"; it must have ${asked}.`
  return ['boolean', 'undefined'].includes(typeof raw['reusable'])
    ? undefined
    : `has ${said(raw['reusable'])} as "reusable"; it must be true or false.`
}

const toldAs = ([first = '', second]: string[]): string => (second === undefined ? first : failureText(first, second))

/** The template's own text, sent back: <what worked>. */
const isExample = (text: string): boolean => /^<[^<>]*>$/.test(text)

const quoted = (text: string): string => said(withoutSignals(text, ''))

function said(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent'
  return text.length > 120 ? `${text.slice(0, 119).replace(/[\ud800-\udbff]$/, '')}…` : text
}
