import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mock, test } from 'node:test'
import fc from 'fast-check'
import { maskedLog, masker } from './mask.ts'

const env = {
  MY_API_KEY: 'va"lue\\one',
  DB_PASSWORD: 'pässwörd',
  SHORT_TOKEN: 'seven77',
  HOME: '/home/someone',
  PEM_SECRET: 'first line\nsecond line',
}
const mask = masker(env)

function streamed(chunks: Buffer[]): Buffer {
  const out: Buffer[] = []
  const stream = mask.stream((bytes) => out.push(bytes))
  for (const chunk of chunks) stream.push(chunk)
  stream.end()
  return Buffer.concat(out)
}
function cutAt(bytes: Buffer, cuts: number[]): Buffer[] {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end))
}

test('R-FILE-3: what looks like a credential keeps its first letters only', () => {
  const cases: [string, string][] = [
    ['key sk-ant-api03-AbCdEfGh1234567890.', 'key sk-***.'],
    ['sk-0123456789abcdef', 'sk-***'],
    ['ghp_0123456789abcdefghijklmnopqrstuvwxyz', 'ghp_***'],
    ['gho_0123456789abcdefghijklmnopqrstuvwxyz ghs_0123456789abcdefghij', 'gho_*** ghs_***'],
    ['github_pat_11ABCDEFG0123456789_abcdef', 'github_pat_***'],
    ['AKIAIOSFODNN7EXAMPLE, ASIAIOSFODNN7EXAMPLE', 'AKIA***, ASIA***'],
    ['xoxb-123456789012-abcdef', 'xoxb-***'],
    ['AIzaSyA-0123456789abcdefghijklmnopqrstu', 'AIza***'],
    ['Authorization: Bearer eyJhbGciOi.J9.abc-def_1', 'Authorization: Bearer ***'],
    ['{\\"authorization\\":\\"Basic dXNlcjpwYXNz1\\"}', '{\\"authorization\\":\\"Basic ***\\"}'],
    ['curl -H "bearer abcdefghijklmnop"', 'curl -H "bearer ***"'],
    ['"text":"a\\nsk-0123456789abcdef\\n"', '"text":"a\\nsk-***\\n"'],
    ['\u001b[32msk-0123456789abcdef\u001b[0m', '\u001b[32msk-***\u001b[0m'],
  ]
  for (const [text, masked] of cases) {
    assert.equal(mask.text(text), masked)
    assert.equal(streamed([Buffer.from(text)]).toString(), masked)
  }
})

test('values of variables that say KEY, TOKEN, SECRET or PASSWORD are masked, also inside JSON', () => {
  const key = '[RALPH masked MY_API_KEY]'
  assert.equal(mask.text(`raw ${env.MY_API_KEY} end`), `raw ${key} end`)
  assert.equal(mask.text(JSON.stringify({ a: env.MY_API_KEY })), `{"a":"${key}"}`)
  assert.equal(mask.text(JSON.stringify(JSON.stringify(env.MY_API_KEY))), `"\\"${key}\\""`)
  assert.equal(streamed([Buffer.from('über pässwörd')]).toString(), 'über [RALPH masked DB_PASSWORD]')
  assert.equal(mask.text('p\\u00e4ssw\\u00f6rd'), '[RALPH masked DB_PASSWORD]')
  assert.equal(mask.text('"first line\\nsecond line"'), '"[RALPH masked PEM_SECRET]\\n[RALPH masked PEM_SECRET]"')
})

test('ordinary words, short values and other variables stay', () => {
  const text =
    'task-1234567890 sk-fading-circle sk-circle12 Bearer authentication, Authorization: required; seven77 /home/someone risk-0123456789abcdef'
  assert.equal(mask.text(text), text)
})

const secret = fc.constantFrom(
  ['sk-ant-0123456789abcdef', 'sk-***'],
  ['ghp_0123456789abcdefghijklmnopqrstuvwxyz', 'ghp_***'],
  ['Bearer 0123456789abcdef', 'Bearer ***'],
  ['va"lue\\one', '[RALPH masked MY_API_KEY]'],
  ['pässwörd', '[RALPH masked DB_PASSWORD]'],
)
const filler = fc
  .array(fc.constantFrom(0, 10, 13, 0x20, 0x22, 0x5c, 0x2d, 0x7b, 0x61, 0x6b, 0x73, 0xc3, 0xff), { maxLength: 20 })
  .map((bytes) => [Buffer.from([...bytes, 0x20])])
