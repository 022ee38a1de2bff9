/** Whether a message may be taken for done: the rules again, in their simplest form, and without a line of the program's own. */

/** Too strict by nothing: what this says no to must not be a claim, while much that it lets pass is none either. */
export function mayClaim(message: string, promise: string): { byPromise: boolean; byBlock: boolean; byWords: boolean } {
  const text = message.replace(/\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[@-Z\\^_])/g, '')
  const lines = text.split(/\r\n|\n|\r/)
  return {
    byPromise: promise !== '' && lines.some((_, at) => holdsPromise(lines, at, promise)),
    byBlock: /ralph\\?_status/i.test(text) && lines.some((line) => /(exit[\s_\\-]*signal|status)[\s*_`]*[:=]/i.test(line)),
    byWords: /done|complete|finished|nothing to do|no changes|already implemented|no further action|project ready/i.test(text),
  }
}

/** Whether a block of the usual form, outside of any fence or quotation, says at last that it is not the end. */
export function deniesExit(message: string): boolean {
  const blocks = [...message.matchAll(/^---RALPH_STATUS---\n((?:[A-Z_]+: [\w ]+\n)*)---END_RALPH_STATUS---$/gm)]
  const isPlain = !/[`~>\x1b]|<\W*promise/i.test(message) && (message.match(/RALPH/gi)?.length ?? 0) === 2 * blocks.length
  return (
    isPlain &&
    /^EXIT_SIGNAL: (false|no)\b/im.test(blocks.at(-1)?.[1] ?? '') &&
    !/^EXIT_SIGNAL: (true|yes)/im.test(blocks.at(-1)?.[1] ?? '')
  )
}

/** At the end of its line, outside of quotations, and in no fence that more text follows. */
function holdsPromise(lines: string[], at: number, promise: string): boolean {
  const last = lines[at]!
  const isTag = /^<promise>.*<\/promise>$/is.test(promise)
  const ending = isTag ? '</promise>' : promise
  const found = isTag ? /<[ \t]*\/[ \t]*promise(\s[^<>]*)?>/gi : new RegExp(promise.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'g')
  const ends = [...last.matchAll(found)].map((match) => match.index + match[0].length)
  if (!ends.some((end) => !/[\p{L}\p{N}.,;?]/u.test(last.slice(end).replace(/[\w-]+/, '')))) return false
  if (
    isTag &&
    !lines
      .slice(0, at + 1)
      .join('\n')
      .replace(/\s+/g, ' ')
      .toLowerCase()
      .includes(ending.slice(2, -1))
  )
    return false
  if (/^\s*>/.test(last)) return false
  return !isInside(lines, at)
}

/** In a fence after whose end something else is said. */
function isInside(lines: string[], at: number): boolean {
  let fence = ''
  let opened = -1
  for (const [place, line] of lines.entries()) {
    const mark = /^\s*(?:(?:[-*+]|\d{1,3}[.)])\s+)?(`{3,}|~{3,})(.*)$/.exec(line)
    if (fence === '') {
      if (mark && !/^\s*>/.test(line) && !(mark[1]!.startsWith('`') && mark[2]!.includes('`')))
        [fence, opened] = [mark[1]!, place]
    } else if (line.trim().length >= fence.length && line.trim() === fence[0]!.repeat(line.trim().length)) {
      if (opened <= at && at <= place) return lines.slice(place + 1).some((rest) => rest.trim() !== '')
      fence = ''
    }
  }
  return false
}
