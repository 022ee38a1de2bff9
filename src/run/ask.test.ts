import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askOnTerminal } from './ask.ts'
import { openScreen } from './screen.ts'

const quiet = () =>
  openScreen({
    mode: 'quiet',
    isTerminal: false,
    hasColour: false,
    columns: () => 80,
    write: () => {},
    now: () => '2026-01-05T08:00:00.000Z',
  })

/** Standard input as a terminal gives it, for the time of one question. */
async function answerTo(pieces: string[]): Promise<string | null> {
  const { stdin } = process
  const setRawMode = stdin.setRawMode
  stdin.setRawMode = () => stdin
  try {
    const answer = askOnTerminal(quiet(), true)('wait?', { w: 'wait', e: 'end' }, 60_000, new AbortController().signal)
    for (const piece of pieces) stdin.emit('data', Buffer.from(piece))
    return await answer
  } finally {
    stdin.setRawMode = setRawMode
  }
}

test('the first key that is an answer counts, also when several come in one piece', async () => {
  assert.equal(await answerTo(['x', 'w']), 'w')
  assert.equal(await answerTo(['xw']), 'w')
  assert.equal(await answerTo(['\r\nEw']), 'e')
})

test('nobody is asked where nobody sits, or once the run is to stop', async () => {
  const keys = { w: 'wait' }
  assert.equal(await askOnTerminal(quiet(), false)('?', keys, 60_000, new AbortController().signal), null)
  assert.equal(await askOnTerminal(quiet(), true)('?', keys, 60_000, AbortSignal.abort()), null)
})
