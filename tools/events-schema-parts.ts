// The parts of the events' schema: helpers that the compiler checks against src/core/types.ts, and shared types.

import { type Finding, type FindingRule, findingRules } from '../src/core/proof/finding.ts'
import { grades } from '../src/core/types/checks.ts'
import type { Reading } from '../src/core/types/results.ts'
import { hookNames } from '../src/core/types/words.ts'
import type * as T from '../src/core/types.ts'

/** The part of JSON Schema 2020-12 that events need. */
export type Schema = {
  $ref?: string
  type?: string
  const?: unknown
  enum?: unknown[]
  pattern?: string
  minimum?: number
  maximum?: number
  items?: Schema
  required?: string[]
  properties?: Record<string, Schema>
  additionalProperties?: Schema
  oneOf?: Schema[]
  description?: string
}
export type Optional = { optional: Schema }
export type Fields<V> = { [K in keyof V]-?: undefined extends V[K] ? Optional : Schema }

export const text: Schema = { type: 'string' }
export const yes: Schema = { type: 'boolean' }
export const number: Schema = { type: 'number' }
export const count: Schema = { type: 'integer', minimum: 0 }
export const instant: Schema = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }
export const always: Schema = { const: true }
export const texts = list(text)
export const optional = (schema: Schema): Optional => ({ optional: schema })
export const orNull = (schema: Schema): Schema => ({ oneOf: [schema, { type: 'null' }] })
export const oneOf = (...words: string[]): Schema => ({ enum: words })
/** All values of a union: a missing one does not compile. */
export const everyOf =
  <V extends string>() =>
  <const W extends readonly V[]>(words: [V] extends [W[number]] ? W : never): Schema => ({ enum: [...words] })
export const ref = (name: keyof typeof shared): Schema => ({ $ref: `#/$defs/${name}` })

export function list(items: Schema): Schema {
  return { type: 'array', items }
}

/** An object with exactly the fields of a type, checked by the compiler. */
export const objectOf = <V>(fields: Fields<V>): Schema => plainObject(fields as Record<string, Schema | Optional>)

export function plainObject(fields: Record<string, Schema | Optional>): Schema {
  const entries = Object.entries(fields)
  return {
    type: 'object',
    required: entries.flatMap(([name, schema]) => ('optional' in schema ? [] : [name])),
    properties: Object.fromEntries(entries.map(([name, schema]) => [name, 'optional' in schema ? schema.optional : schema])),
  }
}

const throttledBy = oneOf('usage-limit', 'rate', 'overload', 'unreachable', 'login')

type SignalOf<K extends T.Signal['kind']> = Extract<T.Signal, { kind: K }>
const signal = <K extends T.Signal['kind']>(kind: K, fields: Fields<Omit<SignalOf<K>, 'kind'>>): Schema =>
  plainObject({ kind: { const: kind }, ...fields })
export const signals: { [K in T.Signal['kind']]: Schema } = {
  'claimed-done': signal('claimed-done', {
    by: oneOf('promise', 'status-block', 'keywords', 'plugin', 'marker'),
    name: optional(text),
    exitSignal: yes,
    evidence: text,
  }),
  stop: signal('stop', { name: text, reason: text, evidence: text }),
  blocked: signal('blocked', { reason: text, evidence: text }),
  question: signal('question', { text, proposal: optional(plainObject({ before: text, after: text })), evidence: text }),
  asked: signal('asked', { text, evidence: text }),
  'testing-only': signal('testing-only', { evidence: text }),
  unsigned: signal('unsigned', { evidence: text }),
  unclear: signal('unclear', { evidence: text }),
  throttled: signal('throttled', { by: throttledBy, until: optional(instant), message: text }),
  error: signal('error', { hash: text, message: text, in: optional(oneOf('words', 'tool')) }),
  'permission-denied': signal('permission-denied', { tool: text }),
  unreadable: signal('unreadable', { by: oneOf('lines', 'option'), message: text }),
}

const reviewFinding: Fields<T.ReviewFinding> = {
  id: text,
  kind: oneOf('missing', 'extra', 'reason'),
  words: text,
  standing: oneOf('open', 'late', 'dismissed'),
  file: optional(text),
  line: optional(count),
}

