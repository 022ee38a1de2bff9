/** Cleans text for a terminal: keeps words, and the few control sequences that Ralph itself uses. */

/**
 * Everything else that a terminal would obey (from an agent, a gate, a file name or a plan) is shown as a number, which in JSON means the
 * same character. So are marks that change the text direction, because words would appear in another order.
 */
export const forTerminal = (text: string): string =>
  own.has(text)
    ? text
    : text.replace(obeyed, (found) => (found.length > 1 ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`))

/** Around the live line, which never wraps; and how it is cleared, with what a terminal wrapped of it. */
export const liveLineCodes = { clear: '\r\u001b[J', before: '\u001b[?7l', after: '\u001b[?7h\r' }

/** Each is written separately: the bell, and those of the live line. */
const own = new Set(['\u0007', ...Object.values(liveLineCodes)])

/** Colours; control characters except line ends and tabs; direction marks. */
const obeyed = /\u001b\[(?:[0-2]|3[1-6])?m|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
