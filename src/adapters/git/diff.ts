/** Files that differ between two commits, read from git's objects: after every iteration, without starting a git. */
import type { Objects } from './objects.ts'

/** Paths from the top in git's order; none where one of the two is gone. null: before the first commit. */
export async function diffFiles(objects: Objects, from: string | null, to: string): Promise<string[]> {
  const [before, after] = await Promise.all([from === null ? noFiles : entriesOf(objects, from), entriesOf(objects, to)])
  if (before === null || after === null) return []
  return (await changed(objects, '', before, after)).sort(compareBytes)
}

type Entry = { mode: string; id: string }
type Entries = Map<string, Entry>

const noFiles: Entries = new Map()
const folderMode = '40000'

async function changed(objects: Objects, folder: string, before: Entries, after: Entries): Promise<string[]> {
  const names = [...new Set([...before.keys(), ...after.keys()])]
  const differing = names.filter((name) => keyOf(before.get(name)) !== keyOf(after.get(name)))
  const paths = await Promise.all(
    differing.map(async (name) => {
      const [was, is] = [before.get(name), after.get(name)]
      const path = `${folder}${name}`
      const isFile = [was, is].some((entry) => entry !== undefined && entry.mode !== folderMode)
      const inside = await Promise.all([was, is].map((entry) => filesIn(objects, entry)))
      return [...(isFile ? [path] : []), ...(await changed(objects, `${path}/`, inside[0]!, inside[1]!))]
    }),
  )
  return paths.flat()
}

const keyOf = (entry: Entry | undefined): string => (entry === undefined ? '' : `${entry.mode} ${entry.id}`)

async function filesIn(objects: Objects, entry: Entry | undefined): Promise<Entries> {
  return entry?.mode === folderMode ? ((await entriesOf(objects, entry.id)) ?? noFiles) : noFiles
}

/** Of a tree, or of a commit's; null: there is none. */
async function entriesOf(objects: Objects, name: string): Promise<Entries | null> {
  const object = await objects.read(name)
  if (object?.type === 'commit') return entriesOf(objects, object.body.toString('latin1', 5, object.body.indexOf(0x0a)))
  return object?.type === 'tree' ? parsed(object.body, object.id.length / 2) : null
}

/** Entries of a tree are `<mode> <name>`, a zero byte, and the raw id. */
function parsed(body: Buffer, idBytes: number): Entries {
  const entries: Entries = new Map()
  for (let from = 0; from < body.length; ) {
    const space = body.indexOf(0x20, from)
    const zero = body.indexOf(0, space)
    const to = zero + 1 + idBytes
    const name = body.toString('utf8', space + 1, zero)
    entries.set(name, { mode: body.toString('latin1', from, space), id: body.toString('hex', zero + 1, to) })
    from = to
  }
  return entries
}

const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
