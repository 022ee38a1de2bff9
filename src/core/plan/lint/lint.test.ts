import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Story } from '../../types.ts'
import type { LintedStory, LintInput } from './finding.ts'
import { lintStories, worstFirst } from './lint.ts'

type StoryWords = Partial<Story> & { criteria?: string[]; description?: string }

/** Offsets are made up: the story's place times 100, its criteria after it. */
function linted(stories: StoryWords[], more: Partial<LintInput> = {}): string[] {
  const all = stories.map(({ criteria = ['GET / answers 200'], description = '', ...given }, place): LintedStory => {
    const id = `S-${place + 1}`
    const story: Story = {
      ...{ id, title: `Story ${place + 1}`, priority: place + 1, passes: false, dependsOn: [], skip: false },
      ...{ exitSignal: false, gates: {} },
      ...given,
    }
    const offset = 100 * (place + 1)
    return { story, description, offset, criteria: criteria.map((text, i) => ({ text, offset: offset + i + 1 })) }
  })
  const input = { stories: all, gates: [{ name: 'tests', command: 'npm test' }], hasReviewer: true, isChecklist: false }
  return worstFirst(lintStories({ ...input, history: {}, ...more })).map(
    ({ rule, severity, offset, message }) => `${offset} ${severity} ${rule}: ${message}`,
  )
}

const cannotCheck = (offset: number, part: string): string =>
  `${offset} warning unclear: S-1: nothing can check "${part}"; say what to run or read, and what it must show`

test('criteria that nothing can check are named with the words that say nothing', () => {
  const criteria = [
    'The search works well',
    'The page is fast',
    'The form is user-friendly',
    'Log in works',
    'Errors are handled gracefully',
    'Handles edge cases',
    'The list looks good on phones',
    'Pages load quickly',
  ]
  assert.deepEqual(linted([{ criteria }]), [
    cannotCheck(101, 'works well'),
    cannotCheck(102, 'is fast'),
    cannotCheck(103, 'user-friendly'),
    cannotCheck(104, 'Log in works'),
    cannotCheck(105, 'are handled gracefully'),
    cannotCheck(106, 'Handles edge cases'),
    cannotCheck(107, 'looks good'),
    cannotCheck(108, 'load quickly'),
  ])
})

test('criteria with a value, a name or a comparison can be checked, whatever else they say', () => {
  const criteria = [
    'The page is fast: first byte within 200 ms',
    'Works well with `--quiet`: prints nothing',
    'A reload is faster than the first load',
    'a wrong password is refused',
    'The first page has no previous link and the last page no next link',
    'Numbers are stored as text and read back unchanged',
  ]
  assert.deepEqual(linted([{ criteria }]), [])
})

test('a placeholder and a bare title that says nothing are warnings; stories that are done or skipped are not looked at', () => {
  assert.deepEqual(
    linted([
      { title: 'TODO', criteria: ['GET / answers 200', '<criterion>'] },
      { title: 'Improve performance', criteria: [] },
      { title: 'TODO', criteria: ['works well'], passes: true },
      { title: 'TODO', criteria: ['works well'], skip: true },
    ]),
    [
      '100 warning placeholder: S-1: "TODO" is a placeholder; say what is wanted, or remove it',
      '102 warning placeholder: S-1: "<criterion>" is a placeholder; say what is wanted, or remove it',
      '200 warning unclear: S-2: nothing says when "Improve performance" is done; add criteria, or name the values',
      '200 note no-criteria: S-2: no acceptance criteria; reviewers have only the title to compare with',
    ],
  )
})

test('a sentence that begins with "add" and ends with "here" is a placeholder only if it is short', () => {
  assert.deepEqual(
    linted([{ title: 'Add a search box to the page of orders, as it is here', criteria: ['GET / answers 200'] }]),
    [],
  )
  assert.deepEqual(linted([{ title: 'Sum of two numbers', criteria: ['Add your criterion here'] }]), [
    '101 warning placeholder: S-1: "Add your criterion here" is a placeholder; say what is wanted, or remove it',
  ])
})

