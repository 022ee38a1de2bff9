/** Finds a signal copied in the altered form of a prompt: it does not count, and the agent must be told. */
import { evidenceOf, type Message, type MessageLine } from './message.ts'
import { withoutSignals } from './quoted.ts'

/** The evidence, or undefined. */
export function copiedSignal({ lines }: Message, promise: string): string | undefined {
  const wanted = promise.trim()
  const isOwnPhrase = wanted !== '' && !/^<promise>/i.test(wanted)
  const phrases = isOwnPhrase ? [withoutSignals(wanted, wanted), [...wanted].join(' ')] : []
  const isCopied = (line: MessageLine): boolean => {
    if (line.isQuoted || line.fence?.isEnd === false || line.text.length > 2000) return false
    const text = line.text.replace(/^[\s*_`~#>-]+|[\s*_`~.]+$/g, '')
    return tag.test(text) || marker.test(line.text) || phrases.includes(text)
  }
  // An echo of the whole prompt is not a copied line.
  const isEchoed = (line: MessageLine, place: number): boolean =>
    line.isEcho === true && lines.slice(0, place).findLast(({ text }) => /\p{L}/u.test(text))?.isEcho === true
  const found = lines.findLast((line, place) => isCopied(line) && !isEchoed(line, place))
  return found === undefined ? undefined : evidenceOf('copied from a prompt', found.text)
}

/** In any brackets but the right ones: ‹promise›COMPLETE‹/promise›, &lt;promise&gt;, [promise]. */
const tag = /^(?:[‹«〈《＜⟨❮[{(]|&lt;)\s?promise(?:\s[^›»〉》＞⟩❯\]})\n]{0,100})?(?:[›»〉》＞⟩❯\]})>]|&gt;)\s*[\p{L}\p{N}]/iu
const marker = /^[\s*_`#]*[-–—=]*[\s*_`]*RALPH[·. -]STATUS[\s*_`]*(?:[-–—=]+|:)[\s*_`:]*$/i
