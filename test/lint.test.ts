/** `ralph lint`, through the built program: what it says, its exit codes, and that run and doctor say the same. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { projectFor } from './support/project.ts'

const story = (id: string, fields: object = {}) => ({
  id,
  title: `Story ${id}`,
  acceptanceCriteria: [`GET /${id} gives 200`],
  ...fields,
})

test('warnings are printed with their places, --strict makes them an error, --json has the same, and a run tells the two worst [R-IDEA-1]', async (t) => {
  const stories = [
    story('S-1', { acceptanceCriteria: ['works well', 'is user-friendly'], touches: ['src/'] }),
    story('S-2', { description: 'Uses S-1.', touches: ['docs/'] }),
  ]
  const made = projectFor(t, { stories, config: { gates: { tests: 'true' } } })
  const { code, out, err } = await made.run('lint')
  const places = ['S-1', 'works well', 'is user-friendly', 'S-2'].map((word) => {
    const before = made.read('.ralph/thing/prd.json').split(`"${word}"`)[0]!
    return `.ralph/thing/prd.json:${before.split('\n').length}:${before.length - before.lastIndexOf('\n')}`
  })
  const cannot = (part: string) => `S-1: nothing can check "${part}"; say what to run or read, and what it must show`
  const mentions = 'S-2: mentions S-1 but does not depend on it; add it to dependsOn, or reword the text'
  const expected = [
    `${places[1]}: warning: ${cannot('works well')} [unclear]`,
    `${places[2]}: warning: ${cannot('user-friendly')} [unclear]`,
    `${places[3]}: warning: ${mentions} [missing-dependency]`,
    '3 warnings in 2 stories of .ralph/thing/prd.json.',
  ]
  assert.deepEqual([code, out, err], [0, `${expected.join('\n')}\n`, ''])
  assert.equal((await made.run('lint', '--strict')).code, 65)
  const json = JSON.parse((await made.run('lint', '--json')).out)
  assert.deepEqual(
    [json.version, json.feature, json.file, json.stories, json.errors, json.warnings, json.notes],
    [1, 'thing', '.ralph/thing/prd.json', 2, 0, 3, 0],
  )
  assert.deepEqual(json.findings[2], {
    ...{ rule: 'missing-dependency', severity: 'warning', story: 'S-2', message: mentions },
    ...{ line: Number(places[3]!.split(':')[1]), column: Number(places[3]!.split(':')[2]) },
  })
  const run = await made.run('run', '--dry-run')
  assert.deepEqual(
    run.out.split('\n').filter((line) => line.startsWith('! ')),
    [
      `! ${places[1]}: ${cannot('works well')}`,
      `! ${places[2]}: ${cannot('user-friendly')}`,
      '! 1 more warning about the plan: ralph lint',
    ],
  )
})

test('run, lint and doctor say the same about a plan with errors, and all of them [R-PLAN-3]', async (t) => {
  const text = '{"userStories": [\n{"id": "S-1", "title": 7, "priority": "high"},\n{"id": "S-1", "title": "Two",}]}\n'
  const made = projectFor(t, { plan: { file: 'prd.json', text } })
  const errors = [
    '2:24: story S-1: title: found 7, expected text',
    '2:39: story S-1: priority: found the text "high", expected a number (1 is first)',
    '3:8: duplicate id S-1; each story needs its own',
    '3:30: trailing comma before }',
  ].map((line) => `.ralph/thing/prd.json:${line}`)
  const ran = await made.run('run')
  assert.deepEqual([ran.code, ran.err], [65, `ralph: ${errors.join('\n')}\n`])
  const linted = await made.run('lint')
  assert.deepEqual(
    [linted.code, linted.out],
    [
      65,
      [
        ...errors.map((line) => `${line.replace(/^(\S+:\d+:\d+): /, '$1: error: ')} [bad-plan]`),
        '4 errors in 2 stories of .ralph/thing/prd.json.',
        '',
      ].join('\n'),
    ],
  )
  const { code, out } = await made.run('doctor')
  assert.equal(code, 69)
  for (const line of errors) assert.ok(out.includes(line), line)
  assert.match(out, /→ ralph lint -f thing/)
})

test('a good plan has no problems, and what earlier runs say about a story counts', async (t) => {
  const made = projectFor(t, {
    stories: [story('S-1')],
    config: { gates: { tests: 'test ! -e S-1.txt' } },
  })
  assert.deepEqual(
    [(await made.run('lint', '--strict')).out, (await made.run('run', '-n', '3', '--max-stuck', '9')).code],
    ['No problems in 1 story of .ralph/thing/prd.json.\n', 1],
  )
  const { out } = await made.run('lint')
  assert.match(out, /: warning: S-1: failed 3 times; split it, or make its criteria more exact \[failed-often\]$/m)
})
