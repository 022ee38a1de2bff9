/** Files that the settings protect: nobody changes them in a story, with whatever tool. */
import { matchesGlob } from '../text/glob.ts'
import type { Finding } from './finding.ts'

export const protectedChanges = (files: string[], patterns: string[]): Finding[] =>
  [...new Set(files)].flatMap((file): Finding[] => {
    const pattern = patterns.find((known) => matchesGlob(file, known))
    return pattern === undefined
      ? []
      : [{ rule: 'protected-file', file, words: `changed ${file}, which gates.protected (${pattern}) protects`, isCertain: true }]
  })