test('stories are too large by criteria, by what they touch, by length, and by what earlier runs say', () => {
  const many = (count: number, word: string): string[] => Array.from({ length: count }, (_, i) => `${word} ${i}`)
  assert.deepEqual(
    linted(
      [
        { criteria: many(9, 'GET answers') },
        { touches: many(13, 'src/a').map((path) => path.replace(' ', '')) },
        { touches: ['**'], dependsOn: ['S-2'] },
        { description: 'x'.repeat(3001) },
        {},
        {},
        {},
      ],
      {
        history: {
          'S-5': { failedAttempts: 3, wasCut: false },
          'S-6': { failedAttempts: 1, wasCut: true },
          'S-7': { failedAttempts: 2, wasCut: false },
        },
      },
    ),
    [
      '500 warning failed-often: S-5: failed 3 times; split it, or make its criteria more exact',
      '600 warning failed-often: S-6: failed once, and ran out of time; split it, or make its criteria more exact',
      '100 warning too-large: S-1: 9 criteria (more than 8); split it into stories that fit one session',
      '200 warning too-large: S-2: touches 13 paths (more than 12); split it into stories that fit one session',
      '300 warning too-large: S-3: touches the whole project ("**"); split it into stories that fit one session',
      '400 warning too-large: S-4: its description has 3001 characters; split it into stories that fit one session',
      '201 note boilerplate: 6 stories have the criterion "GET / answers 200"; make it a gate, or say it once in prompt.md',
    ],
  )
})

test('a story that names another one should depend on it, unless they are in order already', () => {
  const says = (text: string, more: StoryWords = {}): StoryWords => ({
    description: text,
    criteria: [`${text} gives 1`],
    ...more,
  })
  assert.deepEqual(
    linted([
      { title: 'Sign up with an address', criteria: ['POST /a gives 201'] },
      says('Uses the account of S-1.'),
      says('After "sign up with an address"'),
      says('Uses S-1', { dependsOn: ['S-2'] }),
      says('Uses S-1', { dependsOn: ['S-1'] }),
      says('Not XS-1, S-12 or S-1.5'),
    ]),
    [2, 3, 4].map(
      (n) =>
        `${n}00 warning missing-dependency: S-${n}: mentions S-1 but does not depend on it; add it to dependsOn, or reword the text`,
    ),
  )
})

test('two stories on the same files are named once, unless one waits for the other', () => {
  assert.deepEqual(
    linted([
      { touches: ['src/cart/'], criteria: ['GET /a gives 1'] },
      { touches: ['test/', 'src/cart/total.ts'], criteria: ['GET /b gives 2'] },
      { touches: ['src/cart/total.ts'], dependsOn: ['S-2', 'S-1'], criteria: ['GET /c gives 3'] },
      { touches: ['docs/'], criteria: ['GET /d gives 4'] },
    ]),
    ['200 warning same-files: S-2: S-1 touches the same files (src/cart/total.ts), and neither depends on the other'],
  )
})

test('a criterion about the whole project needs a gate; with one it says nothing new', () => {
  const criteria = ['Typecheck passes', 'All tests pass', '`npm run e2e` passes', '`node cli.js 4` exits with 0']
  assert.deepEqual(linted([{ criteria }]), [
    '101 warning no-gate: S-1: no gate checks "Typecheck passes"; add one, such as quality_checks: { types: npx tsc --noEmit }',
    '103 warning no-gate: S-1: no gate runs "npm run e2e"; add it to quality_checks, or to the story\'s gates',
    '102 note boilerplate: S-1: the gate tests already checks "All tests pass" after each iteration; remove it',
  ])
  assert.deepEqual(linted([{ criteria: ['`npm run e2e` passes'], gates: { e2e: 'npm run e2e' } }]), [])
})

test('without any gate and without a reviewer the plan itself has the warning, once', () => {
  assert.deepEqual(linted([{}, {}], { gates: [], hasReviewer: false }), [
    '100 warning no-gate: no gate and no reviewer checks any story; set gates.tests to your test command',
  ])
  assert.deepEqual(linted([{}], { gates: [], hasReviewer: true }), [])
})

test('a checklist needs no criteria, and its items are not mistaken for stories that name each other', () => {
  const bare = { criteria: [], description: '' }
  assert.deepEqual(linted([{ ...bare, id: 'log-in', title: 'Log in' }], { isChecklist: true }), [])
})
