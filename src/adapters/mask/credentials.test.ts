import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ordinary, type SecretSample, samples, secretParts } from '../../../test/support/credentials.ts'
import { masker } from './mask.ts'

const mask = masker({})

function streamed(chunks: string[]): string {
  const out: Buffer[] = []
  const stream = mask.stream((bytes) => out.push(bytes))
  for (const chunk of chunks) stream.push(Buffer.from(chunk, 'latin1'))
  stream.end()
  return Buffer.concat(out).toString('latin1')
}

/** Pieces of 12 characters: less would be no help to anyone, and may occur by chance. */
const seen = (sample: SecretSample, text: string): string[] =>
  secretParts(sample).flatMap((part) =>
    (part.match(/.{1,12}/g) ?? []).filter((piece) => piece.length > 7 && text.includes(piece)),
  )

for (const sample of samples) {
  const { what, text } = sample
  const around = `before ${text} after\nnext line\n`

  test(`R-FILE-3: nothing is seen of ${what}, and what stands around it stays`, () => {
    const masked = mask.text(around)
    assert.deepEqual(seen(sample, masked), [], masked)
    assert.ok(masked.startsWith('before ') && masked.endsWith(' after\nnext line\n'), masked)
  })

  test(`R-FILE-3: nothing is seen of ${what} wherever a stream is cut`, () => {
    const bytes = Buffer.from(around).toString('latin1')
    const whole = streamed([bytes])
    assert.equal(Buffer.from(whole, 'latin1').toString(), mask.text(around))
    const step = Math.max(1, Math.floor(bytes.length / 300))
    for (let cut = 1; cut < bytes.length; cut += step) assert.equal(streamed([bytes.slice(0, cut), bytes.slice(cut)]), whole)
    assert.equal(streamed([...bytes]), whole)
  })

  test(`R-FILE-3: nothing is seen of ${what} inside JSON, however it is escaped`, () => {
    const json = JSON.stringify({ text: around })
    const slashes = json.replaceAll('/', '\\/')
    const [small, large] = [json.replace(plain, code), json.replace(plain, (char) => code(char).toUpperCase().replace('U', 'u'))]
    for (const form of [json, JSON.stringify(json), slashes, small, large]) {
      const masked = mask.text(form)
      assert.deepEqual(seen(sample, masked), [], masked)
      const read = unescaped(masked)
      assert.deepEqual(seen(sample, read), [], read)
    }
  })
}

const plain = /(?<!\\)[\w.~:/@=-]/g
const code = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
const unescaped = (text: string): string =>
  text.replace(/\\u([0-9a-f]{4})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16))).replaceAll('\\/', '/')

test('ordinary text stays as it is: hashes, lock files, pictures, prose, code', () => {
  for (const text of ordinary) {
    assert.equal(mask.text(text), text)
    assert.equal(mask.text(JSON.stringify(text)), JSON.stringify(text))
    assert.equal(streamed([text]), text)
  }
})

test('a private key without an end takes nothing with it but its own lines', () => {
  const key = samples.find(({ what }) => what === 'a private key')!
  const lines = key.text.split('\n')
  const cut = `${lines.slice(0, 12).join('\n')}\n=== gate tests: failed (exit 1)\n`
  assert.equal(mask.text(cut), `${lines[0]}***\n=== gate tests: failed (exit 1)\n`)
})

test("a variable's password is masked in an address, out of it, and as an address writes it", () => {
  const one = masker({ DATABASE_URL: 'postgres://app:s3cret%2Fpassword@db/app', DB_PASS: 'another one!' })
  assert.equal(
    one.text('s3cret/password s3cret%2Fpassword another%20one! another one!'),
    ['DATABASE_URL', 'DATABASE_URL', 'DB_PASS', 'DB_PASS'].map((name) => `[RALPH masked ${name}]`).join(' '),
  )
  assert.equal(one.text('postgres://app:s3cret%2Fpassword@db/app'), 'postgres://app:[RALPH masked DATABASE_URL]@db/app')
})
