/** A quick hash of a text (FNV-1a, 32 bits): for comparing texts, not for security. */
export function fingerprint(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

export const hexFingerprint = (text: string): string => fingerprint(text).toString(16).padStart(8, '0')

/** Four letters and digits that nobody writes by accident. */
export function codeOf(text: string): string {
  const letters = 'bcdfghjkmnpqrstvwxz23456789'
  let rest = fingerprint(text)
  let code = ''
  for (let i = 0; i < 4; i++) {
    code += letters[rest % letters.length]
    rest = Math.floor(rest / letters.length)
  }
  return code
}
