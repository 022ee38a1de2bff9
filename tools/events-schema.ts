// Writes schema/events.schema.json, the contract of events.jsonl and `ralph run --json`: node tools/events-schema.ts The compiler checks it
// against src/core/types.ts: every kind, every field, and which are optional.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Survivor } from '../src/core/proof/mutants/mutation.ts'
import type { Accepting } from '../src/core/proof/reach/other-values.ts'
import type { Difference } from '../src/core/proof/reach/outside-tests/differences.ts'
import type { NearDifference } from '../src/core/proof/reach/outside-tests/near-inputs.ts'
import type { Reach } from '../src/core/proof/reach/probes.ts'
import type { Telling } from '../src/core/proof/reach/telling-parts.ts'
import type { Unheeded } from '../src/core/proof/reach/unheeded.ts'
import type { Examined } from '../src/core/types/results.ts'
import { hookNames, ruleNames } from '../src/core/types/words.ts'
import type * as T from '../src/core/types.ts'
import {
  always,
  count,
  everyOf,
  type Fields,
  instant,
  list,
  number,
  objectOf,
  oneOf,
  optional,
  orNull,
  plainObject,
  ref,
  type Schema,
  shared,
  signals,
  text,
  texts,
  yes,
} from './events-schema-parts.ts'

export const eventsSchemaPath = fileURLToPath(new URL('../schema/events.schema.json', import.meta.url))

type Own<K extends T.Event['kind']> = Fields<Omit<T.EventOf<K>, 'at' | 'run' | 'kind' | 'because'>>

const examined = objectOf<Examined>({ failing: texts, isMissing: optional(always), passing: optional(texts) })
const review = everyOf<T.Review>()(['spec', 'quality', 'final'])
const breaker = everyOf<T.BreakerState>()(['closed', 'half-open', 'open'])
const rule = everyOf<T.Rule>()(ruleNames)
const hook = everyOf<T.HookName>()(hookNames)
const exit = everyOf<T.Exit>()(['ok', 'failed', 'timeout', 'circling', 'over-budget', 'stopped', 'lost'])
const outcome = everyOf<T.Outcome>()([
  ...([
    'complete',
    'blocked',
    'question',
    'login',
    'agent-unusable',
    'limited',
    'budget',
    'testing-only',
    'gate-missing',
  ] as const),
  ...(['stuck', 'stories-failed', 'incomplete', 'interrupted'] as const),
])

const storyOrNull = orNull(text)
const repo = ref('repo')
const usage = ref('usage')
const programs = optional(
  plainObject({
    on: text,
    found: list(plainObject({ name: text, path: text, hash: text })),
    installed: optional({ type: 'object', additionalProperties: text }),
    since: optional(number),
  }),
)
const range = plainObject({ p50: number, p90: number })
const envelopes = optional(
  list(plainObject({ which: oneOf('day', 'month'), usedUsd: number, limitUsd: number, until: instant, unknown: count })),
)
const kept = optional(list(plainObject({ path: text, hash: text })))

