/** Which pages are let in again after a restart: those that were open before, at the same address, and nobody else. */

import assert from 'node:assert/strict'
import { webcrypto } from 'node:crypto'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { openPages, readKept, writeKept } from './open-pages.ts'

const origin = 'http://127.0.0.1:4000'

function keptFile(t: TestContext): string {
  const folder = tempFolder(t)
  return join(folder, 'home', 'dashboard.json')
}

/** A page as the browser has it. */
async function page() {
  const pair = await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify'])
  const text = (bytes: ArrayBuffer): string => Buffer.from(bytes).toString('base64url')
  const key = text(await webcrypto.subtle.exportKey('raw', pair.publicKey))
  const how = { name: 'ECDSA', hash: 'SHA-256' }
  return { key, sign: async (words: string) => text(await webcrypto.subtle.sign(how, pair.privateKey, Buffer.from(words))) }
}

test('a page that was open before a restart is known after it by its key, and what is kept is for this user alone', async (t) => {
  const path = keptFile(t)
  const { key, sign } = await page()
  openPages(path).remember(key)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  const after = openPages(path)
  assert.equal(await after.isSigned(origin, key, await sign(`${origin} ${after.challenge}`)), true)
})

test('a page that is not known, another address, an older challenge and no signature are refused', async (t) => {
  const path = keptFile(t)
  const [known, stranger] = [await page(), await page()]
  const before = openPages(path)
  before.remember(known.key)
  const after = openPages(path)
  const words = `${origin} ${after.challenge}`
  assert.notEqual(after.challenge, before.challenge)
  const elsewhere = `http://127.0.0.1:4001 ${after.challenge}`
  const tries: [string, string][] = [
    [stranger.key, await stranger.sign(words)],
    [known.key, await stranger.sign(words)],
    [known.key, await known.sign(elsewhere)],
    [known.key, await known.sign(`${origin} ${before.challenge}`)],
    [known.key, ''],
    ['', ''],
  ]
  for (const [key, signature] of tries) assert.equal(await after.isSigned(origin, key, signature), false)
})

test('a file that cannot be read knows no page, and what is no key is not kept', async (t) => {
  const path = keptFile(t)
  writeKept(path, { port: 4000, keys: [] })
  openPages(path).remember('no key')
  assert.deepEqual(readKept(path), { port: 4000, keys: [] })
  const notAPoint = 'A'.repeat(87)
  openPages(path).remember(notAPoint)
  assert.equal(await openPages(path).isSigned(origin, notAPoint, 'AAAA'), false)
  for (const shape of [
    '{"port":"x","keys":[1',
    'null',
    '[]',
    '"x"',
    '{}',
    '{"port":1.5,"keys":"k"}',
    '{"port":null,"keys":[1,{}]}',
  ]) {
    writeFileSync(path, shape)
    assert.deepEqual(readKept(path), { port: 0, keys: [] })
  }
})
