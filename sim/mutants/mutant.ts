/** A deliberate bug in the core. `file`: in src/core. `from` must occur exactly once. */
export type Mutant = { name: string; file: string; from: string; to: string }
