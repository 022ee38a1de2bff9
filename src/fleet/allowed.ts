/** Which repositories a worker takes: named on its own machine, where nothing that travels through the queue can change it. */

/** `*` stands for any characters; everything else for itself. */
export function isAllowedBy(patterns: string[]): (repository: string) => boolean {
  const all = patterns.map((pattern) => new RegExp(`^${pattern.split('*').map(literal).join('.*')}$`))
  // "..": a pattern that ends in * must not be left again by the way up.
  return (repository) => !/(^|\/)\.\.(\/|$)/.test(repository) && all.some((one) => one.test(repository))
}

const literal = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
