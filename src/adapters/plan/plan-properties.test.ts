/** What holds for any plan and any mangling of it: edits touch one value, and an agent can neither lose nor forge anything. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { stringify } from 'yaml'
import { Failure } from '../../core/failure.ts'
import { takeEdits } from './agent-edits.ts'
import { withFailed, withPasses, withSkip } from './change-story.ts'
import { type PlanFile, parsePlan, planFileNames, scanPlan } from './parse-plan.ts'

/** `keyed`: the stories whose `passes`, `status` or box is in the text. */
type Sample = { file: string; text: string; keyed: string[] }

const word = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9 "':#,{}\\[\]-]{0,12}[a-z]$/)
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const notes = fc.constantFrom('', 'one', 'two\nlines', ' # "odd": \\ {')

const storyFields = fc.record({
  title: word,
  unknown: maybe(fc.jsonValue({ maxDepth: 2 })),
  priority: maybe(fc.integer({ min: 1, max: 5 })),
  passes: maybe(fc.boolean()),
  notes: maybe(notes),
  acceptanceCriteria: maybe(fc.array(word, { maxLength: 2 })),
  skip: maybe(fc.boolean()),
  last: maybe(fc.constantFrom<unknown>('x', 'a\nb\n', 'a\n\n\n', [1], { a: [] }, null)),
})

/** Stories that depend on earlier ones alone. */
const stories = fc
  .uniqueArray(word, { minLength: 1, maxLength: 4 })
  .chain((ids) => fc.tuple(...ids.map((id) => fc.tuple(fc.constant(id), storyFields, fc.boolean()))))
  .map((rows) =>
    rows.map(([id, fields, waits], index) => ({
      id,
      ...fields,
      ...(waits && index > 0 && { dependsOn: [rows[index - 1]![0]] }),
    })),
  )

const layout = fc.record({
  indent: fc.constantFrom<number | string>(0, 1, 2, 3, '\t'),
  isCrlf: fc.boolean(),
  mark: fc.constantFrom('', '\uFEFF'),
})
const laidOut = (text: string, { isCrlf, mark }: { isCrlf: boolean; mark: string }) =>
  mark + (isCrlf ? text.replaceAll('\n', '\r\n') : text)

const keyedOf = (rows: { id: string; passes?: boolean | undefined }[]) =>
  rows.filter(({ passes }) => passes !== undefined).map(({ id }) => id)

const jsonSample = fc.record({ stories, layout, feature: word }).map(
  ({ stories, layout, feature }): Sample => ({
    file: 'prd.json',
    keyed: keyedOf(stories),
    text: laidOut(JSON.stringify({ feature, userStories: stories, after: 1 }, null, layout.indent), layout),
  }),
)

const yamlSample = fc
  .record({
    ...{ stories, layout, feature: word, isWords: fc.boolean(), collectionStyle: fc.constantFrom('any', 'block', 'flow') },
    ...{ comment: fc.constantFrom('', '# before\n'), indentSeq: fc.boolean() },
  })
  .map(({ stories, layout, feature, isWords, collectionStyle, comment, indentSeq }): Sample => {
    const tasks = stories.map(({ passes, ...story }) =>
      isWords ? { ...story, status: passes ? 'done' : 'pending' } : { ...story, passes },
    )
    const options = {
      collectionStyle: collectionStyle as 'any',
      indentSeq: indentSeq || collectionStyle === 'block',
      indent: typeof layout.indent === 'number' ? layout.indent + 1 : 2,
    }
    const text = stringify({ feature, tasks, after: 1 }, { ...options, keepUndefined: false, aliasDuplicateObjects: false })
    return {
      file: 'tasks.yaml',
      keyed: isWords ? stories.map(({ id }) => id) : keyedOf(stories),
      text: laidOut(`${comment}${text}# after\n`, layout),
    }
  })

const checklistLine = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.nat({ max: 3 }), fc.constantFrom('-', '*', '1.'), fc.constantFrom(' ', 'x', 'X'), word)
      .map(([depth, bullet, box, title]) => `${'  '.repeat(depth)}${bullet} [${box}] ${title}`),
  },
  fc.constantFrom('', '# Plan', '## Optional', '### Part', 'Text', '  text', '- group', '```', '<!--', '-->', '---', '- [v1] x'),
)
const checklistSample = fc.record({ lines: fc.array(checklistLine, { maxLength: 8 }), layout }).map(
  ({ lines, layout }): Sample => ({
    file: 'fix_plan.md',
    keyed: [],
    text: laidOut(['- [ ] first', ...lines, ''].join('\n'), layout),
  }),
)
const sample = fc.oneof(jsonSample, yamlSample, checklistSample)

