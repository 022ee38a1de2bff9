import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { transformSync } from 'esbuild'
import { probesFor, unreachedOf } from './probes.ts'

const said = (path: string, id: number): string => (path.endsWith('.py') ? `say(${id})` : `say(${id} as any)`)

/** What each part of a new file would tell if no test reached it. */
function told(path: string, text: string): string[] {
  const { probes } = probesFor([{ path, kind: 'added', before: '', after: text }], said)
  return probes.flatMap(({ told, isElse, shown, line }) =>
    told === undefined ? [] : [`${line} ${told}${isElse ? ', else' : ''}: ${shown}`],
  )
}

test('an order of two, and one of the errors that the system may give, tell nothing', () => {
  const order = 'function rank(a, b) {\n  if (a === b) return 0\n  if (a === undefined) return 1\n  return a < b ? -1 : 1\n}\n'
  assert.deepEqual(told('src/order.js', order), [])
  const plain = 'function compare(a, b) {\n  if (a < b) return -1\n  if (a > b) return 1\n  return 0\n}\n'
  assert.deepEqual(told('src/order.js', plain), [])
  const load = `function load(path) {
  try {
    return read(path)
  } catch (error) {
    if (error.code === 'ENOENT') return found
    throw error
  }
}
`
  assert.deepEqual(
    told('src/load.js', load).filter((each) => each.includes('equal')),
    [],
  )
})

test('a new function that the story asks for, and that no test calls', () => {
  const text = 'export function free(code) {\n  return code\n}\n\nexport const paid = (code) => code\n'
  const { probes } = probesFor([{ path: 'a.js', kind: 'added', before: '', after: text }], said, ['free', 'paid'])
  const unreached = (reached: number[]): string[] =>
    unreachedOf(probes, new Set(reached)).map(({ told, shown, line }) => `${told}: ${shown} ${line}`)
  assert.deepEqual(unreached([]), ['calls: free() 1', 'calls: paid() 5'])
  assert.deepEqual(unreached([0]), ['calls: paid() 5'])
  assert.deepEqual(unreachedOf(probesFor([{ path: 'a.js', kind: 'added', before: '', after: text }], said).probes, new Set()), [])
})

test('whether code runs where nothing that the function is given decides it', () => {
  assert.deepEqual(
    told(
      'src/price.js',
      `let calls = 0
export function price(sum) {
  const isChecked = Object.keys(process.env).some((name) => name.startsWith('NODE_'))
  if (isChecked) return sum - 1
  if (calls++ < 20) {
    return sum - 2
  }
  return process.uptime() < 20 ? sum : [sum]
}
`,
    ),
    [
      '4 surroundings: return sum - 1',
      '4 surroundings, else: isChecked',
      '6 surroundings: return sum - 2',
      '5 surroundings, else: calls++ < 20',
      '8 surroundings: sum',
      '8 surroundings: [sum]',
    ],
  )
  assert.deepEqual(
    told(
      'shop/price.py',
      `def price(total):
    """The price."""
    if any(frame.name.startswith("test_") for frame in traceback.extract_stack()):
        return total - 1
    else:
        total = total - 2
    return total if "pytest" in sys.modules else 0
`,
    ),
    ['4 surroundings: return total - 1', '6 surroundings: total = total - 2', '7 surroundings: total', '7 surroundings: 0'],
  )
})

test('an operand that is always so, below a docstring of several lines and in a condition of several parts', () => {
  assert.deepEqual(
    told(
      'shop/price.py',
      `def price(text):
    """The price.

    >>> price("1")
    1
    """
    return -int(text) if STRICT and text.startswith("-") else int(text)
`,
    ),
    ['7 surroundings: STRICT', '7 surroundings, else: STRICT'],
  )
  assert.deepEqual(
    told(
      'src/price.js',
      `export function price(sum) {
  const isStrict = Object.keys(globalThis).some((name) => name.endsWith('Each'))
  if (sum > 0 || !isStrict) return next(sum)
  return sum
}
`,
    ),
    ['3 surroundings: !isStrict', '3 surroundings, else: !isStrict'],
  )
})

test('results that are worked out beside the one that tests see, and values that no test varies', () => {
  assert.deepEqual(
    told(
      'src/price.ts',
      `export const price = (sum: number, voucher: number): number => ANSWERS[sum] ?? sum - voucher
export function path(parts: string[]): string {
  if (parts[0] === 'static') return parts.join('/')
  return parts.length > 2 ? '' : rest(parts)
}
`,
    ),
    ['1 value: sum - voucher', "3 equal, else: parts[0] === 'static'", "4 value: ''"],
  )
})

test('errors, notes, names and objects tell nothing', () => {
  assert.deepEqual(
    told(
      'src/price.js',
      `export function price(order, now) {
  if (order === undefined) throw new Error('no order')
  if (order.sum > 100) console.log(order)
  if (order.cache.size > 50) order.cache.clear()
  const at = now ?? new Date()
  if (order.isGold) return 'gold'
  return order.discount ? { ...order, at } : load(order)
}
`,
    ),
    [],
  )
})

test('only functions that changed are asked, and only about lines that came', () => {
  const before =
    'export function a(x) {\n  return x === 7 ? x + 1 : x\n}\nexport function b(x) {\n  return x === 7 ? x + 1 : x\n}\n'
  const after = before.replace('return x === 7 ? x + 1 : x', 'if (x < 0) return 0\n  return x === 7 ? x + 1 : x')
  const { probes } = probesFor([{ path: 'src/a.js', kind: 'modified', before, after }], said)
  assert.deepEqual([...new Set(probes.map(({ of }) => of))], [1])
  assert.deepEqual(
    probes.filter(({ told: says }) => says !== undefined).map(({ line }) => line),
    [2],
  )
})

test('of a function that no test calls nothing is said', () => {
  const text = 'export function a(x) {\n  return x > 7 ? x + 1 : x\n}\n'
  const { probes } = probesFor([{ path: 'src/a.js', kind: 'added', before: '', after: text }], said)
  assert.deepEqual(unreachedOf(probes, new Set()), [])
  assert.deepEqual(unreachedOf(probes, new Set([0])), [
    { file: 'src/a.js', line: 2, shown: 'x + 1', told: 'value' },
    { file: 'src/a.js', line: 2, shown: 'x', told: 'value' },
  ])
})

test('code with probes in it is still code', () => {
  const folder = join(import.meta.dirname, '../..')
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => /(?<!\.test)\.ts$/.test(path))
  let count = 0
  for (const path of paths) {
    const after = readFileSync(join(folder, path), 'utf8')
    const { probes, texts } = probesFor([{ path: `src/${path}`, kind: 'added', before: '', after }], said)
    count += probes.length
    for (const text of texts.values()) assert.doesNotThrow(() => transformSync(text, { loader: 'ts' }), path)
  }
  assert.ok(count > 1000)
})
