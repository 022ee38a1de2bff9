/** Text made safe for a page: nothing that comes from a log is ever read as markup. */

/** For text and for attribute values in double quotes. What no page may hold (control characters, lone surrogates) shows as a mark. */
export const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, '\ufffd')
    .replace(/[&<>"']/g, (char) => entities[char] ?? char)

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
