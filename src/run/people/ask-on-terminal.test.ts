import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { quietScreen } from '../../../test/support/world.ts'
import { askForText, askOnTerminal } from './ask-on-terminal.ts'

/** Standard input as a terminal gives it, for the time of one question. */
async function onTerminal<T>(ask: () => Promise<T>, pieces: string[]): Promise<T> {
  const { stdin } = process
  const { setRawMode } = stdin
  stdin.setRawMode = () => stdin
  try {
    const answer = ask()
    await new Promise(setImmediate) // what it needs is loaded
    for (const piece of pieces) stdin.emit('data', Buffer.from(piece))
    return await answer
  } finally {
    stdin.setRawMode = setRawMode
  }
}

const unseen = () => new PassThrough().resume()
const never = new AbortController().signal
const waitOrEnd = { keys: { w: 'wait', e: 'end' }, timeoutMs: 60_000 }
const answerTo = (pieces: string[], silence?: string): Promise<string | null> =>
  onTerminal(() => askOnTerminal(quietScreen(), true)('wait?', { ...waitOrEnd, ...(silence && { silence }) }, never), pieces)
const textOf = (...pieces: string[]): Promise<string> => onTerminal(() => askForText('', 60_000, never, unseen()), pieces)

test('the first key that is an answer counts, also when several come in one piece', async () => {
  assert.equal(await answerTo(['x', 'w']), 'w')
  assert.equal(await answerTo(['xw']), 'w')
  assert.equal(await answerTo(['\r\nEw']), 'e')
})

test('Enter asks for what silence would bring, where that was said', async () => {
  assert.equal(await answerTo(['x\rw'], 'goes on'), null)
  assert.equal(await answerTo(['x\rw']), 'w')
})

test('where another question follows, Enter is no answer: it may belong to the key before', async () => {
  const ask = askOnTerminal(quietScreen(), true)
  const answers = { keys: { 1: 'one', s: 'skip' }, timeoutMs: 60_000, silence: 'skips', ignoresEnter: true } as const
  assert.equal(await onTerminal(() => ask('which?', answers, never), ['\r', '\r1']), '1')
})

test('a text goes up to Enter; lines that were pasted together are one text', async () => {
  assert.equal(await textOf('tabs', ', always\r'), 'tabs, always')
  assert.equal(await textOf('one\rtwo\r\rthree\r'), 'one\ntwo\n\nthree')
  assert.equal(await textOf('one\rtw', 'o\r'), 'one\ntwo')
  assert.equal(await textOf(' \r'), '')
  assert.equal(await textOf('tabs', '\u0015\u0004'), '') // taken back, and Ctrl+D
})

test('no key for so long, or a stop, is no text', async () => {
  assert.equal(await onTerminal(() => askForText('', 1, never, unseen()), ['half']), '')
  assert.equal(await askForText('', 60_000, AbortSignal.abort(), unseen()), '')
})

test('nobody is asked where nobody sits, or once the run is to stop', async () => {
  assert.equal(await askOnTerminal(quietScreen(), false)('?', waitOrEnd, new AbortController().signal), null)
  assert.equal(await askOnTerminal(quietScreen(), true)('?', waitOrEnd, AbortSignal.abort()), null)
})
