/** Makes mutants of the lines that a story changed: small bugs that its tests should notice. The same ones for the same commit. */
import { type Change, changesOf, type FileChange } from '../../tamper/code/change.ts'
import { isSource } from '../../tamper/code/files.ts'
import { codeInPlace, syntaxOf } from '../../tamper/code/source-lines.ts'
import { fingerprint } from '../../text/hash.ts'
import { changesTo, type LineChange, type MutableLine } from './kinds.ts'
import type { Survivor } from './mutation.ts'

/** `text`: the whole file with the change in it. */
export type CodeMutant = Survivor & { text: string }

type Place = { path: string; index: number; line: MutableLine; changes: LineChange[]; texts: string[] }

/** At most `most`, spread over files and lines before a line gets a second one. `seed`: the commit. */
export function mutantsOf(files: FileChange[], seed: string, most: number): CodeMutant[] {
  const places = changesOf(files)
    .filter(({ path, kind }) => isSource(path) && kind !== 'deleted')
    .map((change) => inOrder(placesIn(change), seed))
  const rows = inTurn(places)
  const mutants: CodeMutant[] = []
  for (let turn = 0; mutants.length < most && rows.some(({ changes }) => changes.length > turn); turn++)
    for (const place of rows) {
      const change = chosen(place, seed, turn)
      if (change !== undefined && mutants.length < most) mutants.push(mutantAt(place, change))
    }
  return mutants
}

/** The lines that came, with all that could be done to each. */
function placesIn({ path, afterText, added }: Change): Place[] {
  const texts = afterText.split('\n')
  const codes = codeInPlace(afterText, syntaxOf(path)).split('\n')
  const tests = /\.rs$/.test(path) ? codes.findIndex((code) => code.includes('#[cfg(test)]')) : -1
  const numbers = new Set(added.map(({ at }) => at - 1).filter((index) => tests === -1 || index < tests))
  const near = (index: number, step: 1 | -1): string => {
    for (let at = index + step; at >= 0 && at < codes.length; at += step) if (codes[at]?.trim()) return codes[at] ?? ''
    return ''
  }
  return [...numbers].flatMap((index) => {
    const line = { text: texts[index] ?? '', code: codes[index] ?? '', before: near(index, -1), after: near(index, 1) }
    const changes = changesTo(path, line).filter(({ from, to, instead }) => line.text.slice(from, to) !== instead)
    return changes.length === 0 ? [] : [{ path, index, line, changes, texts }]
  })
}

const inOrder = (places: Place[], seed: string): Place[] => {
  const rank = ({ path, index }: Place): number => fingerprint(`${seed} ${path} ${index}`)
  return places.toSorted((one, other) => rank(one) - rank(other))
}

/** One of each list, then the next of each. */
function inTurn<T>(lists: T[][]): T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length))
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list.slice(index, index + 1))).flat()
}

/** Another one at each turn. */
function chosen({ path, index, changes }: Place, seed: string, turn: number): LineChange | undefined {
  if (turn >= changes.length) return undefined
  return changes[(fingerprint(`${path} ${index} ${seed}`) + turn) % changes.length]
}

function mutantAt({ path, index, line, texts }: Place, { from, to, instead }: LineChange): CodeMutant {
  const changed = line.text.slice(0, from) + instead + line.text.slice(to)
  return {
    file: path,
    line: index + 1,
    before: shown(line.text),
    after: shown(changed),
    text: texts.with(index, changed).join('\n'),
  }
}

const longest = 160
const shown = (text: string): string => {
  const plain = text.trim()
  return plain.length > longest ? `${plain.slice(0, longest - 1)}…` : plain
}
