/** Trees as git keeps them: `<mode> <name>`, a zero byte, and the raw id, for each entry. */
import type { Objects } from './read.ts'

export type TreeEntry = { mode: string; id: string }
/** By name, one character per byte: it need not be UTF-8. */
export type GitTree = Map<string, TreeEntry>

export const FOLDER = '40000'

/** Of a tree, or of a commit; null: it does not exist. */
export async function entriesOf(objects: Objects, name: string): Promise<GitTree | null> {
  const object = await objects.read(name)
  if (object?.type === 'commit') return entriesOf(objects, object.body.toString('latin1', 5, object.body.indexOf(0x0a)))
  return object?.type === 'tree' ? parsed(object.body, object.id.length / 2) : null
}

function parsed(body: Buffer, idBytes: number): GitTree {
  const tree: GitTree = new Map()
  for (let from = 0; from < body.length; ) {
    const space = body.indexOf(0x20, from)
    const zero = body.indexOf(0, space)
    const to = zero + 1 + idBytes
    const [mode, name] = [body.toString('latin1', from, space), body.toString('latin1', space + 1, zero)]
    tree.set(name, { mode, id: body.toString('hex', zero + 1, to) })
    from = to
  }
  return tree
}

/** git sorts a folder as if its name ended with a slash. */
export function treeBody(tree: GitTree): Buffer {
  const keyed = [...tree].map(([name, entry]) => ({ name, entry, key: entry.mode === FOLDER ? `${name}/` : name }))
  keyed.sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0))
  return Buffer.concat(
    keyed.flatMap(({ name, entry }) => [Buffer.from(`${entry.mode} ${name}\0`, 'latin1'), Buffer.from(entry.id, 'hex')]),
  )
}

/** The same for the same content. */
export const keyOf = (entry: TreeEntry | undefined): string => (entry === undefined ? '' : `${entry.mode} ${entry.id}`)

export const isFile = (entry: TreeEntry | undefined): boolean => entry !== undefined && entry.mode !== FOLDER
