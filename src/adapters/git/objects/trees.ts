/** Trees as git keeps them: diff.ts compares them without git, and `.ralph/` is replaced in one by 1 process of 3 ms instead of 4. */
import type { Objects } from './read.ts'

export type TreeEntry = { mode: string; id: string }
/** By name, one character per byte: it need not be UTF-8. */
export type GitTree = ReadonlyMap<string, TreeEntry>

export const FOLDER = '40000'

/** Trees by id, the last used last: what an id names never changes, and two iterations look at the same ones. */
const known = new Map<string, GitTree>()
/** About 4 MB for a few large trees; of small ones, those of a few looks are enough. */
const mostEntries = 20_000
const usualEntries = 3000
const fewTrees = 12
let knownEntries = 0
/** The trees of commits. */
const treeIds = new Map<string, string>()
const mostCommits = 1000

/** Of a tree, or of a commit; null: it does not exist. */
export const entriesOf = async (objects: Objects, name: string): Promise<GitTree | null> =>
  (await treeNamed(objects, name))?.entries ?? null

/** The same with its id. */
export async function treeNamed(objects: Objects, name: string): Promise<{ id: string; entries: GitTree } | null> {
  const there = knownTree(treeIds.get(name) ?? name)
  if (there !== null) return there
  if (!isId(name)) {
    const named = await objects.read(name) // a commit, whose tree is usually known
    if (named?.type === 'commit') return treeNamed(objects, named.id)
  }
  const tree = await objects.read(`${name}^{tree}`)
  if (tree === null) return null
  if (isId(name) && name !== tree.id) {
    if (treeIds.size >= mostCommits) treeIds.clear()
    treeIds.set(name, tree.id)
  }
  return knownTree(tree.id) ?? remembered(tree.id, parsed(tree.body, tree.id.length / 2))
}

function knownTree(id: string): { id: string; entries: GitTree } | null {
  const entries = known.get(id)
  if (entries === undefined) return null
  known.delete(id)
  known.set(id, entries)
  return { id, entries }
}

function remembered(id: string, entries: GitTree): { id: string; entries: GitTree } {
  known.set(id, entries)
  knownEntries += entries.size
  for (const [oldest, { size }] of known) {
    if (knownEntries <= (known.size > fewTrees ? usualEntries : mostEntries)) break
    known.delete(oldest)
    knownEntries -= size
  }
  return { id, entries }
}

