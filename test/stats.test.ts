/** `ralph stats`: what stories took, by agent, model and kind, over all features. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quickProjectFor, type Steps } from './support/project.ts'

const makes = (usd: number, isDone: boolean): Steps => [
  { usage: { cost: usd } },
  { append: { path: '$RALPH_STORY.txt', text: 'more\n' } },
  { commit: 'feat: $RALPH_STORY' },
  ...(isDone ? [{ flip: '$RALPH_STORY' }] : []),
  { say: 'A step.' },
]

test('stats say how many stories pass at once and what a proven one takes [R-COST-6]', async (t) => {
  const made = quickProjectFor(t, {
    stories: [
      { id: 'S-1', kind: 'fix' },
      { id: 'S-2', kind: 'fix' },
      { id: 'S-3', kind: 'docs' },
    ],
    script: { stories: { 'S-1': [makes(1, true)], 'S-2': [makes(1, false), makes(2, true)], 'S-3': [makes(0.5, true)] } },
    config: { gates: { tests: 'true' } },
  })
  assert.match((await made.run('stats')).out, /^No story is finished yet\. Start with: ralph run$/m)
  assert.equal((await made.run('run')).code, 0)
  const { agents, models, kinds } = JSON.parse((await made.run('stats', '--json')).out)
  const brief = ({ name, finished, proven, firstPass, costPerProvenUsd }: Record<string, unknown>) => [
    name,
    finished,
    proven,
    Number(Number(firstPass).toFixed(2)),
    costPerProvenUsd,
  ]
  assert.deepEqual(agents.map(brief), [['scripted', 3, 3, 0.67, 1.5]])
  assert.deepEqual(kinds.map(brief), [
    ['fix', 2, 2, 0.5, 2],
    ['docs', 1, 1, 1, 0.5],
  ])
  assert.equal(models.length, 1)
  const { out } = await made.run('stats')
  assert.match(out, /^AGENT +FINISHED +PROVEN +FIRST PASS +COST EACH +TIME EACH\nscripted +3 +3 +67 % +\$1\.50 +/m)
})
