/** Merges two lines of work that changed different files, without starting git: most stories are like that. */
import type { Objects } from './read.ts'
import { entriesOf, FOLDER, type GitTree, isFile, keyOf, type TreeEntry, treeBody } from './trees.ts'
import type { Store } from './write.ts'

type Sides<T> = { fork: T; ours: T; theirs: T }

/**
 * The merged tree; null: both changed the same path, and git must merge. `own`: a folder that belongs to one side. Gives what git would give:
 * a moved file counts as removed, and what both changed or removed is left to git.
 */
export async function plainMerge(
  { objects, store }: { objects: Objects; store: Store },
  { fork, ours, theirs }: Sides<string>,
  own: { path: string[]; side: 'ours' | 'theirs' },
): Promise<string | null> {
  const read = async (id: string | null): Promise<GitTree> => (id === null ? null : await entriesOf(objects, id)) ?? new Map()

  /** The path from here to the folder that belongs to one side; empty: it is not in here. */
  async function mergedTree(ids: Sides<string | null>, [next, ...below]: string[]): Promise<GitTree | null> {
    const [was, here, there] = [await read(ids.fork), await read(ids.ours), await read(ids.theirs)]
    const merged: GitTree = new Map()
    for (const name of new Set([...was.keys(), ...here.keys(), ...there.keys()])) {
      const sides = { fork: was.get(name), ours: here.get(name), theirs: there.get(name) }
      const entry = name === next ? await onTheWay(sides, below) : await mergedEntry(sides)
      if (entry === null) return null
      if (entry !== undefined) merged.set(name, entry)
    }
    return merged
  }

  /** undefined: it no longer exists. */
  type Merged = Promise<TreeEntry | undefined | null>
  const onTheWay = async (sides: Sides<TreeEntry | undefined>, below: string[]): Merged =>
    below.length === 0 ? sides[own.side] : mergedFolder(sides, below)

  async function mergedEntry(sides: Sides<TreeEntry | undefined>): Merged {
    const [was, here, there] = [sides.fork, sides.ours, sides.theirs].map(keyOf)
    if (there === was) return sides.ours
    if (here === was) return sides.theirs
    if (here !== there) return mergedFolder(sides, [])
    // If both removed it, one may have moved it elsewhere.
    return sides.fork === undefined || (isFile(sides.fork) && isFile(sides.ours)) ? sides.ours : null
  }

  async function mergedFolder({ fork, ours, theirs }: Sides<TreeEntry | undefined>, way: string[]): Merged {
    const inside = { fork: folderIn(fork), ours: folderIn(ours), theirs: folderIn(theirs) }
    const tree = inside.ours === null || inside.theirs === null ? null : await mergedTree(inside, way)
    if (tree === null) return null
    return tree.size === 0 ? undefined : { mode: FOLDER, id: store.write('tree', treeBody(tree)) }
  }

  const whole = await mergedTree({ fork, ours, theirs }, own.path)
  return whole === null ? null : store.write('tree', treeBody(whole))
}

const folderIn = (entry: TreeEntry | undefined): string | null => (entry?.mode === FOLDER ? entry.id : null)