export const shared = {
  story: objectOf<T.Story>({
    id: text,
    title: text,
    priority: number,
    passes: yes,
    dependsOn: texts,
    skip: yes,
    exitSignal: yes,
    gates: { type: 'object', additionalProperties: text },
    touches: optional(texts),
    changesTests: optional(always),
    proof: optional(everyOf<T.Grade>()(grades)),
    kind: optional(text),
    source: optional(text),
    bestOf: optional(count),
    failed: optional(objectOf<T.StoryFailure>({ branch: text, reason: text, at: text })),
    agent: optional(text),
    model: optional(text),
  }),
  plan: objectOf<T.Plan>({
    file: text,
    branch: text,
    stories: list({ $ref: '#/$defs/story' }),
    marks: oneOf('file', 'log'),
  }),
  gate: objectOf<T.Gate>({ name: text, command: text, story: optional(text), soft: optional(always) }),
  // Logs of older versions have no kinds.
  gateResult: objectOf<Omit<T.GateResult, 'kind'> & Partial<Pick<T.GateResult, 'kind'>>>({
    name: text,
    kind: optional(
      everyOf<T.CheckKind>()(['command', 'review', 'landing', 'tamper', 'commit', 'branch', 'proof', 'held-out', 'hook']),
    ),
    story: optional(text),
    soft: optional(always),
    tolerated: optional(always),
    command: text,
    passed: yes,
    exitCode: orNull({ type: 'integer' }),
    ended: oneOf('exited', 'timeout', 'stopped', 'missing'),
    durationMs: number,
    census: optional(objectOf<T.Census>({ passed: count, failed: count, skipped: count })),
    flaky: optional(texts),
    answers: optional(texts),
    findings: optional(list(objectOf<T.ReviewFinding>(reviewFinding))),
    output: text,
    outputHash: text,
  }),
  finding: objectOf<Finding>({
    rule: everyOf<FindingRule>()(findingRules),
    file: optional(text),
    line: optional(count),
    words: text,
    isCertain: optional(always),
    isBeyondChecks: optional(always),
    isDeclared: optional(always),
    id: optional(text),
  }),
  policy: objectOf<T.Policy>({
    maxIterations: count,
    maxAttempts: count,
    maxRetries: count,
    maxStuck: count,
    sameError: count,
    declinePercent: number,
    maxDenied: count,
    cooldownMinutes: number,
    doneSignals: count,
    testLoops: count,
    pick: oneOf('ralph', 'agent'),
    onLimit: oneOf('wait', 'exit', 'ask'),
    session: oneOf('fresh', 'resume'),
    budget: objectOf<T.Policy['budget']>({ costUsd: orNull(number), tokens: orNull(number), durationMs: orNull(number) }),
    decide: oneOf('stop', 'park'),
    storyMs: objectOf<T.Policy['storyMs']>({ soft: number, hard: number }),
    timeoutMultiplier: optional(number),
    only: optional(text),
    gates: list({ $ref: '#/$defs/gate' }),
    baseline: oneOf('strict', 'tolerate'),
    missingTools: optional(oneOf('stop')),
    tamper: oneOf('warn', 'refuse'),
    proof: optional(
      objectOf<NonNullable<T.Policy['proof']>>({
        suspicion: oneOf('reserve', 'ask', 'refuse'),
        minimum: everyOf<T.Grade>()(grades),
        crossExamine: oneOf('auto', 'always', 'off'),
        heldOut: optional(oneOf('flip', 'complete')),
        mutants: optional(count),
      }),
    ),
    review: objectOf<T.Policy['review']>({ spec: optional(text), quality: optional(text), final: texts }),
    learn: optional(
      objectOf<NonNullable<T.Policy['learn']>>({ agent: text, aggregateEvery: count, atEnd: optional({ const: true }) }),
    ),
    agent: text,
    fallback: optional(objectOf<NonNullable<T.Policy['fallback']>>({ implementer: texts, reviewer: texts, learner: texts })),
    workers: count,
    bestOf: optional(count),
    rivals: optional(list(objectOf<T.Rival>({ agent: text, model: optional(text) }))),
    hooks: optional(list(everyOf<T.HookName>()(hookNames))),
  }),
  repo: objectOf<T.Repo>({ head: orNull(text), tree: text, dirt: text }),
  usage: objectOf<T.Usage>({
    inputTokens: number,
    outputTokens: number,
    costUsd: orNull(number),
    cacheReadTokens: optional(number),
    cacheWriteTokens: optional(number),
  }),
  signal: { oneOf: Object.values(signals) },
  reading: objectOf<Reading>({
    status: oneOf('complete', 'in-progress', 'blocked', 'question', 'testing', 'stuck', 'unknown'),
    exitSignal: yes,
    confidence: { type: 'number', minimum: 0, maximum: 100 },
    workType: text,
    tests: text,
    reported: optional(plainObject({ tasks: optional(count), files: optional(count) })),
    evidence: texts,
    signals: list({ $ref: '#/$defs/signal' }),
  }),
} satisfies Record<string, Schema>
