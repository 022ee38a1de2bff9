import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { aPlan, aStory, committed } from '../../../sim/builders.ts'
import type { Report } from '../types.ts'
import { asWritten, plain } from './plain.ts'

test('what moves the cursor, names the window or rings the bell does not come through', () => {
  assert.equal(plain('\u001b[31mred\u001b[0m \u001b]0;title\u0007\u001b[2J\u0007\u001b(Bplain\r'), 'red plain')
  assert.equal(plain('\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\'), 'link')
  assert.equal(plain('\u001b]0;no end'), '0;no end')
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(plain(text))))
})

test('a fact is taken with plain words; names of files and hashes stay byte for byte', () => {
  const nul = 'done\u0000 \u001b[31mred\u001b[0m\u0085\u202e'
  const fact: Report = {
    kind: 'iteration.ended',
    ...committed(1, 't1', {
      summary: nul,
      repairs: [nul],
      signals: [{ kind: 'blocked', reason: nul, evidence: nul }],
      uncommitted: ['odd\u0001name'],
      saidHash: nul,
      plan: aPlan([aStory('A', { title: nul })]),
    }),
  }
  const { kind: _kind, ...ended } = asWritten(fact) as Extract<Report, { kind: 'iteration.ended' }>
  const { summary, repairs, signals, uncommitted, saidHash, plan } = ended
  assert.deepEqual(
    { summary, repairs, signals, uncommitted, saidHash, title: plan?.stories[0]?.title },
    {
      summary: 'done red',
      repairs: ['done red'],
      signals: [{ kind: 'blocked', reason: 'done red', evidence: 'done red' }],
      uncommitted: ['odd\u0001name'],
      saidHash: nul,
      title: 'done red',
    },
  )
})

test('words of several lines stay what they are', () => {
  const said: Report = { kind: 'said', id: '1', text: 'one\n\ttwo ü 日本 👍' }
  assert.deepEqual(asWritten(said), said)
})
