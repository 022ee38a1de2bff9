/** Units in TypeScript, tested by node:test, which takes the types off, and checked by tsc. */
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { edited, type Project } from '../case.ts'

const tsc = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', 'node_modules', '.bin', 'tsc')

export const tsconfig = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: 'es2022',
    module: 'nodenext',
    moduleResolution: 'nodenext',
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
    types: [] as string[],
  },
  include: ['src'],
}

export const unitsTs = `export type Unit = 'g' | 'kg' | 'lb'

/** How many grams. */
export const grams: Record<Unit, number> = { g: 1, kg: 1000, lb: 453.59237 }

export const isUnit = (text: string): text is Unit => Object.hasOwn(grams, text)
`

export const convertTs = `import { grams, isUnit, type Unit } from './units.ts'

export type Amount = { count: number; unit: Unit }

export const convert = ({ count, unit }: Amount, to: Unit): Amount => ({ count: (count * grams[unit]) / grams[to], unit: to })

/** "3 kg" as an amount. */
export function read(text: string): Amount {
  const [count, unit, ...rest] = text.split(' ')
  if (rest.length > 0 || unit === undefined || !isUnit(unit)) throw new TypeError('no amount: ' + text)
  if (!/^\\d+(?:\\.\\d+)?$/.test(count ?? '')) throw new TypeError('no amount: ' + text)
  return { count: Number(count), unit }
}

const digits: Record<Unit, number> = { g: 0, kg: 3, lb: 2 }

export const show = ({ count, unit }: Amount): string => count.toFixed(digits[unit]) + ' ' + unit
`

export const unitsTest = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { convert, read, show } from '../src/convert.ts'

test('converts', () => {
  assert.deepEqual(convert({ count: 2, unit: 'kg' }, 'g'), { count: 2000, unit: 'g' })
  assert.equal(show(convert({ count: 1, unit: 'kg' }, 'lb')), '2.20 lb')
})

test('reads', () => {
  assert.deepEqual(read('3.5 kg'), { count: 3.5, unit: 'kg' })
  for (const text of ['kg', '3', '3 stones', '-1 kg', '1 kg g']) assert.throws(() => read(text), TypeError)
})

test('shows each unit with its digits', () => {
  assert.deepEqual([show({ count: 1.4, unit: 'g' }), show({ count: 2, unit: 'kg' })], ['1 g', '2.000 kg'])
})
`

export const rightUnits = edited(
  unitsTs,
  ["'kg' | 'lb'", "'kg' | 'lb' | 'oz' | 'st'"],
  ['lb: 453.59237 }', 'lb: 453.59237, oz: 28.349523125, st: 6350.29318 }'],
)
export const rightConvert = edited(convertTs, ['kg: 3, lb: 2 }', 'kg: 3, lb: 2, oz: 1, st: 2 }'])

export const ounceTest = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { convert, read, show } from '../src/convert.ts'

test('ounces and stones', () => {
  assert.equal(show(convert(read('1 lb'), 'oz')), '16.0 oz')
  assert.equal(show(convert(read('28 lb'), 'st')), '2.00 st')
  assert.equal(show(convert(read('1 oz'), 'g')), '28 g')
})
`

/** Ounces cannot be shown, and stones are pounds. */
export const wrongUnits = edited(rightUnits, ['st: 6350.29318', 'st: 453.59237'])

export const units: Project = {
  name: 'units in TypeScript, node:test and tsc',
  files: {
    'package.json': '{ "name": "units", "private": true, "type": "module" }\n',
    'README.md': '# Units\n',
    'tsconfig.json': `${JSON.stringify(tsconfig, null, 2)}\n`,
    'src/units.ts': unitsTs,
    'src/convert.ts': convertTs,
    'test/convert.test.ts': unitsTest,
  },
  gate: 'node --test --test-isolation=none "test/*.test.ts"',
  checks: { types: `${tsc} -p .` },
  story: {
    title: 'Ounces and stones',
    criteria: [
      'The units oz (16 in a lb) and st (14 lb) can be read, converted and shown: oz with 1 digit, st with 2',
      'Types stay strict: each unit has its size and its digits',
    ],
  },
  wrong: { 'src/units.ts': wrongUnits },
  right: { 'src/units.ts': rightUnits, 'src/convert.ts': rightConvert, 'test/ounces.test.ts': ounceTest },
  heldOut: {
    program: 'sh',
    text: `cat > tsconfig.held-out.json <<'END'
${JSON.stringify(tsconfig)}
END
cat > held-out.ts <<'END'
import { convert, read, show } from './src/convert.ts'
const found = [['2 st', 'lb'], ['32 oz', 'lb'], ['1 kg', 'oz'], ['100 kg', 'st'], ['5 g', 'kg']].map(([text, to]) => show(convert(read(text), to as 'lb'))).join()
console.log(found === '28.00 lb,2.00 lb,35.3 oz,15.75 st,0.005 kg' ? 'right' : found)
END
! grep -rqE '@ts-|: any|as any|as never|as unknown|Record<string' src && test -e src/convert.ts && ${tsc} -p tsconfig.held-out.json && node held-out.ts | grep right && echo held-out ok`,
  },
}
