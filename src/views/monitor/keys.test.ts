import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  afterInput,
  afterKey,
  afterPaste,
  firstView,
  type KeyContext,
  type MonitorAct,
  type MonitorView,
  type PressedKey,
} from './keys.ts'

const live: KeyContext = {
  isLive: true,
  isPausing: false,
  questions: [{ story: 'A', words: 'A: tabs?' }],
  stories: ['A', 'B', 'C'],
  current: 1,
  iterations: [2, 5, 9],
  logLines: 100,
  page: 10,
}
type Press = string | PressedKey
/** Keys one after the other: the view at the end, and all that was asked on the way. */
function pressed(
  keys: Press[],
  about: KeyContext = live,
  from: MonitorView = firstView,
): { view: MonitorView; acts: MonitorAct[] } {
  let view = from
  const acts: MonitorAct[] = []
  for (const key of keys) {
    const after = typeof key === 'string' ? afterKey(view, key, {}, about) : afterKey(view, '', key, about)
    view = after.view
    if (after.act) acts.push(after.act)
  }
  return { view, acts }
}
const enter: PressedKey = { return: true }

test('p pauses a live run and lets one that pauses go on; where none is live it says so', () => {
  assert.deepEqual(pressed(['p']).acts, [{ kind: 'pause' }])
  assert.deepEqual(pressed(['p'], { ...live, isPausing: true }).acts, [{ kind: 'resume' }])
  assert.deepEqual(pressed(['p'], { ...live, isLive: false }), {
    view: { ...firstView, message: 'No run to pause. Start one with: ralph run' },
    acts: [],
  })
})

test('s stops only after a yes', () => {
  assert.deepEqual(pressed(['s', 'y']), { view: firstView, acts: [{ kind: 'stop' }] })
  assert.deepEqual(pressed(['s', 'n']), { view: { ...firstView, message: 'Not stopped.' }, acts: [] })
  assert.deepEqual(pressed(['s', enter]).acts, [])
})

test('what is typed is sent by Enter, without blanks around it; letters are no keys meanwhile', () => {
  assert.deepEqual(pressed(['a', ' ', 'q', 'x', { backspace: true }, 's', enter]), {
    view: firstView,
    acts: [{ kind: 'answer', text: 'qs', story: 'A' }],
  })
  assert.deepEqual(pressed(['n', 'a paste, whole\rand more']).acts, [{ kind: 'say', text: 'a paste, whole' }])
  assert.deepEqual(pressed(['n', '👍', { delete: true }]).view.text, '')
})

test('keys that arrive together count one by one, and from where text is typed the rest is text', () => {
  const questions = ['A', 'B'].map((story) => ({ story, words: `${story}?` }))
  const together = (view: MonitorView, input: string): ReturnType<typeof afterInput> =>
    afterInput(view, input, {}, { ...live, questions })
  const choosing = pressed(['a', { downArrow: true }], { ...live, questions }).view
  assert.deepEqual(together(choosing, '\ryes'), {
    view: { ...choosing, mode: 'answer', asked: questions[1], text: 'yes' },
    acts: [],
  })
  assert.deepEqual(together(choosing, '\ryes\r'), { view: firstView, acts: [{ kind: 'answer', text: 'yes', story: 'B' }] })
  assert.deepEqual(together(firstView, 'sy'), { view: firstView, acts: [{ kind: 'stop' }] })
  assert.deepEqual(
    together(firstView, 'pf\tq').acts.map(({ kind }) => kind),
    ['pause', 'switch', 'switch', 'leave'],
  )
  assert.deepEqual(afterInput(firstView, '', { pageUp: true }, live).view.scroll, 10)
})

test('a paste is text where text is typed, and never a key', () => {
  assert.deepEqual(afterPaste(firstView, 'sy'), { view: firstView, acts: [] })
  assert.deepEqual(afterPaste(pressed(['n']).view, 'sy\nq').acts, [{ kind: 'say', text: 'sy' }])
})

test('Escape, and an empty line, send nothing', () => {
  const nothing = { view: { ...firstView, message: 'Nothing was sent.' }, acts: [] }
  assert.deepEqual(pressed(['n', 'x', { escape: true }]), nothing)
  assert.deepEqual(pressed(['a', ' ', enter]), nothing)
})

