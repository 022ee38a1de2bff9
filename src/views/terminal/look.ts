/** What the output may use: colours, glyphs beyond ASCII, a width to wrap at, a cursor. Decided here, once, for every command. */

export type TerminalLook = {
  hasColour: boolean
  /** Otherwise each glyph is replaced by ASCII. */
  hasGlyphs: boolean
  /** Lines are wrapped at this width; null: never, because a file or a program reads them. */
  columns: number | null
  /** A live line can be drawn and wiped. */
  hasCursor: boolean
}

type OutputDoor = { env: Record<string, string | undefined>; isTerminal: boolean; columns?: number | undefined }

export function lookOf({ env, isTerminal, columns = 80 }: OutputDoor): TerminalLook {
  const isDumb = env['TERM'] === 'dumb'
  const forced = env['FORCE_COLOR']
  const hasColour = forced ? !/^(?:0|false)$/i.test(forced) : isTerminal && !isDumb && !env['NO_COLOR']
  return {
    hasColour,
    hasGlyphs: isUtf8(env),
    columns: isTerminal && columns > 0 ? columns : null,
    hasCursor: isTerminal && !isDumb,
  }
}

/** As files and programs get it. */
export const plainLook: TerminalLook = { hasColour: false, hasGlyphs: true, columns: null, hasCursor: false }

/** The first of these that is set says it. A terminal in a container often has none, and shows UTF-8. */
function isUtf8(env: OutputDoor['env']): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || ''
  return locale === '' || /utf-?8/i.test(locale)
}
