import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { kindsIn } from '../../core/proof/reach/unheeded.ts'
import { blanked, wronged } from '../../core/proof/reach/wrong-results.ts'
import type { FileChange } from '../../core/tamper/code/change.ts'
import { wrapText } from './wrap-text.ts'

const source = `#!/usr/bin/env node
'use strict'
import { basename } from 'node:path'

export function sum(a, b) {
  return a + b
}

export const twice = (text) => text + text
export const all = async (list) => {
  return list.map((one) => basename(one))
}
export class Price {
  constructor(amount) {
    this.amount = amount
  }

  isFree() {
    return this.amount === 0
  }

  static of(amount) {
    return { amount }
  }
}
export function note(list) {
  list.push(1)
}
`
const added = (path: string, after: string): FileChange[] => [{ path, kind: 'added', before: '', after }]

// biome-ignore lint/suspicious/noExplicitAny: whatever a module has
type Loaded = Record<string, any>

async function loaded(folder: string, name: string, text: string | undefined): Promise<Loaded> {
  const path = join(folder, name)
  writeFileSync(path, text ?? '')
  return import(pathToFileURL(path).href)
}

test('changed functions do their work, and give another value of the same kind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-wrong-'))
  try {
    const tellTo = join(folder, 'said')
    const { names, texts } = wronged(added('src/a.mjs', source), wrapText(tellTo))
    assert.deepEqual(names, ['sum', 'twice', 'all', 'isFree', 'of', 'note'])
    const { sum, twice, all, Price, note } = await loaded(folder, 'wrong.mjs', texts.get('src/a.mjs'))
    const list: number[] = []
    assert.deepEqual(
      [sum(1, 2), twice('a'), await all(['b/c']), new Price(0).isFree(), Price.of(3), note(list), list],
      [26.25, '¤', [], false, {}, undefined, [1]],
    )
    const kinds = kindsIn(readFileSync(tellTo, 'utf8'))
    assert.deepEqual(
      [...kinds],
      [
        ['sum', 'number'],
        ['twice', 'text'],
        ['all', 'list'],
        ['isFree', 'truth'],
        ['of', 'object'],
      ],
    )
    const blank = await loaded(folder, 'blank.mjs', blanked(added('src/a.mjs', source), kinds).texts.get('src/a.mjs'))
    const { sum: noSum, twice: noText, Price: NoPrice, note: same } = blank
    same(list)
    assert.deepEqual([noSum(1, 2), noText('a'), new NoPrice(0).isFree(), list], [-987654.25, '¤', false, [1, 1]])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
