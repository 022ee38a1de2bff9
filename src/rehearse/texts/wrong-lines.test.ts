import assert from 'node:assert/strict'
import test from 'node:test'
import { wrongLines } from './wrong-lines.ts'

const changes = (path: string, text: string): string[] =>
  wrongLines(path, text).map(({ line, before, after }) => `${line}: ${before} → ${after}`)

test('what a function returns comes first, then conditions, then the rest', () => {
  const text = ['const rate = 2 * 3', 'if (price < 0) throw error', 'return price - price / 2', ''].join('\n')
  assert.deepEqual(changes('src/a.js', text), [
    '3: return price - price / 2 → return price + price / 2',
    '2: if (price < 0) throw error → if (price >= 0) throw error',
    '1: const rate = 2 * 3 → const rate = 2 + 3',
  ])
})

test('the whole file comes with the line, and nothing else in it changes', () => {
  const [found] = wrongLines('a.py', 'def f(a):\n    return a == 1\n\n\ndef g():\n    pass\n')
  assert.equal(found?.text, 'def f(a):\n    return a != 1\n\n\ndef g():\n    pass\n')
})

test('a loop, an import and a comment are left alone: they would hang, or not start', () => {
  const text = [
    "import { a } from './a + b.js'",
    'for (let i = 0; i < 3; i++) work()',
    'while (a > b) a -= 1',
    '// a + b',
    'x += 1',
  ].join('\n')
  assert.deepEqual(changes('a.js', text), [])
})

test('an operator in a string is not an operator, but a text that is returned may be wrong', () => {
  assert.deepEqual(changes('a.js', "const sum = add(1, ' + ')\n"), [])
  assert.deepEqual(changes('a.js', "  return 'hello'\n"), ["1: return 'hello' → return 'hello~'"])
})
