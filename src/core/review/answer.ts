/** What a reviewer answers: the shape it must have, how it is read, and the gate's result that it makes. */
import { errorHash } from '../reading/reading.ts'
import type { Json } from '../text/json.ts'
import { isListOf, isText } from '../text/json.ts'
import type { GateResult, StoryId } from '../types.ts'
import { type JsonObject, jsonObjectsIn } from './json-objects.ts'

/** A story against its criteria (hard), its quality (soft), or the whole before the end. */
export type ReviewKind = 'spec' | 'quality' | 'final'

export type ReviewAnswer = {
  /** pass and warn are a quality review's; the others have all but warn. */
  verdict: 'pass' | 'fail' | 'blocked' | 'question' | 'warn'
  /** Criteria that are not met. */
  missing: string[]
  /** What was not asked for and does harm. */
  extra: string[]
  /** Of a quality review alone. */
  warnings: string[]
  /** What is in the way, the question, or a summary. */
  reason: string
}

/** `problem`: sentences for the reviewer's second try, and for people if that fails too. */
export type ReviewReading = { ok: true; answer: ReviewAnswer } | { ok: false; problem: string }

export const verdictsOf = {
  spec: ['pass', 'fail', 'blocked', 'question'],
  quality: ['pass', 'warn'],
  final: ['pass', 'fail', 'blocked', 'question'],
} as const satisfies Record<ReviewKind, ReviewAnswer['verdict'][]>