const isId = (name: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(name)

/** One string each, for all entries. */
const modes = new Map(['100644', '100755', '120000', '160000', FOLDER].map((mode) => [mode, mode]))

/** Each is `<mode> <name>`, a zero byte, and the raw id. */
function parsed(body: Buffer, idBytes: number): GitTree {
  const tree = new Map<string, TreeEntry>()
  for (let from = 0; from < body.length; ) {
    const space = body.indexOf(0x20, from)
    const zero = body.indexOf(0, space)
    const to = zero + 1 + idBytes
    const [mode, name] = [body.toString('latin1', from, space), body.toString('latin1', space + 1, zero)]
    tree.set(name, { mode: modes.get(mode) ?? mode, id: body.toString('hex', zero + 1, to) })
    from = to
  }
  return tree
}

/** The names of a path as trees have them. */
export const namesIn = (path: string): string[] => Buffer.from(path).toString('latin1').split('/')

/** A tree with another folder at this path, or with none; `idOf` makes or names a tree. null: nothing is left of it. */
export async function withFolder(
  objects: Objects,
  { tree, at: [name = '', ...below], folder }: { tree: string | null; at: string[]; folder: string | null },
  idOf: (body: Buffer) => string | Promise<string>,
): Promise<string | null> {
  const entries = new Map(tree === null ? [] : await entriesOf(objects, tree))
  const there = entries.get(name)
  const inside = there?.mode === FOLDER ? there.id : null
  if (folder === null && (there === undefined || (below.length > 0 && inside === null))) return tree
  const child = below.length === 0 ? folder : await withFolder(objects, { tree: inside, at: below, folder }, idOf)
  if (child === null) entries.delete(name)
  else entries.set(name, { mode: FOLDER, id: child })
  return entries.size === 0 ? null : idOf(treeBody(entries))
}

/** A tree with other files at these paths, or without them (null); paths as trees have them. null: nothing is left of it. */
export async function withFiles(
  objects: Objects,
  tree: string | null,
  changes: Map<string, TreeEntry | null>,
  idOf: (body: Buffer) => Promise<string>,
): Promise<string | null> {
  const entries = new Map(tree === null ? [] : await entriesOf(objects, tree))
  const below = new Map<string, Map<string, TreeEntry | null>>()
  for (const [path, entry] of changes) {
    const slash = path.indexOf('/')
    const [name, rest] = slash === -1 ? [path, ''] : [path.slice(0, slash), path.slice(slash + 1)]
    if (rest !== '') below.set(name, (below.get(name) ?? new Map<string, TreeEntry | null>()).set(rest, entry))
    else if (entry !== null) entries.set(name, entry)
    else if (entries.get(name)?.mode !== FOLDER) entries.delete(name)
  }
  for (const [name, inside] of below) {
    const there = entries.get(name)
    const id = await withFiles(objects, there?.mode === FOLDER ? there.id : null, inside, idOf)
    if (id !== null) entries.set(name, { mode: FOLDER, id })
    else if (there?.mode === FOLDER) entries.delete(name)
  }
  return entries.size === 0 ? null : idOf(treeBody(entries))
}

/** The files of a tree at a path and below it; paths as trees have them. */
export async function filesBelow(objects: Objects, tree: string | null, path: string): Promise<Map<string, TreeEntry>> {
  const files = new Map<string, TreeEntry>()
  const collect = async (at: string, entry: TreeEntry | undefined): Promise<void> => {
    if (entry === undefined) return
    if (entry.mode !== FOLDER) files.set(at, entry)
    else for (const [name, inside] of (await entriesOf(objects, entry.id)) ?? []) await collect(`${at}/${name}`, inside)
  }
  let at: TreeEntry | undefined = tree === null ? undefined : { mode: FOLDER, id: tree }
  for (const name of namesIn(path)) at = at?.mode === FOLDER ? (await entriesOf(objects, at.id))?.get(name) : undefined
  await collect(namesIn(path).join('/'), at)
  return files
}

const submoduleMode = '160000'
/** By tree. */
const submodules = new Map<string, string[]>()
const mostTrees = 50_000

/** Where submodules are in a tree: each tree is read once. Without those whose names are not UTF-8. */
export async function submodulesOf(objects: Objects, tree: string): Promise<string[]> {
  const known = submodules.get(tree)
  if (known !== undefined) return known
  const entries = [...((await entriesOf(objects, tree)) ?? [])]
  const inside = await Promise.all(
    entries.map(async ([name, { mode, id }]) => {
      const path = Buffer.from(name, 'latin1').toString()
      if (mode === submoduleMode) return [path]
      return mode === FOLDER ? (await submodulesOf(objects, id)).map((rest) => `${path}/${rest}`) : []
    }),
  )
  const found = inside.flat().filter((path) => !path.includes('\uFFFD'))
  if (submodules.size >= mostTrees) submodules.clear()
  submodules.set(tree, found)
  return found
}

/** git sorts a folder as if its name ended with a slash. */
function treeBody(tree: GitTree): Buffer {
  const keyed = [...tree].map(([name, entry]) => ({ name, entry, key: entry.mode === FOLDER ? `${name}/` : name }))
  keyed.sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0))
  return Buffer.concat(
    keyed.flatMap(({ name, entry }) => [Buffer.from(`${entry.mode} ${name}\0`, 'latin1'), Buffer.from(entry.id, 'hex')]),
  )
}

/** The same for the same content. */
export const keyOf = (entry: TreeEntry | undefined): string => (entry === undefined ? '' : `${entry.mode} ${entry.id}`)

export const isFile = (entry: TreeEntry | undefined): entry is TreeEntry => entry !== undefined && entry.mode !== FOLDER
