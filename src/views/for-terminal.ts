/** What may be written to a terminal: words, and the few sequences that Ralph itself uses. */

/**
 * Whatever else a terminal would obey (it may come from an agent, a gate, a file name or a plan) is shown as its number, which in JSON means
 * the same as the character. So is what turns the direction of writing: words would not be read in the order in which they stand.
 */
export const forTerminal = (text: string): string =>
  own.has(text)
    ? text
    : text.replace(obeyed, (found) => (found.length > 1 ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`))

/** Each is written by itself: the bell, and the wiping of the live line. */
const own = new Set(['\u0007', '\r\u001b[2K'])

/** Colours; control characters but for line ends and tabs; marks of direction. */
const obeyed = /\u001b\[(?:[0-2]|3[1-6])?m|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