test('a mark changes one span of the text and one value of the plan, and goes back to the same bytes', async () => {
  await fc.assert(
    fc.asyncProperty(sample, fc.nat(), async (sample, choice) => {
      const plan = await parsePlan(sample.file, sample.text)
      const story = plan.plan.stories[choice % plan.plan.stories.length]!
      const flipped = await withPasses(plan, story.id, !story.passes)
      const isList = plan.plan.marks === 'log'
      const before = await scanPlan(plan.file, plan.text)
      const after = await scanPlan(plan.file, flipped.text)
      const expected = before.entries.map((entry) => ({
        ...entry.story,
        passes: entry.story.id === story.id ? !story.passes : entry.story.passes,
      }))
      const skipLess = (stories: object[]) => stories.map((other) => ({ ...other, ...(isList && { skip: false }) }))
      assert.deepEqual(skipLess(after.entries.map((entry) => entry.story)), skipLess(expected))
      assert.deepEqual(untouched(flipped, after), untouched(plan, before))
      const back = await withPasses(flipped, story.id, story.passes)
      if (isList) assert.equal(back.text.toLowerCase(), plan.text.toLowerCase())
      if (!isList && !sample.keyed.includes(story.id)) return
      assert.match(spanOf(plan.text, flipped.text), /^[a-z ]{1,7}$/)
      if (!isList) assert.equal(back.text, plan.text)
    }),
    { numRuns: 150 },
  )
})

test('failed and skip come and go, and nothing else changes', async () => {
  await fc.assert(
    fc.asyncProperty(sample, fc.nat(), fc.string(), async (sample, choice, reason) => {
      const plan = await parsePlan(sample.file, sample.text)
      const { id, skip } = plan.plan.stories[choice % plan.plan.stories.length]!
      const failed = await withFailed(plan, id, { branch: 'wip', reason, at: '' })
      assert.equal((await withFailed(failed, id, undefined)).text, plan.text)
      const skipped = await withSkip(failed, id, !skip)
      assert.equal(
        (await withFailed(await withSkip(skipped, id, skip), id, undefined)).plan.stories.length,
        plan.plan.stories.length,
      )
      assert.deepEqual((await withFailed(await withSkip(skipped, id, skip), id, undefined)).plan, plan.plan)
    }),
    { numRuns: 80 },
  )
})

const snippet = fc.oneof(
  fc.constantFrom(
    'true',
    'false',
    '"passes": true',
    'passes: true',
    'status: done',
    '[x]',
    '[ ]',
    '- [x] new',
    '\n',
    ',',
    '"',
    '}',
    ']',
    '{',
    ':',
  ),
  fc.constantFrom(
    '{"id": "new", "title": "n", "passes": true},',
    '\n  - {id: new, title: n, passes: true}',
    '"id"',
    '"skip": true,',
    '  ',
  ),
  fc.string({ maxLength: 4 }),
)
type Mutation = { at: number; length: number; snippet: string; isSwap: boolean }
const mutation: fc.Arbitrary<Mutation> = fc.record({ at: fc.nat(), length: fc.nat({ max: 30 }), snippet, isSwap: fc.boolean() })

/** A word turned into its opposite, or a stretch of text replaced by another. */
function mutated(text: string, { at, length, snippet, isSwap }: Mutation): string {
  const start = at % (text.length + 1)
  if (!isSwap) return text.slice(0, start) + snippet + text.slice(start + (length > 15 ? length - 15 : 0))
  const opposite: Record<string, string> = {
    false: 'true',
    true: 'false',
    pending: 'done',
    done: 'open',
    '[ ]': '[x]',
    '[x]': '[ ]',
    title: 'notes',
  }
  return (
    text.slice(0, start) + text.slice(start).replace(/false|true|pending|done|\[ \]|\[x\]|title/, (found) => opposite[found]!)
  )
}

/** The stories shuffled, dropped, doubled and marked, in good JSON. */
const rearranged = fc.record({
  order: fc.array(fc.nat(), { minLength: 1, maxLength: 6 }),
  marks: fc.array(fc.boolean()),
  extra: maybe(word),
})
function rearrange(
  text: string,
  { order, marks, extra }: { order: number[]; marks: boolean[]; extra: string | undefined },
): string {
  const plan = JSON.parse(text.replace('\uFEFF', ''))
  const all: object[] = plan.userStories
  plan.userStories = order.map((at, index) => ({
    ...all[at % all.length],
    ...(marks[index] !== undefined && { passes: marks[index] }),
  }))
  if (extra !== undefined)
    plan.userStories.push({ id: extra, title: extra, passes: true, dependsOn: [extra.length > 5 ? extra : order[0]] })
  return JSON.stringify(plan)
}

