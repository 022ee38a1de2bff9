import assert from 'node:assert/strict'
import { test } from 'node:test'
import { initialState, noStory } from '../../core/evolve/initial.ts'
import type { State } from '../../core/state.ts'
import type { Story } from '../../core/types.ts'
import { pullRequestBody, pullRequestTitle, withOwnPart } from './pull-request.ts'

const place = {
  forge: 'github',
  host: 'github.com',
  repository: 'ann/shop',
  commit: 'c'.repeat(40),
  closing: [] as { commit: string; words: string }[],
} as const
const story = (id: string, more: Partial<Story> = {}): Story => ({
  ...{ id, title: `Title of ${id}`, priority: 1, passes: true, dependsOn: [], skip: false, exitSignal: false, gates: {} },
  ...more,
})
const stateOf = (stories: Story[], more: Partial<State> = {}): State => ({
  ...initialState,
  feature: 'wishes',
  run: 'run-1',
  plan: { file: 'prd.json', branch: 'feature/wishes', marks: 'file', stories },
  ...more,
})
const bodyOf = (stories: Story[], more: Partial<State> = {}): string => pullRequestBody(stateOf(stories, more), place)

test('an issue is closed once all its stories are done, by the name that it has there', () => {
  const here = 'https://github.com/ann/shop/issues/7'
  const closing = (stories: Story[]): string[] =>
    bodyOf(stories)
      .split('\n')
      .filter((line) => /^(Closes|Fixes|For|Part of) /.test(line))
  assert.deepEqual(closing([story('A', { source: here }), story('B', { source: here, skip: true, passes: false })]), [
    'Closes #7',
  ])
  assert.deepEqual(closing([story('A', { source: here }), story('B', { source: here, passes: false })]), [
    'Part of #7, which has open stories',
  ])
  assert.deepEqual(
    closing(
      [
        'https://github.com/ann/other/issues/8',
        'https://gitlab.com/g/shop/-/issues/9',
        'https://linear.app/acme/issue/ENG-12/x',
        'https://acme.atlassian.net/browse/SHOP-3',
        'beads:bd-1',
        'Closes #1',
      ].map((source, place) => story(`S-${place}`, { source })),
    ),
    ['Closes ann/other#8', 'Closes https://gitlab.com/g/shop/-/issues/9', 'Fixes ENG-12', 'For SHOP-3', 'For bd-1'],
  )
})

test('what a reviewer must see: reservations, questions, what is not done, and commits that close issues', () => {
  const proof = {
    grade: 'gated',
    reservations: [{ rule: 'test-deleted', words: 'test deleted: closes #9', file: 'a.test.ts', line: 3 }],
    examined: 'no',
  } as const
  const receipt = { iteration: 1, proven: false, commits: [], tree: '', gates: [], agent: 'a', costUsd: 0.5, given: false, proof }
  const body = pullRequestBody(
    stateOf([story('A'), story('B', { passes: false, failed: { branch: '', reason: 'tests fail', at: '' } })], {
      stories: { A: { ...noStory, costUsd: 0.5, receipt: receipt as never } },
      questions: [{ question: 'Which <b>way</b>, @ann?', iteration: 1, story: 'B' }],
    }),
    { ...place, closing: [{ commit: 'd'.repeat(40), words: 'Closes #12' }] },
  ).replaceAll('\u200b', '')
  assert.match(body, /### Reservations: please look at these\n\n- A: test deleted: closes #9 \\\(a\.test\.ts:3\\\)\n/)
  assert.match(body, /### Open questions\n\n- B: Which \\<b\\>way\\<\/b\\>, @ann\?\n/)
  assert.match(body, /### Not done\n\n- B Title of B \(failed: tests fail\)\n/)
  assert.match(body, /### Commit messages that mention issues\n\n- ddddddd: Closes #12\n/)
  assert.match(body, /^Gates: none\. Cost: \$0\.50, 0 iterations\.$/m)
})

test('a feature without a plan has no count of stories', () => {
  const outcome = { outcome: 'complete', because: 'the agent claimed done, and every gate passes' } as const
  assert.match(
    pullRequestBody({ ...stateOf([]), plan: null, outcome }, place),
    /^<!-- ralph:begin -->\n\nThe agent claimed done, and every gate passes\.\n\nGates: /,
  )
})

test('a plan of thousands of stories fits into what a forge takes', () => {
  const body = bodyOf(Array.from({ length: 3000 }, (_, place) => story(`S-${place}`, { title: '*'.repeat(300) })))
  assert.equal(body.length < 60_000, true)
  assert.match(body, /\d+ more: `ralph report`/)
})

test('only its own part of a text is replaced; who removed the marks does not want it', () => {
  const own = bodyOf([story('A')])
  assert.equal(withOwnPart('', own), own)
  assert.equal(withOwnPart(`before\n${bodyOf([])}\nafter`, own), `before\n${own}\nafter`)
  assert.equal(withOwnPart('mine', own), 'mine')
})

test('the title is the plan’s description, else its only story, else the feature; it closes nothing', () => {
  const state = stateOf([story('A')])
  assert.equal(pullRequestTitle(state, 'Wish lists\n\nmore'), 'Wish lists')
  assert.equal(pullRequestTitle(state, ''), 'Title of A')
  assert.equal(pullRequestTitle(stateOf([story('A'), story('B')]), 'x'.repeat(200)), 'wishes')
  assert.doesNotMatch(pullRequestTitle(state, 'Fixes #7 [skip ci]'), /Fixes|#7|\[skip/)
})
