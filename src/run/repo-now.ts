/** The content of the repository, or of the folder if there is no repository, in the form of events. */
import { hashFiles } from '../adapters/files/tree-hash.ts'
import type { Repo } from '../core/types.ts'
import type { Work } from './parts.ts'

export const repoOf = ({ head, tree, dirt }: Repo): Repo => ({ head, tree, dirt })

export const repoNow = async ({ git, root }: Pick<Work, 'git' | 'root'>): Promise<Repo> =>
  repoOf(git === null ? hashFiles(root) : await git.snapshot())
