/** Files that differ between two commits: 0.4 ms instead of the 3 ms of `git diff-tree`, twice in the 15 ms between two iterations. */
import type { Objects } from './read.ts'
import { entriesOf, FOLDER, type GitTree, isFile, keyOf, type TreeEntry } from './trees.ts'

/** Paths from the top in git's order; empty if one of the two is missing. null: before the first commit. */
export async function diffFiles(objects: Objects, from: string | null, to: string): Promise<string[]> {
  return (await changedEntries(objects, from, to)).map(({ path }) => path)
}

export type ChangedEntry = { path: string; before?: TreeEntry; after?: TreeEntry }

/** The same with what each path had and has. */
export async function changedEntries(objects: Objects, from: string | null, to: string): Promise<ChangedEntry[]> {
  const [before, after] = await Promise.all([from === null ? noFiles : entriesOf(objects, from), entriesOf(objects, to)])
  if (before === null || after === null) return []
  const found = await changed(objects, '', before, after)
  return found
    .sort((one, other) => compareBytes(one.path, other.path))
    .map(({ path, ...entries }) => ({ path: Buffer.from(path, 'latin1').toString(), ...entries }))
}

const noFiles: GitTree = new Map()

async function changed(objects: Objects, folder: string, before: GitTree, after: GitTree): Promise<ChangedEntry[]> {
  const names = [...new Set([...before.keys(), ...after.keys()])]
  const differing = names.filter((name) => keyOf(before.get(name)) !== keyOf(after.get(name)))
  const paths = await Promise.all(
    differing.map(async (name) => {
      const [was, is] = [before.get(name), after.get(name)]
      const path = `${folder}${name}`
      const [old, now] = await Promise.all([filesIn(objects, was), filesIn(objects, is)])
      const own: ChangedEntry = { path, ...(isFile(was) ? { before: was } : {}), ...(isFile(is) ? { after: is } : {}) }
      return [...(isFile(was) || isFile(is) ? [own] : []), ...(await changed(objects, `${path}/`, old, now))]
    }),
  )
  return paths.flat()
}

async function filesIn(objects: Objects, entry: TreeEntry | undefined): Promise<GitTree> {
  return entry?.mode === FOLDER ? ((await entriesOf(objects, entry.id)) ?? noFiles) : noFiles
}

/** Each of their characters is a byte. */
const compareBytes = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
