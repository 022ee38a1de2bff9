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
