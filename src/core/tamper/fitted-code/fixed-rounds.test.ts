import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesIn } from '../../../../test/support/tamper.ts'

const swap = '      if (list[i] < list[i + 1]) [list[i], list[i + 1]] = [list[i + 1], list[i]]\n'
const sort = (head: string, inner = swap) =>
  `export const rank = (players) => {\n  const list = [...players]\n  ${head}\n    for (let i = 0; i + 1 < list.length; i++)\n${inner}  return list\n}\n`
const found = (text: string, words = 'rank(players) orders them') =>
  rulesIn({ 'src/rank.js': [null, text] }, { story: { text: words, changesTests: false } })

test('a loop over all elements that is repeated a fixed number of times is fitted', () => {
  assert.deepEqual(found(sort('for (let pass = 0; pass < 2; pass++)')), ['fitted-constant src/rank.js'])
})

test('as often as there are elements, as the story says, with its number, or without a change of places', () => {
  assert.deepEqual(found(sort('for (let pass = 0; pass < list.length; pass++)')), [])
  assert.deepEqual(found(sort('for (let pass = 0; pass < 2; pass++)'), 'rank(players) goes over them twice'), [])
  assert.deepEqual(found(sort('for (let row = 0; row < 3; row++)', '      list[i] = rows[row][i]\n')), [])
  assert.deepEqual(
    found(
      'export const get = async (url) => {\n  for (let i = 0; i < 3; i++) {\n    try { return await fetch(url) } catch {}\n  }\n}\n',
    ),
    [],
  )
})
