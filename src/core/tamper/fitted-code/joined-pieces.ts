/** Evaluates literals that are written in pieces: an expected value is still one if it is added up, joined, decoded or reversed. */

const text = String.raw`"(?:[^"\\]|\\.)*"`
const texts = String.raw`${text}(?:\s*,\s*${text})*`

type Rewrite = [pattern: RegExp, value: (...found: string[]) => string]

/** In a line with double quotes only. */
const rewrites: Rewrite[] = [
  // "${"a"}-b"
  [/\$\{\s*"((?:[^"\\]|\\.)*)"\s*\}/g, (_, inner = '') => inner],
  [
    new RegExp(String.raw`\[\s*(${texts})\s*,?\s*\]\s*\.join\(\s*(${text})?\s*\)`, 'g'),
    (_, list = '', by = '","') => quoted(contentsOf(list).join(contentOf(by))),
  ],
  [
    new RegExp(String.raw`(${text})\.join\(\s*[[(]\s*(${texts})\s*,?\s*[\])]\s*\)`, 'g'),
    (_, by = '""', list = '') => quoted(contentsOf(list).join(contentOf(by))),
  ],
  [
    new RegExp(String.raw`(${text})\.split\(\s*""\s*\)\.(?:reverse|toReversed)\(\)\.join\(\s*""\s*\)|(${text})\[::-1\]`, 'g'),
    (_, one, other = '""') => quoted([...contentOf(one ?? other)].reverse().join('')),
  ],
  [
    new RegExp(
      String.raw`(?:\batob|\bb64decode|\bBuffer\.from)\(\s*b?(${text})(?:\s*,\s*"(base64(?:url)?|hex)")?\s*\)(?:\.(?:toString|decode)\([^()]*\))?|\bbytes\.fromhex\(\s*(${text})\s*\)(?:\.decode\([^()]*\))?`,
      'g',
    ),
    (whole, given, how = whole.startsWith('Buffer') ? '' : 'base64', hex) =>
      (hex !== undefined ? decoded(hex, 'hex') : how === '' ? null : decoded(given ?? '""', how)) ?? whole,
  ],
  [
    /\bString\.from(?:CharCode|CodePoint)\(\s*(\d+(?:\s*,\s*\d+)*)\s*\)/g,
    (_, codes = '') =>
      quoted(
        codes
          .split(',')
          .map((code) => charOf(Number(code)))
          .join(''),
      ),
  ],
  [
    new RegExp(String.raw`(${text})\s*\+\s*(${text})`, 'g'),
    (_, one = '""', other = '""') => quoted(contentOf(one) + contentOf(other)),
  ],
  [/\b(?:int|float|Number|parseInt|parseFloat)\(\s*"(-?\d+(?:\.\d+)?)"(?:\s*,\s*10)?\s*\)/g, (_, number = '0') => number],
  [
    /(?<![\w.$)\]]\s*[*/%+-]?\s*)\d[\d_]*(?:\s*\*\s*\d[\d_]*)+(?![\w.])/g,
    (product) => String(product.split('*').reduce((all, factor) => all * numberOf(factor), 1)),
  ],
  [
    /(?<=(?:\breturn|=>|[?:(,=])\s*)\d[\d_]*(?:\.\d+)?(?:\s*[+-]\s*\d[\d_]*(?:\.\d+)?)+(?!\s*[*/%]|[\w.])/g,
    (sum) => String((sum.match(/[+-]?\s*\d[\d_.]*/g) ?? []).reduce((all, part) => all + numberOf(part), 0)),
  ],
]

const deepest = 5

export function joinedPieces(line: string): string {
  let now = line
  for (let round = 0; round < deepest; round++) {
    const next = rewrites.reduce(
      (all, [pattern, value]) => all.replace(pattern, (...found) => value(...(found as string[]))),
      now,
    )
    if (next === now) break
    now = next
  }
  return now
}

const numberOf = (digits: string): number => Number(digits.replace(/[\s_]/g, ''))
const contentOf = (literal: string): string => literal.slice(1, -1)
const contentsOf = (list: string): string[] => (list.match(new RegExp(text, 'g')) ?? []).map(contentOf)
const quoted = (content: string): string => `"${content}"`
const charOf = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '')

/** Only what is text again. */
function decoded(literal: string, how: string): string | null {
  const bytes = how === 'hex' ? fromHex(contentOf(literal)) : fromBase64(contentOf(literal))
  return bytes === null || !/^[\x20-\x7e]+$/.test(bytes) ? null : quoted(bytes.replace(/["\\]/g, ''))
}

const fromHex = (digits: string): string | null =>
  /^(?:[0-9a-f]{2})+$/i.test(digits)
    ? (digits.match(/../g) ?? []).map((pair) => charOf(Number.parseInt(pair, 16))).join('')
    : null

const sixBits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

function fromBase64(letters: string): string | null {
  const plainLetters = letters.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '')
  if (!/^[A-Za-z0-9+/]+$/.test(plainLetters)) return null
  const bits = [...plainLetters].map((letter) => sixBits.indexOf(letter).toString(2).padStart(6, '0')).join('')
  return (bits.match(/.{8}/g) ?? []).map((byte) => charOf(Number.parseInt(byte, 2))).join('')
}
