import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesIn } from '../../../../test/support/tamper.ts'

const changed = (before: string, after: string, more: Record<string, [string, string]> = {}): string[] =>
  rulesIn({ 'src/a.ts': [`${before}\n`, `${after}\n`], ...more })

test('an older line that got a way around the type checker is a suspicion', () => {
  for (const [before, after] of [
    ['use(name.trim())', 'use(name!.trim())'],
    ['on((name, size) => show(name))', 'on((name: any, size: any) => show(name))'],
    ['const of = (items: Item[]): number => items.length', 'const of = (items: any): number => items.length'],
    ['export function load(text: string): Order {', 'export function load(text: string): any {'],
  ] as const)
    assert.deepEqual(changed(before, after), ['check-turned-off src/a.ts'], after)
})

test('other types, new lines, negations and a stricter type checker are nothing', () => {
  for (const [before, after] of [
    ['const of = (items: Item[]): number => items.length', 'const of = (items: readonly Item[]): number => items.length'],
    ['use(name)', 'use(other.get(name)!)'],
    ['if (isOpen) close()', 'if (!isOpen) close()'],
    ['if (a === b) close()', 'if (a !== b) close()'],
  ] as const)
    assert.deepEqual(changed(before, after), [], after)
  const stricter: [string, string] = ['{}\n', '{\n  "noUncheckedIndexedAccess": true\n}\n']
  assert.deepEqual(changed('use(names[0].trim())', 'use(names[0]!.trim())', { 'tsconfig.json': stricter }), [])
})

test('a function that casts whatever it is given', () => {
  const found = (text: string) => rulesIn({ 'src/present.ts': [null, text] })
  const anything = [
    'export function present<T>(value: unknown): T {\n  return value as T\n}\n',
    'export const present = <T>(value: T | null | undefined): T => value as T\n',
    'export const sure = (name: string | null): string => name!\n',
    'export const must = (name?: string): string => name as unknown as string\n',
  ]
  for (const text of anything) assert.deepEqual(found(text), ['check-turned-off src/present.ts'], text)
  const others = [
    'export const userId = (id: string): UserId => id as UserId\n',
    'export const parsed = <T>(text: string): T => JSON.parse(text) as T\n',
    'export function present<T>(value: T | null): T {\n  if (value === null) throw new Error("missing")\n  return value as T\n}\n',
  ]
  for (const text of others) assert.deepEqual(found(text), [], text)
})
