/** Text for places where some characters do things: patterns, markup, shells. */

export const inPattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** Of HTML, Slack, Telegram and notifications, outside attributes. */
export const inMarkup = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

export const inShell = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
