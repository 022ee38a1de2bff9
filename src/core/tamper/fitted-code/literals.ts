/** Literals of the source that may be inputs or expected values of tests. */
import type { SourceLine } from '../code/source-lines.ts'
import { joinedPieces } from './joined-pieces.ts'

export const literal = String.raw`"(?:[^"\\]|\\.)*"|-?\d[\d_]*(?:\.\d+)?\b|\b(?:true|false|True|False|null|None|nil|undefined)\b`

/** Unit names, codes and the like are given their values in honest code too. */
export const isWord = (value: string): boolean => /^"[A-Za-z_-]{0,20}"$/.test(value)
export const isTrivial = (value: string): boolean =>
  /^(?:-?[012]|"\s*"|true|false|True|False|null|None|nil|undefined)$/.test(value)

/** A text such as "200/10/0" stands for its numbers; zeros may be defaults. */
export const partsOf = (value: string): string[] =>
  /^"\d+(?:\.\d+)?(?:[^\d."]+\d+(?:\.\d+)?)+"$/.test(value)
    ? (value.match(/\d+(?:\.\d+)?/g) ?? []).filter((part) => part !== '0')
    : [value]

/** With one kind of quotes, and what is written in pieces as what it is: 2 * 60 is 120. */
export const plain = ({ bare }: Pick<SourceLine, 'bare'>): string => joinedPieces(bare.replace(/['`]/g, '"'))

/** What a test expects: all literals of one of its assertions, or of one row of its tables; and the names of what it calls. */
export type Expected = { name: string; path: string; values: Set<string> }
