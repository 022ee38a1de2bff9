/** Credentials in what is printed: none comes out as it went in, however the stream is cut. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { masker } from '../../src/adapters/mask/mask.ts'
import { asBytes, byteText, family } from '../family.ts'
import { chunksOf, cuts, mutated } from '../nasty.ts'

type Secrets = { secret: string; before: string; after: string; form: string; cuts: number[] }

const letters = (of: string, size: number) =>
  fc.array(fc.constantFrom(...of), { minLength: size, maxLength: size + 8 }).map((all) => all.join(''))
const alphanumeric = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
/** Of the environment, by value. Its letters occur nowhere in what stands around it. */
const value = fc
  .oneof(letters('QZJXqzjx7931', 10), letters('QZ$^\\"/()[]*+?{}|.€ü', 9), letters('Q Z\tJ=&<>%', 9))
  .filter((text) => text.trim().length >= 8)
const token = fc.oneof(
  letters(alphanumeric, 30).map((rest) => `sk-${rest}`),
  letters(alphanumeric, 36).map((rest) => `ghp_${rest}`),
  letters('ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789', 16).map((rest) => `AKIA${rest}`),
  letters(alphanumeric, 40).map((rest) => `Bearer ${rest}`),
)
const around = mutated(fc.constantFrom('', 'said: ', '{"text":"', 'export KEY=', '\x1b[31m', 'line\nline\n', 'é ', '\\n'), [
  'sk-',
  'ghp_',
  'Bearer ',
  'AKIA',
  '"',
  '\\',
  '\n',
  'authorization: ',
])

export const masking = family<Secrets & { isToken: boolean }>({
  name: 'masking',
  what: 'credentials in text and in streams, as they are and inside JSON, at any border of chunks',
  weight: 4,
  inputs: fc
    .oneof(
      value.map((secret) => ({ secret, isToken: false })),
      token.map((secret) => ({ secret, isToken: true })),
    )
    .chain((one) =>
      fc
        .record({ before: around, after: around, form: fc.constantFrom('plain', 'json', 'twice'), cuts })
        .map((more) => ({ ...one, ...more })),
    ),
  check({ secret, isToken, before, after, form, cuts: places }) {
    const mask = masker(isToken ? {} : { MY_API_KEY: secret })
    const json = JSON.stringify(secret).slice(1, -1)
    const shown = form === 'plain' ? secret : form === 'json' ? json : JSON.stringify(json).slice(1, -1)
    // A letter before or after it makes another word of a token.
    const gap = isToken ? ' ' : ''
    const text = `${before}${gap}${shown}${gap}${after}`
    const kept = isToken ? secret.replace(/^(sk-|ghp_|AKIA|Bearer )/, '') : shown
    assert.ok(!mask.text(text).includes(kept), 'a credential came through')
    const written: Buffer[] = []
    const stream = mask.stream((bytes) => written.push(Buffer.from(bytes)))
    const bytes = Buffer.from(text)
    for (const chunk of chunksOf(bytes, places)) stream.push(chunk)
    stream.end()
    const out = Buffer.concat(written).toString('latin1')
    assert.ok(!out.includes(byteText(kept)), 'a credential came through the stream')
    const once: Buffer[] = []
    const whole = mask.stream((piece) => once.push(Buffer.from(piece)))
    whole.push(bytes)
    whole.end()
    assert.equal(out, Buffer.concat(once).toString('latin1'), 'chunks make no difference')
    if (!/sk-|gh[pousr]_|github_pat|A[KS]IA|xox|AIza|bearer|authorization/i.test(text)) {
      const rest = asBytes(out).toString().split('[RALPH masked MY_API_KEY]').join('')
      assert.ok(rest.length <= text.length, 'nothing else is added')
    }
  },
})
