/** Escapes text for the page: nothing from a log is ever read as markup. */

/**
 * For text and for attribute values in double quotes. Characters that no page may contain (control characters, lone surrogates) become a placeholder.
 */
export const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, '\ufffd')
    .replace(/[&<>"']/g, (char) => entities[char] ?? char)

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
