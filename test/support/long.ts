/** `npm test` tries a sample of what has many cases alike; `npm run test:long`, at night, tries them all. */

export const isLong = process.env['RALPH_TESTS'] === 'long'

export const sampleOf = <T>(all: T[], size: number): T[] => (isLong ? all : spread(all, size))

/** So many of them, spread evenly: the same ones each time. */
export const spread = <T>(all: T[], size: number): T[] =>
  Array.from({ length: size }, (_, n) => all[Math.floor(((n + 0.5) * all.length) / size)]!)
