/** A deliberate bug in the core. `file`: in src/core. `from` must be there exactly once. */
export type Mutant = { name: string; file: string; from: string; to: string }