test('without a question there is nothing to answer', () => {
  assert.deepEqual(pressed(['a'], { ...live, questions: [] }), {
    view: { ...firstView, message: 'No open question. Press n to add a note.' },
    acts: [],
  })
})

test('of several questions one is chosen, the oldest first, by its number or from the list', () => {
  const questions = ['A', 'B', 'C'].map((story) => ({ story, words: `${story}?` }))
  const about = { ...live, questions: [...questions, { story: null, words: 'All?' }] }
  const [up, down]: PressedKey[] = [{ upArrow: true }, { downArrow: true }]
  const answered = (...keys: Press[]): unknown =>
    pressed(['a', ...keys, 'x', enter], about).acts.map((act) => 'story' in act && act.story)
  assert.deepEqual(
    [answered(enter), answered('2'), answered(down!, enter), answered(up!, enter), answered(down!, down!, down!, down!, enter)],
    [['A'], ['B'], ['B'], ['A'], [null]],
  )
  assert.deepEqual(answered('9', 'q', enter), ['A']) // neither is a choice
  assert.deepEqual(pressed(['a', { escape: true }], about), { view: { ...firstView, message: 'Nothing was sent.' }, acts: [] })
})

test('a question that is answered elsewhere while one chooses is gone from the list, and what is typed stays with its own', () => {
  const about = (...stories: string[]): KeyContext => ({
    ...live,
    questions: stories.map((story) => ({ story, words: `${story}?` })),
  })
  const { view: marked } = pressed(['a', { downArrow: true }], about('A', 'B'))
  assert.deepEqual(pressed([enter, 'x', enter], about('A'), marked).acts, [{ kind: 'answer', text: 'x', story: 'A' }])
  assert.deepEqual(pressed([enter], about(), marked).view.message, 'Nothing was sent.')
  const { view: typing } = pressed(['a', '2', 'x'], about('A', 'B'))
  assert.deepEqual(pressed([enter], about('A'), typing).acts, [{ kind: 'answer', text: 'x', story: 'B' }])
})

test('the log scrolls by pages, and no further than it goes', () => {
  const scroll = (...keys: PressedKey[]): number => pressed(keys).view.scroll
  const [pageUp, pageDown]: PressedKey[] = [{ pageUp: true }, { pageDown: true }]
  assert.deepEqual(
    [scroll(pageUp!), scroll(pageDown!), scroll(pageUp!, pageDown!), scroll(...Array(20).fill(pageUp))],
    [10, 0, 0, 90],
  )
})

test('arrows select a story, from the one at work on; Enter opens it, arrows choose its iteration, Esc goes back', () => {
  const [up, down, back]: PressedKey[] = [{ upArrow: true }, { downArrow: true }, { escape: true }]
  const story = (...keys: Press[]): unknown => pressed(keys).view.story
  assert.deepEqual([story(down!), story(down!, down!), story(down!, down!, down!), story(up!, up!, up!)], ['B', 'C', 'C', 'A'])
  const opened = (...keys: Press[]): unknown => pressed(keys).view.opened
  assert.deepEqual(
    [
      opened(enter),
      opened(down!, up!, enter, up!),
      opened(enter, up!, up!, up!, down!),
      opened(enter, down!),
      opened(enter, back!),
    ],
    [
      { story: 'B', iteration: null },
      { story: 'A', iteration: 5 },
      { story: 'B', iteration: 5 },
      { story: 'B', iteration: 9 },
      null,
    ],
  )
  assert.deepEqual(pressed([enter, 'n', 'x', back!]).view.opened, { story: 'B', iteration: null }) // Esc leaves the note first
  assert.deepEqual(pressed([enter, 'f']).view.opened, null)
})

test('f and Tab switch, ? helps until any key, q leaves', () => {
  assert.deepEqual(pressed(['f', { tab: true }, '?', 'p', 'q']).acts, [{ kind: 'switch' }, { kind: 'switch' }, { kind: 'leave' }])
})

test('Ctrl+C leaves, whatever was pressed before', () => {
  const key = fc.oneof(fc.string(), fc.constantFrom<PressedKey>(enter, { escape: true }, { tab: true }, { upArrow: true }))
  fc.assert(
    fc.property(fc.array(key), (keys) => {
      const { view } = pressed(keys)
      assert.deepEqual(afterKey(view, 'c', { ctrl: true }, live).act, { kind: 'interrupt' })
    }),
  )
})
