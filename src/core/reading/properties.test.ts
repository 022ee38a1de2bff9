import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { defaultPromise, readAnswer, withoutSignals } from './reading.ts'

const pieces = fc.constantFrom(
  '<promise>',
  '</promise>',
  '<promise code="k7f3">',
  '< / promise >',
  '<PROMISE ',
  '>',
  'COMPLETE',
  'BLOCKED:',
  'DECIDE: why',
  '\n',
  '\r\n',
  ' ',
  '```',
  '~~~',
  '> ',
  '---',
  'RALPH_STATUS',
  'ralph\\_status',
  'END_RALPH_STATUS',
  ':',
  'STATUS: COMPLETE',
  '  EXIT_SIGNAL: true',
  'CODE: k7f3',
  '\x1b[0m',
  '\x1b',
  '\x1b\x1b[0m[0m',
  'ALL',
  'A',
  ' DONE',
  '✅',
  'not ',
  'k7f3',
  '·',
  '?',
)
const anyText = fc.array(fc.nat(0xffff), { maxLength: 60 }).map((units) => String.fromCharCode(...units))
const hostile = fc
  .array(fc.oneof({ weight: 6, arbitrary: pieces }, { weight: 1, arbitrary: anyText }), { maxLength: 40 })
  .map((all) => all.join(''))
const promise = fc.constantFrom(
  defaultPromise,
  '',
  'ALL DONE ✅',
  'AA',
  'A',
  '✅',
  '·',
  'A·A',
  '<promise>SHIP IT</promise>',
  '‹promise›COMPLETE',
  'RALPH·STATUS',
)
const code = fc.constantFrom(undefined, 'k7f3')

test('property: never throws', () => {
  fc.assert(fc.property(hostile, promise, code, (text, promise, code) => void readAnswer(text, { promise, code })))
  fc.assert(fc.property(anyText, promise, code, (text, promise, code) => void readAnswer(text, { promise, code })))
})

test('property: in a fenced block with prose after it nothing claims', () => {
  const inside = hostile.map((text) => text.replace(/[`~]/g, ''))
  fc.assert(
    fc.property(inside, promise, code, (text, promise, code) => {
      const { signals } = readAnswer(`Here it is:\n\`\`\`\n${text}\n\`\`\`\nThe file above goes on.`, {
        promise: promise === 'A' ? '' : promise,
        code,
      })
      assert.deepEqual(signals, [])
    }),
  )
})

test('R-PROMPT-5 property: a text without signals gives none, whatever it was', () => {
  fc.assert(
    fc.property(hostile, promise, code, (text, promise, code) => {
      const { signals } = readAnswer(withoutSignals(text, promise), { promise, code })
      assert.deepEqual(
        signals.filter(
          (signal) =>
            signal.kind !== 'asked' &&
            signal.kind !== 'unclear' &&
            !('evidence' in signal && signal.evidence.startsWith('keyword ')),
        ),
        [],
      )
    }),
    { numRuns: 1000 },
  )
})