const edit = fc.oneof(
  fc
    .tuple(sample, fc.array(mutation, { minLength: 1, maxLength: 4 }))
    .map(([before, mutations]) => ({ before, after: mutations.reduce(mutated, before.text) })),
  fc.tuple(jsonSample, rearranged).map(([before, how]) => ({ before, after: rearrange(before.text, how) })),
  fc.tuple(sample, mutation).map(([before, how]) => ({ before, after: mutated(before.text, { ...how, isSwap: true }) })),
  fc.tuple(sample, sample).map(([before, other]) => ({ before, after: other.text })),
)

test('R-PLAN-4 R-PLAN-6 whatever an agent does to the plan, nothing is lost, forged or reopened', async () => {
  const outcomes = { kept: 0, rebuilt: 0, flips: 0, added: 0 }
  await fc.assert(
    fc.asyncProperty(
      edit,
      fc.constantFrom('ralph', 'agent'),
      maybe(fc.nat()),
      async ({ before: { file, text }, after }, pick, choice) => {
        const before = await parsePlan(file, text)
        const { stories } = before.plan
        const story = choice === undefined ? null : stories[choice % stories.length]!.id
        const result = await takeEdits(before, after, { pick: pick as 'ralph' | 'agent', story })

        const open = stories.filter((other) => !other.passes).map((other) => other.id)
        const mayFlip = pick === 'ralph' && story !== null ? open.filter((id) => id === story) : open
        assert.deepEqual(
          result.flips.filter((id) => !mayFlip.includes(id)),
          [],
        )
        const now = await parsePlan(file, result.plan.text)
        assert.deepEqual(now, result.plan)
        const known = new Set(stories.map((other) => other.id))
        const passing = now.plan.stories.filter((other) => other.passes).map((other) => other.id)
        assert.deepEqual(
          new Set(passing),
          new Set([...stories.filter((other) => other.passes).map((other) => other.id), ...result.flips]),
        )

        const scanned = await scanPlan(file, text)
        const rescanned = await scanPlan(file, result.plan.text)
        const kept = { ...rescanned, entries: rescanned.entries.filter((entry) => known.has(entry.story.id)) }
        assert.deepEqual(withoutNotes(untouched(now, kept)), withoutNotes(untouched(before, scanned)))
        if (result.repairs.length === 0) assert.equal(result.plan.text, after)
        if (result.isRejected) assert.notEqual(result.repairs.length, 0)
        outcomes[result.isRejected ? 'rebuilt' : 'kept']++
        outcomes.flips += result.flips.length
        outcomes.added += now.plan.stories.length - stories.length
      },
    ),
    { numRuns: 400 },
  )
  // The property would say little if the worlds it tries never came to these.
  for (const [outcome, count] of Object.entries(outcomes)) assert(count > 0, `${outcome}: ${count}`)
})

test('any text is a plan or a failure with its place', async () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc.tuple(sample, mutation).map(([{ text }, how]) => mutated(text, how)),
  )
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...planFileNames), text, async (file, text) => {
      const outcome = await parsePlan(file, text).catch((error: unknown) => error)
      if (!(outcome instanceof Failure)) return assert.notEqual((outcome as PlanFile).plan.stories.length, 0)
      assert.equal(outcome.exit, 65)
      assert.match(outcome.message, new RegExp(`^${file}:[1-9]\\d*:[1-9]\\d*: `))
    }),
    { numRuns: 300 },
  )
})

/** Everything that a mark must not change. */
const untouched = (plan: PlanFile, { head, entries }: Awaited<ReturnType<typeof scanPlan>>) => ({
  head,
  branch: plan.plan.branch,
  stories: entries.map((entry) => ({ id: entry.story.id, fields: entry.fields, notes: entry.text.notes })),
})
const withoutNotes = ({ stories, ...rest }: ReturnType<typeof untouched>) => ({
  ...rest,
  stories: stories.map(({ notes, ...story }) => story),
})

/** What of the second text is not in the common beginning or end. */
function spanOf(before: string, after: string): string {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start++
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++
  return after.slice(start, after.length - end)
}