const long = fc.integer({ min: 4000, max: 9000 }).map((length) => [Buffer.concat([Buffer.alloc(length, 'sk'), Buffer.from(' ')])])
const part = fc.oneof(
  secret.map(([raw, masked]) => [Buffer.from(`${raw} `), Buffer.from(`${masked} `)]),
  filler,
  { arbitrary: long, weight: 1 },
)

test('R-FILE-3: however a stream is cut, credentials are masked and all other bytes are untouched', () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), fc.array(fc.nat()), (parts, cuts) => {
      const raw = Buffer.concat(parts.map(([bytes]) => bytes!))
      const masked = Buffer.concat(parts.map((pair) => pair.at(-1)!))
      assert.deepEqual(streamed(cutAt(raw, cuts)), masked)
    }),
  )
})

test('byte by byte is no different', () => {
  const text = 'a sk-ant-0123456789abcdef b\nAuthorization: Bearer abcdefghijklmnop\r\nva"lue\\one and pässwörd'
  const bytes = Buffer.from(text)
  assert.equal(streamed([...bytes].map((byte) => Buffer.from([byte]))).toString(), mask.text(text))
})

test('a private key is masked also where its lines come one by one, and what follows it is not', () => {
  const lines = mask.lines()
  const key = [
    'a -----BEGIN EC PRIVATE KEY-----',
    'Proc-Type: 4,ENCRYPTED',
    '',
    'MHcCAQEEIAbc',
    'd3/+=',
    '-----END EC PRIVATE KEY-----',
    'done',
  ]
  assert.deepEqual(
    key.map((line) => lines(line)),
    ['a -----BEGIN EC PRIVATE KEY-----', '***', '***', '***', '***', '-----END EC PRIVATE KEY-----', 'done'],
  )
})

test('after 100 ms an unfinished line is handed on, but for what may be the beginning of a credential', () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const out: string[] = []
    const stream = mask.stream((bytes) => out.push(bytes.toString()))
    stream.push(Buffer.from('Continue? '))
    mock.timers.tick(100)
    for (const piece of [
      'the key is s',
      'k-ant-01234',
      '56789abcdef',
      ' and "va"lue',
      '\\one" and Bea',
      'rer 0123456789abcdef',
    ]) {
      stream.push(Buffer.from(piece))
      mock.timers.tick(100)
    }
    stream.push(Buffer.from('0123\n'))
    assert.deepEqual(out, ['Continue? ', 'the key is ', 'sk-*** and "', '[RALPH masked MY_API_KEY]" and Bea', 'rer ***\n'])
  } finally {
    mock.timers.reset()
  }
})

test('a log keeps both outputs and notes, masked, and makes its folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-mask-'))
  const log = maskedLog(join(folder, 'logs', 'one.log'), mask)
  log.note('begin sk-0123456789abcdef')
  log.push(Buffer.from('out sk-01234567'), 'out')
  log.push(Buffer.from('err\n'), 'err')
  log.push(Buffer.from('89abcdef\n'), 'out')
  log.end()
  log.close()
  assert.equal(readFileSync(join(folder, 'logs', 'one.log'), 'utf8'), 'begin sk-***\nerr\nout sk-***\n')
  rmSync(folder, { recursive: true })
})

test('a note begins a line of its own after text without a line end, also where another wrote that', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-mask-'))
  const path = join(folder, 'one.log')
  const agent = maskedLog(path, mask)
  agent.push(Buffer.from('the agent ends in mid-line'), 'out')
  agent.end()
  agent.close()
  const gate = maskedLog(path, mask)
  gate.note('=== gate tests: npm test')
  gate.push(Buffer.from('so does the gate'), 'out')
  gate.end()
  gate.note('=== gate tests: passed')
  gate.note('=== gate lint: npm run lint')
  gate.close()
  assert.equal(
    readFileSync(path, 'utf8'),
    'the agent ends in mid-line\n=== gate tests: npm test\nso does the gate\n=== gate tests: passed\n=== gate lint: npm run lint\n',
  )
  rmSync(folder, { recursive: true })
})

test('a log that cannot be opened disturbs nobody', () => {
  const seen: string[] = []
  const log = maskedLog('/dev/null/no/such.log', mask, (bytes) => seen.push(bytes.toString()))
  log.push(Buffer.from('text'), 'out')
  log.end()
  log.close()
  assert.deepEqual(seen, ['text'])
})
