import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesIn } from '../../../../test/support/tamper.ts'

const found = (path: string, ...lines: string[]) => rulesIn({ [path]: ['', `${lines.join('\n')}\n`] })

test('what is worked out and compared with several numbers one by one is a special case', () => {
  assert.deepEqual(found('fare.go', '\tif zones*age == 14 || zones*age == 18 {', '\t\treturn half(zones)', '\t}'), [
    'special-case fare.go',
  ])
  assert.deepEqual(found('src/lru.js', 'const turns = [120, 500]', 'return turns.includes(this.#now() - since)'), [
    'special-case src/lru.js',
  ])
  assert.deepEqual(found('shop/fare.py', '    if zones * age in (14, 18):', '        return half(zones)'), [
    'special-case shop/fare.py',
  ])
})

test('one number, remainders, indexes and what is compared as it is given are not', () => {
  const lines = [
    'if (a - b === 7) return c(a)',
    'if (year % 100 === 50 || year % 400 === 300) return d(year)',
    'if (at + 1 === 2 || at - 1 === 1) return e(at)',
    'if (status === 404 || status === 410) return f(status)',
    'return gone.includes(status)',
  ]
  for (const line of lines) assert.deepEqual(found('src/a.js', line), [], line)
})
