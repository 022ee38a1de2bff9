/** Wrong values in place of results, of the same kind: as text for each language. */

/** Of what kind a result is that can be replaced. */
export const resultKinds = ['number', 'text', 'truth', 'list', 'object'] as const
export type ResultKind = (typeof resultKinds)[number]

const inScript: Record<ResultKind, string> = { number: '-987654.25', text: '"¤"', truth: 'false', list: '[]', object: '{}' }
const inPython: Record<ResultKind, string> = { ...inScript, truth: 'False' }

export function blanksOf(path: string): Record<ResultKind, string> {
  if (path.endsWith('.py')) return inPython
  if (!/tsx?$/.test(path)) return inScript
  return { number: '-987654.25 as any', text: '"¤" as any', truth: 'false as any', list: '[] as any', object: '{} as any' }
}
