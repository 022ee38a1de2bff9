/** A broken invariant, by its name. */

export class Violation extends Error {}

export function ensure(isTrue: boolean, invariant: string, detail: () => string = () => ''): void {
  if (!isTrue) throw new Violation(`${invariant}${detail() === '' ? '' : `: ${detail()}`}`)
}
