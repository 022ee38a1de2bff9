/** Which repositories a worker accepts: set on its own machine, where nothing in the queue can change it. */

/** `*` matches any characters. */
export function isAllowedBy(patterns: string[]): (repository: string) => boolean {
  const [refused, ...allowed] = rulesFor(patterns).map((rule) => new RegExp(rule))
  return (repository) => refused?.test(repository) === false && allowed.some((one) => one.test(repository))
}

/** The same for the database, which need not send what would be refused: with them a dot matches no line feed, as here. */
export function databaseRules(patterns: string[]): { refused: string; allowed: string[] } {
  const [refused, ...allowed] = rulesFor(patterns).map((rule) => `(?p)${rule}`)
  return { refused: refused ?? '', allowed }
}

/** First what is refused in any case: a pattern that ends with * must not be escaped by "..". */
const rulesFor = (patterns: string[]): [string, ...string[]] => [
  '(^|/)\\.\\.(/|$)',
  ...patterns.map((pattern) => `^${pattern.split('*').map(literal).join('.*')}$`),
]

const literal = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