/** Strict, as structured output wants it. Findings come before the verdict: whoever writes them down first judges better. */
export function reviewSchema(kind: ReviewKind): object {
  const texts = (description: string) => ({ type: 'array', items: { type: 'string' }, description })
  const findings =
    kind === 'quality'
      ? { warnings: texts('What should be better, one each, with file and line. Empty if nothing.') }
      : {
          missing: texts('Criteria that are not met, one each, with the evidence. Empty if none.'),
          extra: texts('What was not asked for and does harm, one each, with file and line. Empty if nothing.'),
        }
  const properties = {
    ...findings,
    reason: { type: 'string', description: 'A summary; for blocked what is in the way, for question the question.' },
    verdict: { type: 'string', enum: [...verdictsOf[kind]] },
  }
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

/** The last object with a verdict counts, unless it is a pass and the message also holds a stricter one. Never throws. */
export function readReview(text: string, kind: ReviewKind): ReviewReading {
  if (text.trim() === '') return broken('The answer was empty.')
  const found = jsonObjectsIn(text)
  if (found === null) return broken('The answer holds too many braces to be read.')
  const given = found.objects.filter(({ value }) => Object.hasOwn(value, 'verdict'))
  const last = given.at(-1)
  if (last === undefined) return broken('The answer holds no valid JSON object with a "verdict".')
  // A change of mind that was cut off must not leave the first mind standing.
  if (found.brokenAt >= last.end)
    return broken('After its verdict the answer holds an object that is not valid JSON, or breaks off.')
  const reading = answerOf(last.value, kind)
  return reading.ok && reading.answer.verdict === 'pass' ? unlessContradicted(reading.answer, given, kind) : reading
}

/** What a review means as a gate. `reading` is null where there was no answer to read. */
export function reviewResult(
  { review: kind, story, agent }: { review: ReviewKind; story: StoryId | null; agent: string },
  reading: ReviewReading | null,
  { durationMs, how }: { durationMs: number; how: GateResult['ended'] },
): GateResult {
  const output = how === 'exited' ? outputOf(reading) : sayNoAnswer(agent, how)
  return {
    name: kind,
    kind: 'review',
    ...(kind !== 'final' && story !== null && { story }),
    command: `review by ${agent}`,
    passed: how === 'exited' && reading?.ok === true && reading.answer.verdict === 'pass',
    exitCode: null,
    ended: how,
    durationMs,
    output,
    outputHash: errorHash(output),
  }
}

const broken = (problem: string): ReviewReading => ({ ok: false, problem })

function answerOf(object: Json, kind: ReviewKind): ReviewReading {
  const verdict = verdictIn(object, kind)
  if (verdict === undefined)
    return broken(`"verdict" was ${said(object['verdict'])}; it must be one of ${verdictsOf[kind].join(', ')}.`)
  const keys = kind === 'quality' ? ['warnings'] : ['missing', 'extra']
  // What the form has no place for may say the opposite: "score": 2.
  const foreign = Object.keys(object).filter((key) => ![...keys, 'reason', 'verdict'].includes(key))
  if (foreign.length > 0)
    return broken(`The answer has ${foreign.map(said).slice(0, 5).join(', ')}, which its form does not have.`)
  const wrong = keys.find((key) => textsIn(object, key) === undefined)
  if (wrong !== undefined) return broken(`"${wrong}" was ${said(object[wrong])}; it must be a list of texts.`)
  const reason = object['reason'] ?? ''
  if (typeof reason !== 'string') return broken(`"reason" was ${said(reason)}; it must be a text.`)
  const answer = { verdict, ...findingsIn(object, kind), reason: reason.trim() }
  if (verdict === 'pass' && !keys.every((key) => Object.hasOwn(object, key)))
    return broken(`A pass must give ${keys.map((key) => `"${key}"`).join(' and ')} too, empty where there is no finding.`)
  return consistent(answer, kind)
}

/** An answer that says the same in its verdict and in its findings. */
function consistent(answer: ReviewAnswer, kind: ReviewKind): ReviewReading {
  const { verdict, missing, extra, warnings, reason } = answer
  const hasFindings = missing.length + extra.length + warnings.length > 0
  if (verdict === 'pass' && hasFindings) return { ok: true, answer: refused(answer, 'but it comes with findings', kind) }
  if (reason !== '' || verdict === 'pass') return { ok: true, answer }
  if (verdict === 'blocked') return broken('The verdict was blocked, without a "reason" that says what is in the way.')
  if (verdict === 'question') return broken('The verdict was question, without a question in "reason".')
  return hasFindings ? { ok: true, answer } : broken(`The verdict was ${verdict}, without a single finding and without a reason.`)
}

function unlessContradicted(answer: ReviewAnswer, given: JsonObject[], kind: ReviewKind): ReviewReading {
  const isStricter = ({ value }: JsonObject): boolean => {
    const reading = answerOf(value, kind)
    return reading.ok ? reading.answer.verdict !== 'pass' : ![undefined, 'pass'].includes(verdictIn(value, kind))
  }
  const stricter = given.findLast(isStricter)
  if (stricter === undefined) return { ok: true, answer }
  const findings = findingsIn(stricter.value, kind)
  return { ok: true, answer: refused({ ...answer, ...findings }, 'but the same message holds a stricter verdict', kind) }
}

const refused = (answer: ReviewAnswer, because: string, kind: ReviewKind): ReviewAnswer => {
  const verdict = kind === 'quality' ? 'warn' : 'fail'
  const note = `The verdict was pass, ${because}: it counts as ${verdict}.`
  return { ...answer, verdict, reason: answer.reason === '' ? note : `${note} ${answer.reason}` }
}

function verdictIn(object: Json, kind: ReviewKind): ReviewAnswer['verdict'] | undefined {
  const word = object['verdict']
  return typeof word === 'string' ? verdictsOf[kind].find((verdict) => verdict === word.trim().toLowerCase()) : undefined
}

function findingsIn(object: Json, kind: ReviewKind): Pick<ReviewAnswer, 'missing' | 'extra' | 'warnings'> {
  const of = (key: string, isAsked: boolean): string[] => (isAsked ? (textsIn(object, key) ?? []) : [])
  const isQuality = kind === 'quality'
  return { missing: of('missing', !isQuality), extra: of('extra', !isQuality), warnings: of('warnings', isQuality) }
}

/** Without blank ones; undefined: not a list of texts. A key that is not there is an empty list. */
function textsIn(object: Json, key: string): string[] | undefined {
  const value = Object.hasOwn(object, key) ? object[key] : []
  if (!isListOf(value, isText)) return undefined
  return value.map((item) => item.trim()).filter((item) => item !== '')
}

function said(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent'
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}

const mostLines = 100
const longestLine = 500

/** One line for each finding, the telling ones first. */
function outputOf(reading: ReviewReading | null): string {
  if (reading === null) return 'The reviewer gave no answer.'
  if (!reading.ok) return reading.problem
  const { verdict, missing, extra, warnings, reason } = reading.answer
  const label = { pass: '', fail: 'Reason: ', warn: 'Reason: ', blocked: 'Blocked: ', question: 'Question: ' }[verdict]
  const why = reason === '' ? [] : [`${label}${reason}`]
  const findings = [
    ...missing.map((text) => `Missing: ${text}`),
    ...extra.map((text) => `Extra: ${text}`),
    ...warnings.map((text) => `Warning: ${text}`),
  ]
  const lines = (verdict === 'fail' || verdict === 'warn' ? [...findings, ...why] : [...why, ...findings]).map(oneLine)
  const cut = lines.length - mostLines
  return (cut > 0 ? [...lines.slice(0, mostLines), `[... ${cut} lines truncated ...]`] : lines).join('\n')
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > longestLine ? `${line.slice(0, longestLine - 1)}…` : line
}

function sayNoAnswer(agent: string, how: Exclude<GateResult['ended'], 'exited'>): string {
  switch (how) {
    case 'timeout':
      return `The review by ${agent} ran into its time limit before it answered.`
    case 'stopped':
      return `The review by ${agent} was stopped before it answered.`
    case 'missing':
      return `The review by ${agent} could not be started.`
  }
}
