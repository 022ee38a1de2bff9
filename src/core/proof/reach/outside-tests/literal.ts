/** Reads values that a test writes out: numbers, texts, lists and objects of them. */

const atom =
  /(?:-\s*)?(?:0[xob][\da-f_]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?|Infinity)n?|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\$]|\\.)*`|\b(?:true|false|null|undefined|NaN|True|False|None)\b/iy
const key = /[A-Za-z_$][\w$]*(?=\s*:)/y
const blanks = /\s*/y

/** The position behind the value that begins here; -1: there is no such value. */
export function endOfLiteral(text: string, from: number): number {
  const at = skip(blanks, text, from)
  const open = text[at] ?? ''
  const close = { '[': ']', '{': '}', '(': ')' }[open]
  return close === undefined ? skip(atom, text, at, -1) : endOfList(text, at + 1, close)
}

/** Behind the closing bracket; -1: something else is in the list. */
export function endOfList(text: string, from: number, close: string): number {
  for (let at = skip(blanks, text, from); at < text.length; ) {
    if (text[at] === close) return at + 1
    at = endOfEntry(text, at, close)
    if (at === -1) return -1
    at = skip(blanks, text, at)
    if (text[at] === ',') at = skip(blanks, text, at + 1)
    else if (text[at] !== close) return -1
  }
  return -1
}

function endOfEntry(text: string, from: number, close: string): number {
  if (close !== '}') return endOfLiteral(text, from)
  const named = skip(key, text, from)
  const at = skip(blanks, text, named === from ? endOfLiteral(text, from) : named)
  if (at === -1) return -1
  return text[at] === ':' ? endOfLiteral(text, at + 1) : at
}

export function skip(pattern: RegExp, text: string, from: number, otherwise = from): number {
  if (from < 0) return -1
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : otherwise
}
