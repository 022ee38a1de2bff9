/** A commit, tree or blob as git keeps it. */

export type GitObject = { id: string; type: string; body: Buffer }
