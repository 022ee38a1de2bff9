import assert from 'node:assert/strict'
import test from 'node:test'
import { type HeldOutEnd, heldOutResult, type Unmet, unmetIn } from './held-out.ts'

const price = { id: 'S-1', criteria: ['The price is rounded up', 'Free above 100', 'Gold pays half'] }
const cart = { id: 'S-12', criteria: ['The cart is empty at first', 'The price is rounded up to 5'] }
const rounded: Unmet = { story: 'S-1', number: 1, criterion: 'The price is rounded up' }
const free: Unmet = { story: 'S-1', number: 2, criterion: 'Free above 100' }

test('a line of the check names a criterion by story and number, by number alone, or by its text', () => {
  for (const line of [
    'criterion: S-1 2',
    '  Criterion: S-1, criterion 2',
    'criterion: S-1.2',
    'criterion: free above 100',
    'criterion: S-1: Free above 100',
  ])
    assert.deepEqual(unmetIn(`secret text\n${line}\n`, [price, cart]), [free], line)
  assert.deepEqual(unmetIn('criterion: 2', [price]), [free])
  assert.deepEqual(unmetIn('criterion: 2', [price, cart]), [])
  assert.deepEqual(unmetIn('criterion: 9', [price]), [])
})

test('names of failing tests are read the same way, however their runner spells them', () => {
  const names: [output: string, unmet: Unmet[]][] = [
    ['✖ S-1 criterion 1: 9.5 costs 10 (1.2ms)', [rounded]],
    ['FAILED hidden/test_price.py::test_the_price_is_rounded_up - assert 9 == 10', [rounded]],
    ['--- FAIL: TestPrice/S-1_2 (0.00s)', [free]],
    ['not ok 3 - S-12 something', [{ story: 'S-12' }]],
    ['not ok 3 - the price is rounded up to 5', [{ story: 'S-12', number: 2, criterion: 'The price is rounded up to 5' }]],
    ['✖ internal name', []],
    ['✔ S-1 criterion 1 (1ms)', []],
  ]
  for (const [output, unmet] of names) assert.deepEqual(unmetIn(output, [price, cart]), unmet, output)
})

test('each is named once, in the order of the plan, and a story alone only if none of its criteria is', () => {
  const output = ['criterion: S-12', 'criterion: S-1', 'criterion: S-1 2', '✖ S-1 criterion 1', 'criterion: S-1 2'].join('\n')
  assert.deepEqual(unmetIn(output, [price, cart]), [rounded, free, { story: 'S-12' }])
})

const end = (more: Partial<HeldOutEnd> = {}): HeldOutEnd => ({
  passed: false,
  exitCode: 3,
  ended: 'exited',
  durationMs: 7,
  ...more,
})

test('its result has the words of the plan alone', () => {
  const { outputHash, ...result } = heldOutResult(end(), [rounded, { story: 'S-12' }])
  assert.equal(outputHash.length > 0, true)
  assert.deepEqual(result, {
    name: 'held-out',
    kind: 'held-out',
    command: 'held-out check',
    passed: false,
    exitCode: 1,
    ended: 'exited',
    durationMs: 7,
    output:
      'A held-out check failed. Not met:\n- S-1, criterion 1: The price is rounded up\n- S-12: one of its criteria\nWhat it checks is not shown. Compare the work with every criterion again, and do not guess at the check.',
  })
  assert.deepEqual(
    [end({ ended: 'timeout', exitCode: null }), end({ exitCode: 127 }), end({ ended: 'stopped', exitCode: null }), end()].map(
      (each) => heldOutResult(each, []).output.split('\n')[0],
    ),
    [
      'The held-out check timed out. Nothing else is known about it here.',
      'The held-out check could not run. Only the user can fix that.',
      'The held-out check was stopped.',
      'A held-out check failed. It does not say which criterion is not met.',
    ],
  )
  assert.equal(heldOutResult(end({ passed: true, exitCode: 0 }), []).output, '')
})
