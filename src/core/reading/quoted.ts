/** Text that Ralph quotes to an agent, with every signal in it altered, so that an echo does not count as one. */
import { plainText } from './message.ts'
import { tagStart } from './promise.ts'
import { markerName } from './status-block.ts'

/** People can still read it: ‹promise›COMPLETE‹/promise›, RALPH·STATUS. */
export function withoutSignals(text: string, promise: string): string {
  // A lone escape character could become a colour code, and vanish, when the agent prints it.
  const plain = plainText(text).replaceAll('\x1b', '')
  const broken = plain
    .replace(/(<[ \t]{0,3}\/?[ \t]{0,3}promise(?:\s[^<>]{0,200})?)>/gi, '$1›')
    .replace(tagStart, '‹$1')
    .replace(markerName, (name) => name.replace(/\\?_(?=STATUS$)/i, '·'))
  return withoutPhrase(broken, promise.trim())
}

/** A separator goes into each occurrence, including overlapping ones; it is not a character of the phrase, so it makes no new one. */
function withoutPhrase(text: string, phrase: string): string {
  if (phrase === '') return text
  const separator = ['·', '¦', '-'].find((mark) => !phrase.includes(mark)) ?? '\u2063'
  const [head = ''] = phrase
  const replacement = head === phrase ? separator : head + separator
  let result = ''
  let from = 0
  for (let at = text.indexOf(phrase); at !== -1; at = text.indexOf(phrase, from)) {
    result += text.slice(from, at) + replacement
    from = at + head.length
  }
  return result + text.slice(from)
}
