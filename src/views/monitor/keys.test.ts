import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type About, type Act, afterKey, firstView, type Key, type View } from './keys.ts'

const live: About = { isLive: true, isPausing: false, question: 'A: tabs?', logLines: 100, page: 10 }
type Press = string | Key
/** Keys one after the other: the view at the end, and all that was asked on the way. */
function pressed(keys: Press[], about: About = live, from: View = firstView): { view: View; acts: Act[] } {
  let view = from
  const acts: Act[] = []
  for (const key of keys) {
    const after = typeof key === 'string' ? afterKey(view, key, {}, about) : afterKey(view, '', key, about)
    view = after.view
    if (after.act) acts.push(after.act)
  }
  return { view, acts }
}
const enter: Key = { return: true }

test('p pauses a live run and lets one that pauses go on; where none is live it says so', () => {
  assert.deepEqual(pressed(['p']).acts, [{ kind: 'pause' }])
  assert.deepEqual(pressed(['p'], { ...live, isPausing: true }).acts, [{ kind: 'resume' }])
  assert.deepEqual(pressed(['p'], { ...live, isLive: false }), {
    view: { ...firstView, message: 'No run is live here: there is nothing to pause. Start one with: ralph run' },
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
    acts: [{ kind: 'answer', text: 'qs' }],
  })
  assert.deepEqual(pressed(['n', 'a paste, whole\rand more']).acts, [{ kind: 'say', text: 'a paste, whole' }])
  assert.deepEqual(pressed(['n', '👍', { delete: true }]).view.text, '')
})

test('Escape, and an empty line, send nothing', () => {
  const nothing = { view: { ...firstView, message: 'Nothing was sent.' }, acts: [] }
  assert.deepEqual(pressed(['n', 'x', { escape: true }]), nothing)
  assert.deepEqual(pressed(['a', ' ', enter]), nothing)
})

test('without a question there is nothing to answer', () => {
  assert.deepEqual(pressed(['a'], { ...live, question: null }), {
    view: { ...firstView, message: 'Nothing was asked. To say something: n' },
    acts: [],
  })
})

test('the log scrolls by lines and pages, and no further than it goes', () => {
  const scroll = (...keys: Key[]): number => pressed(keys).view.scroll
  const [up, down, pageUp, pageDown]: Key[] = [{ upArrow: true }, { downArrow: true }, { pageUp: true }, { pageDown: true }]
  assert.deepEqual(
    [scroll(up!, up!, down!), scroll(pageUp!), scroll(down!), scroll(pageUp!, pageDown!), scroll(...Array(20).fill(pageUp))],
    [1, 10, 0, 0, 90],
  )
})

test('f and Tab switch, ? helps until any key, q leaves', () => {
  assert.deepEqual(pressed(['f', { tab: true }, '?', 'p', 'q']).acts, [{ kind: 'switch' }, { kind: 'switch' }, { kind: 'leave' }])
})

test('Ctrl+C leaves, whatever was pressed before', () => {
  const key = fc.oneof(fc.string(), fc.constantFrom<Key>(enter, { escape: true }, { tab: true }, { upArrow: true }))
  fc.assert(
    fc.property(fc.array(key), (keys) => {
      const { view } = pressed(keys)
      assert.deepEqual(afterKey(view, 'c', { ctrl: true }, live).act, { kind: 'interrupt' })
    }),
  )
})
