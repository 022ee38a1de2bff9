/** A reviewer's answer: its required form, how it is read, and the resulting gate result. */
import { errorHash } from '../reading/reading.ts'
import type { Json } from '../text/json.ts'
import { isListOf, isText } from '../text/json.ts'
import type { GateResult, ReviewFinding, StoryId } from '../types.ts'
import { type EarlierReviews, findingLine, findingsAfter, isOutweighed } from './findings.ts'
import { type JsonObject, jsonObjectsIn } from './json-objects.ts'

/** A story against its criteria (hard), its quality (soft), or all changes before the end. */
export type ReviewKind = 'spec' | 'quality' | 'final'

export type ReviewAnswer = {
  /** pass and warn are for quality reviews; the others have all but warn. */
  verdict: 'pass' | 'fail' | 'blocked' | 'question' | 'warn'
  /** Criteria that are not met. */
  missing: string[]
  /** Harmful changes that nobody asked for. */
  extra: string[]
  /** Only in a quality review. */
  warnings: string[]
  /** Ids of findings of the last review that are fixed. */
  fixed: string[]
  /** About each suspicion and each survivor that it was asked about, in order; empty: it says nothing about that one. */
  answers: string[]
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

type ReviewSchema = { type: 'object'; properties: object; required: string[]; additionalProperties: false }

/** Strict, as structured output requires. Findings come before the verdict, because writing them down first improves the judgement. */
export function reviewSchema(kind: ReviewKind, { hasQuestions = false, hasEarlier = false } = {}): ReviewSchema {
  const texts = (description: string) => ({ type: 'array', items: { type: 'string' }, description })
  const findings =
    kind === 'quality'
      ? { warnings: texts('What should be better, one per entry, with file and line. May be empty.') }
      : {
          missing: texts('Criteria that are not met, one per entry, with the evidence. May be empty.'),
          extra: texts('Harmful changes that nobody asked for, one per entry, with file and line. May be empty.'),
        }
  const answers =
    hasQuestions && kind !== 'quality'
      ? {
          answers: texts('One per numbered question of the prompt, in order: why the story calls for it, or why it is harmless.'),
        }
      : {}
  const fixed =
    hasEarlier && kind === 'spec'
      ? { fixed: texts('Ids of the earlier findings in the prompt that are fixed now. May be empty.') }
      : {}
  const needed = {
    ...findings,
    ...answers,
    reason: { type: 'string', description: 'A summary; for blocked: what is in the way; for question: the question.' },
    verdict: { type: 'string', enum: [...verdictsOf[kind]] },
  }
  // A reviewer that lists none says that none is fixed: no reason to ask again.
  return { type: 'object', properties: { ...fixed, ...needed }, required: Object.keys(needed), additionalProperties: false }
}

/** The last object with a verdict counts, unless it is a pass and the message also has a stricter one. Never throws. */
export function readReview(text: string, kind: ReviewKind): ReviewReading {
  if (text.trim() === '') return broken('The answer was empty.')
  const found = jsonObjectsIn(text)
  if (found === null) return broken('The answer has too many braces to read.')
  const given = found.objects.filter(({ value }) => Object.hasOwn(value, 'verdict'))
  const last = given.at(-1)
  if (last === undefined) return broken('The answer has no valid JSON object with a "verdict".')
  // If a corrected answer was cut off, the first one must not count.
  if (found.brokenAt >= last.end)
    return broken('After its verdict, the answer has an object that is not valid JSON or is cut off.')
  const reading = answerOf(last.value, kind)
  return reading.ok && reading.answer.verdict === 'pass' ? unlessContradicted(reading.answer, given, kind) : reading
}

/** A review as a gate result. `reading` is null if there was no answer. `earlier`: of the same story; absent: this one is the first. */
export function reviewResult(
  { review: kind, story, agent }: { review: ReviewKind; story: StoryId | null; agent: string },
  reading: ReviewReading | null,
  { durationMs, how, earlier = noEarlier }: { durationMs: number; how: GateResult['ended']; earlier?: EarlierReviews },
): GateResult {
  const judged = how === 'exited' && kind === 'spec' && reading?.ok === true && isJudged(reading.answer) ? reading.answer : null
  const findings = judged === null ? undefined : findingsAfter(judged, earlier).map(asLines)
  const output = how === 'exited' ? outputOf(reading, findings) : sayNoAnswer(agent, how)
  return {
    name: kind,
    kind: 'review',
    ...(kind !== 'final' && story !== null && { story }),
    command: `review by ${agent}`,
    passed:
      how === 'exited' &&
      reading?.ok === true &&
      (reading.answer.verdict === 'pass' || (findings !== undefined && isOutweighed(findings))),
    exitCode: null,
    ended: how,
    durationMs,
    ...(reading?.ok === true && reading.answer.answers.length > 0 ? { answers: reading.answer.answers.map(oneLine) } : {}),
    ...(findings === undefined ? {} : { findings: findings.slice(0, mostLines) }),
    output,
    outputHash: errorHash(output),
  }
}

/** The others need a person first. */
const isJudged = ({ verdict }: ReviewAnswer): boolean => verdict === 'pass' || verdict === 'fail'
const asLines = (finding: ReviewFinding): ReviewFinding => ({ ...finding, words: lineWithin(finding.words, longestWords) })
const noEarlier: EarlierReviews = { open: [], dismissed: [], changed: null }

const broken = (problem: string): ReviewReading => ({ ok: false, problem })

function answerOf(object: Json, kind: ReviewKind): ReviewReading {
  const verdict = verdictIn(object, kind)
  if (verdict === undefined) return broken(`"verdict" was ${said(object['verdict'])}; use one of ${verdictsOf[kind].join(', ')}.`)
  const keys = kind === 'quality' ? ['warnings'] : ['missing', 'extra']
  // An unknown field may say the opposite: "score": 2.
  const foreign = Object.keys(object).filter((key) => ![...keys, 'fixed', 'answers', 'reason', 'verdict'].includes(key))
  if (foreign.length > 0) return broken(`The answer has ${foreign.map(said).slice(0, 5).join(', ')}, which is not a known field.`)
  const wrong = keys.find((key) => textsIn(object, key) === undefined)
  if (wrong !== undefined) return broken(`"${wrong}" was ${said(object[wrong])}; it must be a list of strings.`)
  const reason = object['reason'] ?? ''
  if (typeof reason !== 'string') return broken(`"reason" was ${said(reason)}; it must be a string.`)
  const given = object['answers'] ?? []
  const answers = isListOf(given, isText) ? given.map((text) => text.trim()) : []
  const fixed = isListOf(object['fixed'], isText) ? object['fixed'].map((id) => id.replace(/[\s[\]]/g, '').toLowerCase()) : []
  const answer = { verdict, ...findingsIn(object, kind), fixed, answers, reason: reason.trim() }
  if (verdict === 'pass' && !keys.every((key) => Object.hasOwn(object, key)))
    return broken(`A pass must give ${keys.map((key) => `"${key}"`).join(' and ')} too, which may be empty.`)
  return consistent(answer, kind)
}

/** Whether verdict and findings agree. */
function consistent(answer: ReviewAnswer, kind: ReviewKind): ReviewReading {
  const { verdict, missing, extra, warnings, reason } = answer
  const hasFindings = missing.length + extra.length + warnings.length > 0
  if (verdict === 'pass' && hasFindings) return { ok: true, answer: refused(answer, 'but it comes with findings', kind) }
  if (reason !== '' || verdict === 'pass') return { ok: true, answer }
  if (verdict === 'blocked') return broken('The verdict was blocked, but "reason" does not say what is in the way.')
  if (verdict === 'question') return broken('The verdict was question, but "reason" has no question.')
  return hasFindings ? { ok: true, answer } : broken(`The verdict was ${verdict}, but it has no finding and no reason.`)
}

function unlessContradicted(answer: ReviewAnswer, given: JsonObject[], kind: ReviewKind): ReviewReading {
  const isStricter = ({ value }: JsonObject): boolean => {
    const reading = answerOf(value, kind)
    return reading.ok ? reading.answer.verdict !== 'pass' : ![undefined, 'pass'].includes(verdictIn(value, kind))
  }
  const stricter = given.findLast(isStricter)
  if (stricter === undefined) return { ok: true, answer }
  const findings = findingsIn(stricter.value, kind)
  return { ok: true, answer: refused({ ...answer, ...findings }, 'but the same message has a stricter verdict', kind) }
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

/** Without blank ones; undefined: not a list of strings. A missing key is an empty list. */
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
/** With a label before it and an id after it, it is still such a line. */
const longestWords = 430

/** One line per finding, the most important first. */
function outputOf(reading: ReviewReading | null, findings: ReviewFinding[] = []): string {
  if (reading === null) return 'The reviewer gave no answer.'
  if (!reading.ok) return reading.problem
  const { verdict, missing, extra, warnings, reason } = reading.answer
  const label = { pass: '', fail: 'Reason: ', warn: 'Reason: ', blocked: 'Blocked: ', question: 'Question: ' }[verdict]
  const why = reason === '' ? [] : [`${label}${reason}`]
  const listed =
    findings.length > 0
      ? findings.map(findingLine)
      : [
          ...missing.map((text) => `Missing: ${text}`),
          ...extra.map((text) => `Extra: ${text}`),
          ...warnings.map((text) => `Warning: ${text}`),
        ].map(oneLine)
  const reasons = findings.some(({ kind }) => kind === 'reason') ? [] : why.map(oneLine)
  const lines = verdict === 'fail' || verdict === 'warn' ? [...listed, ...reasons] : [...reasons, ...listed]
  const cut = lines.length - mostLines
  return (cut > 0 ? [...lines.slice(0, mostLines), `[... ${cut} lines truncated ...]`] : lines).join('\n')
}

const oneLine = (text: string): string => lineWithin(text, longestLine)

function lineWithin(text: string, longest: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line
}

function sayNoAnswer(agent: string, how: Exclude<GateResult['ended'], 'exited'>): string {
  switch (how) {
    case 'timeout':
      return `The review by ${agent} timed out before it answered.`
    case 'stopped':
      return `The review by ${agent} was stopped before it answered.`
    case 'missing':
      return `The review by ${agent} could not be started.`
  }
}
