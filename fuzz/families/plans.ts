/** Plans: prd.json, tasks.json, tasks.yaml and fix_plan.md, and what an agent or Ralph does to them. */
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { stringify } from 'yaml'
import { takeEdits } from '../../src/adapters/plan/agent-edits.ts'
import { withFailed, withNotes, withPasses, withSkip } from '../../src/adapters/plan/change-story.ts'
import { type PlanFile, parsePlan, planFileNames, scanPlan } from '../../src/adapters/plan/parse-plan.ts'
import { EXIT, Failure } from '../../src/core/failure.ts'
import { family, orRefusal } from '../family.ts'
import { mutated, mutatedJson, nastyText } from '../nasty.ts'

type Text = { file: string; text: string; choice: number }

const name = fc.oneof(
  { weight: 4, arbitrary: fc.stringMatching(/^[A-Za-z][\w .:#-]{0,10}[a-z0-9]$/) },
  { weight: 1, arbitrary: nastyText },
)
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
/** Most are right, or few plans would be looked at any further. */
const oneLine = fc.oneof(
  { weight: 12, arbitrary: fc.stringMatching(/^[A-Za-z][\w .:#-]{0,10}[a-z0-9]$/) },
  { weight: 1, arbitrary: nastyText },
)
const story = fc.record(
  {
    title: oneLine,
    description: name,
    acceptanceCriteria: fc.array(name, { maxLength: 2 }),
    priority: fc.integer({ min: 0, max: 9 }),
    passes: fc.boolean(),
    status: fc.constantFrom('done', 'pending', 'completed', 'in progress', 'passed'),
    notes: name,
    skip: fc.boolean(),
    exitSignal: fc.boolean(),
    gates: fc.dictionary(name, name, { maxKeys: 2 }),
    failed: fc.record({ branch: name, reason: name, at: name }),
    ownField: fc.jsonValue({ maxDepth: 2 }),
  },
  { requiredKeys: ['title'] },
)
const stories = fc
  .uniqueArray(oneLine, { minLength: 1, maxLength: 4 })
  .chain((ids) => fc.tuple(...ids.map((id) => fc.tuple(fc.constant(id), story, fc.nat({ max: 3 })))))
  .map((rows) =>
    rows.map(([id, fields, waits], place) => ({
      id,
      ...fields,
      ...(waits === 0 && place > 0 && { dependsOn: [rows[place - 1]![0]] }),
    })),
  )
const plan = (list: string) =>
  fc.record({ feature: name, branchName: maybe(name), stories }).map(({ stories: all, ...head }) => ({ ...head, [list]: all }))

const indent = fc.constantFrom<number | string>(0, 1, 2, 4, '\t')
const json = (list: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.oneof(plan(list), mutatedJson(plan(list))), indent)
    .map(([value, space]) => JSON.stringify(value, null, space) ?? '')
const yaml = fc
  .tuple(fc.oneof(plan('tasks'), mutatedJson(plan('tasks'))), fc.constantFrom('any', 'block', 'flow'), fc.boolean())
  .map(
    ([value, collectionStyle, hasComment]) =>
      `${hasComment ? '# a plan\n' : ''}${stringify(value, { collectionStyle: collectionStyle as 'any' })}${hasComment ? '# end\n' : ''}`,
  )
const line = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.nat({ max: 3 }), fc.constantFrom('-', '*', '+', '1.', '2)'), fc.constantFrom(' ', 'x', 'X', '\t', 'v1', ''), name)
      .map(([depth, bullet, box, title]) => `${'  '.repeat(depth)}${bullet} [${box}] ${title}`),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom('', '> ', '### ', '\u200b', '| ', 'text ', '- '),
        fc.constantFrom('- ', '-', '', '1.', '• ', '-\u00a0'),
        fc.constantFrom('[ ]', '[~]', '[-]', '[]', '[\u00a0]', '[ x ]', '［ ］', '\\[ \\]', '[✓]', '[\u200b]'),
        fc.constantFrom('', ' ', '\t'),
        name,
      )
      .map((parts) => parts.join('')),
  },
  fc.constantFrom(
    '',
    '# Plan',
    '## Optional',
    '### Part',
    'Text',
    '  text',
    '- group',
    '```',
    '~~~',
    '<!--',
    '-->',
    '---',
    '===',
    '\t- [ ] tab',
  ),
)
const checklist = fc.array(line, { maxLength: 10 }).map((lines) => lines.join('\n'))

const jsonWords = [
  '"passes": true',
  '"passes":true,',
  '"status":"done",',
  '{"id":"N","title":"n","passes":true},',
  '"id"',
  '"__proto__": {"passes": true},',
  '"userStories": [',
  '"tasks": [',
  '"skip": true,',
]
const yamlWords = [
  'passes: true',
  'status: done',
  '\n- {id: N, title: n, passes: true}',
  'tasks:',
  '&a ',
  '*a',
  '<<: *a',
  '? ',
  ': |\n',
  '!!bool "true"',
  '\n---\n',
  '\t',
  '"d\\x6fne"',
  '%YAML 1.1\n---\n',
]
const listWords = ['- [x] ', '- [ ] ', '[x]', '* [X] ', '## Optional\n', '```\n', '<!-- ', ' -->', '\n\n']

const document: fc.Arbitrary<{ file: string; text: string }> = fc.oneof(
  mutated(json('userStories'), jsonWords).map((text) => ({ file: 'prd.json', text })),
  mutated(json('tasks'), jsonWords).map((text) => ({ file: 'tasks.json', text })),
  mutated(yaml, yamlWords).map((text) => ({ file: 'tasks.yaml', text })),
  mutated(checklist, listWords).map((text) => ({ file: 'fix_plan.md', text })),
  fc.record({ file: fc.constantFrom(...planFileNames), text: nastyText }),
)

export const plans = family<Text>({
  name: 'plans',
  what: 'plan files in every format: read, and marked by Ralph',
  weight: 6,
  inputs: fc.tuple(document, fc.nat({ max: 9 })).map(([{ file, text }, choice]) => ({ file, text, choice })),
  async check({ file, text, choice }) {
    const read = await readOrRefused(file, text)
    if (read === undefined) return
    assertNothingGained(read)
    assertNothingSilent(read)
    const { stories } = read.plan
    const { id, passes, skip } = stories[choice % stories.length]!
    await assertChanges(
      read,
      id,
      () => withPasses(read, id, !passes),
      (old) => ({ ...old, passes: !passes }),
    )
    await assertChanges(
      read,
      id,
      () => withSkip(read, id, !skip),
      (old) => (read.plan.marks === 'log' ? old : { ...old, skip: !skip }),
    )
    await assertChanges(
      read,
      id,
      () => withNotes(read, id, text.slice(0, 50)),
      (old) => old,
    )
    const failed = { branch: 'wip', reason: text.slice(0, 50), at: '' }
    await assertChanges(
      read,
      id,
      () => withFailed(read, id, failed),
      (old) => (read.plan.marks === 'log' ? old : { ...old, failed }),
    )
  },
})

export const planEdits = family<Text & { after: string; pick: 'ralph' | 'agent' }>({
  name: 'plan-edits',
  what: 'a plan before and after an agent: which edits are accepted, and which are corrected',
  weight: 4,
  inputs: fc
    .oneof(
      json('userStories').chain((text) => edited('prd.json', text, jsonWords)),
      yaml.chain((text) => edited('tasks.yaml', text, yamlWords)),
      checklist.chain((text) => edited('fix_plan.md', text, listWords)),
      fc.tuple(document, document).map(([before, after]) => ({ ...before, after: after.text })),
    )
    .chain((texts) =>
      fc
        .record({ pick: fc.constantFrom('ralph' as const, 'agent' as const), choice: fc.nat({ max: 9 }) })
        .map((more) => ({ ...texts, ...more })),
    ),
  async check({ file, text, after, pick, choice }) {
    const before = await readOrRefused(file, text)
    if (before === undefined) return
    const { stories } = before.plan
    const named = stories[choice % stories.length]!.id
    const { plan, flips, repairs, isRejected } = await takeEdits(before, after, { pick, story: choice > 7 ? null : named })
    assert.deepEqual(await parsePlan(file, plan.text), plan, 'what was taken can be read')
    const wereDone = stories.filter((one) => one.passes).map((one) => one.id)
    const done = plan.plan.stories.filter((one) => one.passes).map((one) => one.id)
    assert.deepEqual(new Set(done), new Set([...wereDone, ...flips]), 'done is what was done, and what was flipped')
    if (pick === 'ralph' && choice <= 7)
      assert.ok(
        flips.every((id) => id === named),
        'only the named story flips',
      )
    assert.ok(flips.length === 0 || holdsDone(file, after) > 0, 'no flip out of a text without one')
    assert.deepEqual(
      stories.filter((one) => !plan.plan.stories.some((other) => other.id === one.id)),
      [],
      'no story is lost',
    )
    if (isRejected) assert.notEqual(repairs.length, 0, 'a rejection says why')
    if (repairs.length === 0) assert.equal(plan.text, after, 'without repairs the text stays')
  },
})

const edited = (file: string, text: string, words: string[]) =>
  mutated(fc.constant(text), words).map((after) => ({ file, text, after }))

/** Undefined: refused, with its place and the right exit code. */
async function readOrRefused(file: string, text: string): Promise<PlanFile | undefined> {
  const read = await orRefusal(() => parsePlan(file, text))
  if (!(read instanceof Failure)) return read
  assert.equal(read.exit, EXIT.data)
  assert.match(read.message, new RegExp(`^${file.replace('.', '\\.')}:[1-9]\\d*:[1-9]\\d*: \\S`))
  return undefined
}

/** By other means than the program's: JSON.parse where it can be asked, else no more passes than words that could mean one. */
function assertNothingGained({ file, text, plan: { stories } }: PlanFile): void {
  const passing = stories.filter((one) => one.passes)
  assert.ok(passing.length <= holdsDone(file, text), `${passing.length} pass, and the text does not hold as many`)
  if (!file.endsWith('.json')) return
  const value = JSON.parse(text.replace(/^\uFEFF+/, ''))
  const names = file === 'prd.json' ? ['userStories', 'tasks'] : ['tasks', 'userStories']
  const list: { id: string; passes?: unknown; status?: unknown }[] = value[names.find((one) => Object.hasOwn(value, one))!]
  const meant = list.filter(
    ({ passes, status }) =>
      passes === true || ((passes ?? null) === null && /^\s*(done|completed?|passed)\s*$/i.test(String(status))),
  )
  assert.deepEqual(
    passing.map((one) => one.id),
    meant.map((one) => one.id),
  )
}

/** A line of a checklist that begins as an open item does is one, or is named: whatever stands before the box. */
function assertNothingSilent({ file, text, plan: { stories }, warnings }: PlanFile): void {
  if (!file.endsWith('.md') || /```|~~~|<!--/.test(text)) return
  const open = text.split(/\r\n|\n|\r/).filter((line) => /^[\s>#]*(?:[-*+]|\d\.)?\s*\[(?: |~|-|\u00a0)\]\s*\p{L}/u.test(line))
  const told = stories.filter((one) => !one.passes).length + warnings.length
  assert.ok(open.length <= told, `${open.length} open boxes, and ${told} open stories or warnings`)
}

function holdsDone(file: string, text: string): number {
  const words = file.endsWith('.md')
    ? /[[［][^[\]［］]{0,9}[xXｘＸ✓✔✅☑][^[\]［］]{0,9}[\]］]/g
    : /true|done|complete|passed|\\|\*/gi
  return text.match(words)?.length ?? 0
}

type Story = PlanFile['plan']['stories'][number]

/** One story changes as it should and all else stays, unknown fields too; or the plan cannot be changed as it is written, which is told. */
async function assertChanges(
  before: PlanFile,
  id: string,
  change: () => Promise<PlanFile>,
  expected: (old: Story) => Story,
): Promise<void> {
  const after = await orRefusal(change)
  if (after instanceof Failure) return assert.equal(after.exit, EXIT.data)
  const isList = before.plan.marks === 'log'
  // An open item under "Optional" counts as skipped, a done one does not.
  const bare = (one: Story) => (isList ? { ...one, skip: false } : one)
  assert.deepEqual(
    after.plan.stories.map(bare),
    before.plan.stories.map((one) => bare(one.id === id ? expected(one) : one)),
  )
  const [was, is] = [await scanPlan(before.file, before.text), await scanPlan(after.file, after.text)]
  assert.deepEqual(is.head, was.head)
  for (const [index, entry] of was.entries.entries()) {
    const { failed: _a, skip: _b, ...old } = entry.fields
    const { failed: _c, skip: _d, ...now } = is.entries[index]!.fields
    assert.ok(isDeepStrictEqual(now, old), `the fields of ${entry.story.id} stay`)
  }
  if (before.file.endsWith('.yaml')) assert.deepEqual(after.text.match(/^#.*$/gm), before.text.match(/^#.*$/gm), 'comments stay')
}
