/** Quotes text between lines of tildes that nothing inside can end. */

export function fenced(text: string, language: string): string {
  const longest = (text.match(/~+/g) ?? []).reduce((most, row) => Math.max(most, row.length), 0)
  const fence = '~'.repeat(Math.max(3, longest + 1))
  return [`${fence}${language}`, text.trimEnd(), fence].join('\n')
}