/** `because` is what makes a kind a decision. */
const reports: { [K in T.Report['kind']]: Own<K> } = {
  'run.started': {
    log: { const: 1 },
    feature: text,
    plan: orNull(ref('plan')),
    policy: ref('policy'),
    repo,
    dirty: texts,
    left: optional(texts),
    ignored: optional(texts),
    unwatched: optional(texts),
    branch: optional(orNull(text)),
    links: optional(list(text)),
    unlearned: optional(count),
    estimate: optional(
      plainObject({
        stories: count,
        from: count,
        iterations: range,
        ms: range,
        costUsd: orNull(range),
        isGuess: optional(always),
      }),
    ),
    pid: count,
    boot: optional(text),
    settings: optional(texts),
    kept,
    programs,
  },
  'run.resumed': {
    log: optional({ const: 1 }),
    plan: orNull(ref('plan')),
    policy: ref('policy'),
    repo,
    pid: count,
    boot: optional(text),
    claims: optional(texts),
    settings: optional(texts),
    kept,
    programs,
  },
  'call.granted': { call: count, envelopes },
  'call.refused': { call: count, until: instant, by: oneOf('rate', 'usage-limit', 'budget'), envelopes },
  'iteration.ended': {
    iteration: count,
    exit,
    exitCode: orNull({ type: 'integer' }),
    reading: ref('reading'),
    signals: list(ref('signal')),
    repo,
    before: optional(repo),
    commits: texts,
    trees: texts,
    files: optional(texts),
    lines: optional(count),
    uncommitted: texts,
    hidden: optional(texts),
    taken: optional(texts),
    astray: optional(text),
    findings: optional(list(ref('finding'))),
    checks: optional(texts),
    tests: optional(texts),
    moreTests: optional(count),
    flips: texts,
    repairs: texts,
    plan: optional(ref('plan')),
    usage,
    durationMs: number,
    outputChars: count,
    summary: text,
    saidHash: optional(text),
    lessons: optional(texts),
    skills: optional(texts),
    wroteProgress: optional(yes),
    session: optional(text),
    model: optional(text),
    tools: optional(count),
    sessionCostUsd: optional(number),
    shareSpent: optional(always),
  },
  'agent.returned': { iteration: count },
  'users.found': { iteration: count, files: texts },
  'gates.ended': {
    iteration: count,
    results: list(ref('gateResult')),
    content: optional(text),
    judgedIn: optional(everyOf<T.JudgedIn>()(['clean', 'ignored', 'tree'])),
    repo: optional(repo),
    ignored: optional(texts),
    written: optional(list(plainObject({ file: text, isBack: optional({ const: true }) }))),
    asked: optional(everyOf<T.BaselineAnswer>()(['continue', 'tolerate', 'quit'])),
  },
  'examination.ended': {
    iteration: count,
    oldChecks: optional(examined),
    oldSettings: optional(objectOf<{ failing: string[]; files: string[] }>({ failing: texts, files: texts })),
    newChecks: optional(examined),
    outside: optional(
      list(
        objectOf<Difference>({
          source: text,
          test: text,
          file: text,
          line: count,
          call: text,
          expected: text,
          was: text,
          when: everyOf<Difference['when']>()(['alone', 'first', 'later', 'aged', 'story']),
          after: optional(count),
        }),
      ),
    ),
    near: optional(
      list(
        objectOf<NearDifference>({
          source: text,
          name: text,
          call: text,
          was: text,
          what: everyOf<NearDifference['what']>()(['nothing', 'same', 'copied']),
        }),
      ),
    ),
    accepting: optional(list(objectOf<Accepting>({ name: text, file: text, line: count, isWhole: optional(yes) }))),
    unheeded: optional(list(objectOf<Unheeded>({ name: text, test: text, file: text, line: count }))),
    unreached: optional(
      list(
        objectOf<Reach>({
          file: text,
          line: count,
          shown: text,
          told: everyOf<Telling>()(['surroundings', 'value', 'equal', 'assertions', 'declares', 'calls']),
          isElse: optional({ const: true }),
        }),
      ),
    ),
    problem: optional(text),
    durationMs: number,
  },
  'mutants.ended': {
    iteration: count,
    tried: count,
    killed: count,
    survivors: list(objectOf<Survivor>({ file: text, line: count, before: text, after: text })),
    problem: optional(text),
    durationMs: number,
  },
  'review.ended': {
    iteration: count,
    review,
    story: storyOrNull,
    agent: text,
    result: optional(ref('gateResult')),
    seen: optional(text),
    problem: optional(text),
    throttled: optional(signals.throttled),
    calls: optional(plainObject({ for: oneOf('blocked', 'question'), text })),
    exit,
    usage,
    durationMs: number,
    outputChars: count,
  },
  'landing.ended': {
    iteration: count,
    results: list(ref('gateResult')),
    commits: texts,
    repo,
    blocked: optional(text),
  },
  'story.put-aside': { story: text, branch: text, how: oneOf('reset', 'reverted', 'kept'), problem: optional(text), repo },
  'learning.ended': {
    story: text,
    agent: text,
    file: optional(text),
    lessons: count,
    flagged: count,
    problem: optional(text),
    isLost: optional(always),
    usage,
    durationMs: number,
  },
  'gathering.ended': { patterns: optional({ const: true }), lessons: count, due: texts, problems: texts, repo },
  'skill.ended': {
    repo,
    category: text,
    agent: text,
    path: text,
    isNew: yes,
    isRetired: optional(always),
    problem: optional(text),
    usage,
    durationMs: number,
  },
  'iteration.settled': {
    iteration: count,
    repo,
    commits: texts,
    problem: optional(text),
    results: optional(list(ref('gateResult'))),
  },
  'worktree.ready': { story: text, commit: orNull(text), problem: optional(text) },
  'branch.answered': { missing: list(plainObject({ story: text, because: text })), repo },
  'hook.ended': {
    hook,
    iteration: count,
    story: storyOrNull,
    how: oneOf('done', 'refused', 'failed', 'timeout', 'stopped', 'missing'),
    exitCode: orNull(number),
    reason: text,
    durationMs: number,
    repo: optional(repo),
  },
  'plan.changed': { plan: ref('plan') },
  'wait.ended': {},
  'limit.answered': { choice: oneOf('wait', 'exit'), by: oneOf('user', 'silence') },
  'breaker.reset': { id: optional(text) },
  said: { id: text, text },
  unblocked: { id: optional(text), note: text },
  'question.answered': { id: optional(text), text, story: optional(storyOrNull), question: optional(text), by: optional(text) },
  'criterion.amended': { story: storyOrNull, before: text, after: text, by: optional(text), problem: optional(text) },
  'branch.created': { branch: text, base: orNull(text) },
  'pull-request.started': { branch: text, base: text, remote: text, commit: text },
  'pull-request.ended': {
    branch: text,
    base: text,
    commit: text,
    url: optional(text),
    number: optional(count),
    isDraft: optional(yes),
    problem: optional(text),
  },
  'pull-request.reviewed': { number: count, round: count, sources: texts },
  'pull-request.answered': { number: count, story: text, source: text, commits: texts },
  'pause.requested': { id: text },
  'resume.requested': { id: text },
  'stop.requested': { id: optional(text), by: oneOf('user', 'SIGINT', 'SIGTERM', 'SIGHUP'), now: yes },
  'finding.dismissed': { id: optional(text), story: text, finding: text, why: optional(text), by: optional(text) },
  'story.retried': { id: optional(text), story: text, unwritten: optional(yes) },
  'story.skipped': { id: optional(text), story: text, unwritten: optional(yes) },
  noticed: { what: text, detail: text, tell: yes, repo: optional(repo), kept },
}

