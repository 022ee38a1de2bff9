/** Good documents made bad: what files, streams and people do to text, as arbitraries of fast-check. */
import fc from 'fast-check'

/** Texts that have hurt parsers before. */
export const nastyTexts: string[] = [
  ...[
    '',
    ' ',
    '\t',
    '\n',
    '\r\n',
    '\r',
    '\0',
    '\x07',
    '\x1b',
    '\x1b[31m',
    '\x1b]0;title\x07',
    '\x85',
    '\u2028',
    '\uFEFF',
    '\uFFFD',
  ],
  ...['\ud800', '\udc00', '\ud83d', '👩‍👩‍👧', 'é', 'ﷺ', '\u202e', '\u2066', '\u200b', '\u00a0'],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype', 'valueOf', '__defineGetter__', 'length', 'then'],
  ...['null', 'true', 'false', 'NaN', 'Infinity', '-0', '1e999', '-1', '0', '1e21', '0x10', '1_000', '9007199254740993'],
  ...['2026-13-45T99:99:99Z', '+275760-09-13T00:00:00.000Z', '+275760-09-13T00:00:00.001Z', '0000-00-00', 'Invalid Date'],
  ...['../..', '/etc/passwd', '..\\..', 'file:///etc/passwd', '%2e%2e%2f', '%00', 'con', '.', '-', '--', '~'],
  ...[
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    '`',
    '\\',
    '\\u0000',
    '\\ud800',
    ',',
    ':',
    '- ',
    '#',
    '<',
    '>',
    '&',
    '|',
    '*',
    '!',
    '?',
    '%',
    '@',
  ],
  ...[
    '\x24{x}',
    '$(x)',
    '$&',
    '$1',
    '{{x}}',
    '%s',
    '<!--',
    '-->',
    '<script>',
    '```',
    '~~~',
    '---',
    '...',
    '<<: *a',
    '&a',
    '*a',
    '!!js',
  ],
]

/** Long, but short enough to be tried often. */
const longTexts: string[] = [
  'x'.repeat(5000),
  '9'.repeat(400),
  ' '.repeat(3000),
  '['.repeat(3000),
  '{"a":'.repeat(1500),
  '- '.repeat(1500),
]

export const nastyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...nastyTexts) },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom(...longTexts) },
)

/** A value of JSON where another kind of value was expected. */
export const nastyValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e21,
    -0,
    2 ** 53,
    '',
    [],
    {},
    [[]],
    [null],
    { a: null },
    { toString: 1 },
  ),
  nastyText,
  fc.jsonValue({ maxDepth: 2, noUnicodeString: false }),
)

type Change =
  | { kind: 'cut'; at: number }
  | { kind: 'drop' | 'double'; at: number; length: number }
  | { kind: 'put' | 'over'; at: number; text: string }
  | { kind: 'flip'; at: number; by: number }
  | { kind: 'swap'; at: number; with: number; length: number }
  | { kind: 'again'; at: number; length: number; times: number }
  | { kind: 'number'; at: number; text: string }
  | { kind: 'lines' }
  | { kind: 'mark' }
  | { kind: 'deep'; at: number; times: number; open: string; close: string }

const at = fc.nat({ max: 1_000_000 })
const length = fc.nat({ max: 40 })
/** Often none or one: what is bent too much is refused at once, and shows nothing. */
const few = <T>(changes: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.array(changes, { maxLength: 1 }) },
    { weight: 2, arbitrary: fc.array(changes, { maxLength: 5 }) },
  )

/** `words`: what means something in this kind of document. */
const change = (words: string[]): fc.Arbitrary<Change> => {
  const text =
    words.length === 0
      ? nastyText
      : fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...words) }, { weight: 2, arbitrary: nastyText })
  const pairs = fc.constantFrom(['[', ']'], ['{"a":', '}'], ['(', ')'], ['- ', ''], ['> ', ''], ['  ', ''])
  return fc.oneof(
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('cut' as const), at }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('drop' as const, 'double' as const), at, length }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom('put' as const, 'over' as const), at, text }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('flip' as const), at, by: fc.nat({ max: 255 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('swap' as const), at, with: at, length }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('again' as const), at, length, times: fc.integer({ min: 2, max: 60 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('number' as const),
        at,
        text: fc.constantFrom('1e999', '-1', '9'.repeat(40), '0.1', '1e-9', '00', '+1', '2147483648', 'NaN'),
      }),
    },
    { weight: 1, arbitrary: fc.constantFrom<Change>({ kind: 'lines' }, { kind: 'mark' }) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(at, fc.constantFrom(3, 50, 250, 2000), pairs)
        .map(([where, times, [open, close]]): Change => ({ kind: 'deep', at: where, times, open: open!, close: close! })),
    },
  )
}

