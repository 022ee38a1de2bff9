import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsIn } from '../../../../test/support/tamper.ts'

const undoneIn = (path: string, before: string | null, after: string): string[] =>
  findingsIn({ [path]: [before, after] })
    .filter(({ rule }) => rule === 'left-undone')
    .map(({ words }) => words)

test('code that says itself that it is not done is noticed', () => {
  const cases: [path: string, text: string][] = [
    ['src/a.js', "export function off() {\n  throw new Error('not implemented')\n}\n"],
    ['src/a.js', '// TODO: take the voucher off\n'],
    ['src/a.js', '// For now this only accepts the voucher\n'],
    ['src/a.js', '// Placeholder implementation\n'],
    ['src/a.js', '// Hardcoded to make the tests pass\n'],
    ['shop/a.py', 'def off():\n    raise NotImplementedError\n'],
    ['src/a.rs', 'fn off() -> u32 {\n    todo!()\n}\n'],
    ['A.cs', 'int Off() => throw new NotImplementedException();\n'],
    ['a.kt', 'fun off(): Int {\n  TODO("later")\n}\n'],
    ['a.go', 'func Off() int {\n\tpanic("not implemented")\n}\n'],
  ]
  for (const [path, text] of cases) assert.equal(undoneIn(path, 'x\n', `x\n${text}`).length, 1, text)
})

test('what must be overridden, notes on other things, and texts for users are not', () => {
  const cases: [path: string, text: string][] = [
    ['shop/a.py', 'class Base(ABC):\n    def off(self):\n        raise NotImplementedError\n'],
    ['shop/a.py', 'class BaseHandler:\n    def off(self):\n        raise NotImplementedError()\n'],
    ['shop/a.py', '    @abstractmethod\n    def off(self):\n        raise NotImplementedError()\n'],
    ['src/a.js', '// TODO: remove in version 3\n'],
    ['src/a.js', '// The placeholder of the field is shown in grey\n'],
    ['src/a.js', "const text = 'not implemented by your bank'\n"],
    ['test/a.test.js', '// TODO: handle the rest\n'],
  ]
  for (const [path, text] of cases) assert.deepEqual(undoneIn(path, 'x\n', `x\n${text}`), [], text)
})

test('a parameter that an older function got, and that its body does not mention, is noticed', () => {
  const before = 'export function off(amount, percent) {\n  return amount - percent\n}\n'
  const after = before.replace('percent)', 'percent, voucher = 0)')
  assert.deepEqual(undoneIn('src/a.js', before, after), ['off() takes voucher and ignores it in src/a.js (line 1)'])
  assert.equal(undoneIn('src/a.js', before, before.replace('percent)', 'percent, _voucher = 0)')).length, 1)
  assert.equal(undoneIn('a.py', 'def off(a):\n    return a\n', 'def off(a, voucher=0):\n    return a\n').length, 1)
})

test('a parameter that is used, that only got a type, or that belongs to a new function is nothing', () => {
  const before = 'def off(a, b):\n    return a - b\n'
  const cases = [
    'def off(a, b, voucher=0):\n    return a - b - voucher\n',
    'def off(a: dict[str, int], b: int) -> int:\n    return a - b\n',
    'def off(a, b):\n    return a - b\n\n\ndef on(a, b, _c):\n    return a\n',
    'def off(a, b, *args):\n    return a - b - sum(args)\n',
  ]
  for (const after of cases) assert.deepEqual(undoneIn('a.py', before, after), [], after)
})

test('a method that a class in the same file overrides is not left undone', () => {
  const base = 'class Animal:\n    def sound(self):\n        raise NotImplementedError\n'
  assert.deepEqual(
    undoneIn('shop/animals.py', null, `${base}\n\nclass Dog(Animal):\n    def sound(self):\n        return "woof"\n`),
    [],
  )
  assert.equal(undoneIn('shop/animals.py', null, base).length, 1)
})

test('a parameter that a function used, still takes and no longer uses is noticed', () => {
  const before = 'export function off(amount, percent) {\n  return amount - (amount * percent) / 100\n}\n'
  const fitted = before.replace('(amount * percent) / 100', '20')
  assert.deepEqual(undoneIn('src/a.js', before, fitted), ['off() still takes percent but no longer uses it in src/a.js (line 1)'])
  const cases: [before: string, after: string][] = [
    ['def off(a, b):\n    return a - b\n', 'def off(a):\n    return a\n'],
    ['def off(a):\n    return a\n', 'def off(a):\n    return 0\n'],
    ['class A:\n    def off(self, b):\n        return self.a - b\n', 'class A:\n    def off(self, b):\n        return 1 - b\n'],
    ['def off(a, b):\n    return a\n', 'def off(a, b):\n    return a + 1\n'],
    [
      'def off(a, b):\n    return a - b\n',
      'def off(a, b):\n    return less(**locals())\n\n\ndef less(a, b):\n    return a - b\n',
    ],
    [
      'class A:\n    def off(self, b):\n        return 0\n\n\nclass B:\n    def off(self, b):\n        return b\n',
      'class B:\n    def off(self, b):\n        return b + 1\n\n\nclass A:\n    def off(self, b):\n        return 1\n',
    ],
  ]
  for (const [old, now] of cases) assert.deepEqual(undoneIn('a.py', old, now), [], now)
})

test('a new function that does nothing with what it is given is noticed, by whoever calls it', () => {
  const calls =
    "import { less } from './less.js'\nexport const off = (a, v) => {\n  try {\n    return less(a, v)\n  } catch {\n    return a\n  }\n}\n"
  const found = (less: string, caller = calls) =>
    findingsIn({ 'src/off.js': [null, caller], 'src/less.js': [null, less] }).filter(({ rule }) => rule === 'left-undone')
  const stub = "export function less() {\n  throw new Error('no vouchers')\n}\n"
  assert.deepEqual(
    found(stub).map(({ words }) => words),
    ['less() is called with arguments but takes none and does nothing in src/less.js (line 1)'],
  )
  assert.deepEqual(found(stub, calls.replace('less(a, v)', 'less()')), [])
  assert.deepEqual(found(stub, calls.replace('less(a, v)', 'shop.less(a, v)')), [])
  assert.deepEqual(found('export function less() {\n  return arguments[0] - arguments[1]\n}\n'), [])
  assert.deepEqual(found('export function less(a, v) {\n  return a - v\n}\n'), [])
})
