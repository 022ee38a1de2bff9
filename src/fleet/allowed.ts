/** Which repositories a worker accepts: set on its own machine, where nothing in the queue can change it. */

/** `*` matches any characters. */
export function isAllowedBy(patterns: string[]): (repository: string) => boolean {
  const all = patterns.map((pattern) => new RegExp(`^${pattern.split('*').map(literal).join('.*')}$`))
  // "..": a pattern that ends with * must not be escaped that way.
  return (repository) => !/(^|\/)\.\.(\/|$)/.test(repository) && all.some((one) => one.test(repository))
}

const literal = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