/** As it is, or changed in a few places. */
export const mutated = (document: fc.Arbitrary<string>, words: string[] = []): fc.Arbitrary<string> =>
  fc.tuple(document, few(change(words))).map(([text, changes]) => changes.reduce(changed, text))

/** The same for bytes, which need not be UTF-8 afterwards. */
export const mutatedBytes = (document: fc.Arbitrary<string>, words: string[] = []): fc.Arbitrary<string> =>
  fc.tuple(document, few(change(words)), few(fc.tuple(at, fc.nat({ max: 255 })))).map(([text, changes, bytes]) => {
    const whole = Buffer.from(changes.reduce(changed, text))
    for (const [where, byte] of bytes) if (whole.length > 0) whole[where % whole.length] = byte
    return whole.toString('latin1')
  })

/** Values of a tree of JSON replaced by others, names too. */
export const mutatedJson = (document: fc.Arbitrary<unknown>, words: string[] = []): fc.Arbitrary<unknown> =>
  fc
    .tuple(
      document,
      few(
        fc.record({
          at,
          value: fc.oneof(nastyValue, fc.constantFrom<unknown>(null, ...words)),
          kind: fc.constantFrom('value', 'value', 'value', 'drop', 'name', 'nest'),
        }),
      ),
    )
    .map(([value, changes]) =>
      changes.reduce<unknown>((before, { at: where, value: by, kind }) => withPlace(before, where, by, kind), value),
    )

/** Where a stream is cut into chunks; at any byte. */
export const cuts: fc.Arbitrary<number[]> = fc.array(fc.nat({ max: 4000 }), { maxLength: 6 })

export function chunksOf(bytes: Buffer, places: number[]): Buffer[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b)
  return [...ends, bytes.length].map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1]!, end))
}

function changed(text: string, how: Change): string {
  if (text.length > 60_000) return text
  const start = 'at' in how ? how.at % (text.length + 1) : 0
  const span = (size: number): string => text.slice(start, start + size)
  switch (how.kind) {
    case 'cut':
      return text.slice(0, start)
    case 'drop':
      return text.slice(0, start) + text.slice(start + how.length)
    case 'double':
      return text.slice(0, start) + span(how.length) + text.slice(start)
    case 'put':
      return text.slice(0, start) + how.text + text.slice(start)
    case 'over':
      return text.slice(0, start) + how.text + text.slice(start + how.text.length)
    case 'flip':
      return text.slice(0, start) + String.fromCharCode((text.charCodeAt(start) || 0) ^ how.by) + text.slice(start + 1)
    case 'swap': {
      const other = how.with % (text.length + 1)
      const [first, second] = start < other ? [start, other] : [other, start]
      if (first + how.length > second) return text
      const [one, two] = [text.slice(first, first + how.length), text.slice(second, second + how.length)]
      return text.slice(0, first) + two + text.slice(first + how.length, second) + one + text.slice(second + how.length)
    }
    case 'again':
      return text.slice(0, start) + span(how.length).repeat(how.times) + text.slice(start)
    case 'number':
      return text.slice(0, start) + text.slice(start).replace(/\d+/, how.text)
    case 'lines':
      return text.replaceAll('\n', '\r\n')
    case 'mark':
      return `\uFEFF${text}`
    case 'deep':
      return text.slice(0, start) + how.open.repeat(how.times) + span(20) + how.close.repeat(how.times) + text.slice(start + 20)
  }
}

type Slot = { holder: Record<string, unknown>; key: string }

function withPlace(document: unknown, where: number, by: unknown, kind: string): unknown {
  const copy = structuredClone(document)
  const slots: Slot[] = []
  const gather = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const key of Object.keys(value)) {
      slots.push({ holder: value as Record<string, unknown>, key })
      gather((value as Record<string, unknown>)[key])
    }
  }
  gather(copy)
  const slot = slots[where % Math.max(1, slots.length)]
  if (slot === undefined) return by
  const { holder, key } = slot
  const old = holder[key]
  if (kind === 'value') holder[key] = structuredClone(by)
  else if (kind === 'nest') holder[key] = [old]
  else if (Array.isArray(holder)) holder.splice(Number(key), 1)
  else {
    delete holder[key]
    // As JSON.parse would have it, "__proto__" is a name like any other.
    if (kind === 'name')
      Object.defineProperty(holder, typeof by === 'string' ? by : (JSON.stringify(by) ?? ''), {
        value: old,
        enumerable: true,
        configurable: true,
        writable: true,
      })
  }
  return copy
}