const decisions: { [K in T.Decision['kind']]: Own<K> } = {
  'call.requested': { call: count, role: everyOf<T.Role>()(['implementer', 'reviewer', 'learner']), agent: text },
  'iteration.started': {
    iteration: count,
    call: count,
    story: storyOrNull,
    attempt: count,
    mode: everyOf<T.Mode>()(['implement', 'fix', 'review', 'check']),
    code: text,
    shift: text,
    shifts: count,
    saves: optional(always),
    resume: optional(text),
    agent: optional(text),
    model: optional(text),
    worker: optional(count),
    candidate: optional(count),
    maxUsd: optional(number),
    ready: optional(text),
  },
  'landing.started': { iteration: count, story: text, again: optional(always) },
  'iteration.stopping': { iteration: count },
  'gates.started': { iteration: count, gates: list(ref('gate')), again: optional(always), heldOut: optional(always) },
  'examination.started': { iteration: count },
  'mutants.started': { iteration: count, most: count },
  'iteration.judged': {
    iteration: count,
    verdict: everyOf<T.Verdict>()([
      'done',
      'worked',
      'failed',
      'blocked',
      'question',
      'throttled',
      'unreadable',
      'interrupted',
      'lost',
    ]),
    progress: everyOf<T.Progress>()(['made', 'neutral', 'idle']),
    passed: texts,
    proven: yes,
    refused: texts,
    parked: optional(texts),
    failedGates: texts,
    alike: optional(count),
    claim: oneOf('none', 'accepted', 'refused', 'asked'),
    openStories: texts,
    aside: optional(text),
  },
  'review.started': {
    iteration: count,
    call: count,
    review,
    story: storyOrNull,
    agent: text,
    again: optional(text),
    maxUsd: optional(number),
  },
  'story.shelved': { story: text, branch: text },
  'story.failed': { story: text, hash: text, branch: text },
  'story.slow': { story: text },
  'learning.started': {
    story: text,
    outcome: oneOf('success', 'failure'),
    iteration: count,
    call: count,
    agent: text,
    again: optional(text),
  },
  'gathering.started': { finished: count, patterns: optional({ const: true }) },
  'skill.started': { category: text, call: count, agent: text },
  'lesson.retired': { lesson: text },
  'skill.retired': { skill: text },
  'breaker.changed': { from: breaker, to: breaker, rule: optional(rule) },
  'wait.started': { until: instant, for: oneOf('rate', 'usage-limit', 'retry') },
  'budget.warned': { which: oneOf('cost', 'tokens', 'time', 'day', 'month') },
  'limit.asked': { until: optional(instant) },
  'run.paused': {},
  'branch.asked': {},
  'worktree.requested': { story: text },
  'hook.started': { hook, iteration: count, story: storyOrNull },
  'run.ended': { outcome, reserved: optional(list(text)) },
}

export function eventsSchema(): Schema & { $defs: Record<string, Schema> } & Record<string, unknown> {
  const every = { at: instant, run: text }
  const kind = (name: string, fields: object): Schema => plainObject({ ...every, kind: { const: name }, ...fields })
  const kinds = {
    ...Object.fromEntries(Object.entries(reports).map(([name, fields]) => [name, kind(name, fields)])),
    ...Object.fromEntries(Object.entries(decisions).map(([name, fields]) => [name, kind(name, { because: text, ...fields })])),
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'An event of Ralph: a line of events.jsonl, or of what `ralph run --json` prints',
    description:
      'Log format 1. Later versions may add fields and kinds within it: ignore what you do not know. Kinds with "because" are decisions, the others reports.',
    oneOf: Object.keys(kinds).map((name) => ({ $ref: `#/$defs/${name}` })),
    $defs: { ...kinds, ...shared },
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(eventsSchemaPath, JSON.stringify(eventsSchema())) // on one line, so that the formatter breaks only long ones
  execFileSync('biome', ['format', '--write', eventsSchemaPath])
}
