/** What happened to files since a commit: their content then and now, read without git's own view of it, which attributes and the index can change. */
import { lstatSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { FileChange } from '../../core/tamper/code/change.ts'
import { isSettings, isTestCode, mayMatter } from '../../core/tamper/code/files.ts'
import { readRegular } from '../files/open.ts'
import { changedEntries } from './objects/diff.ts'
import type { Objects } from './objects/read.ts'
import { entriesOf, FOLDER, isFile, type TreeEntry } from './objects/trees.ts'

/**
 * `to`: a commit, HEAD if absent. `uncommitted`: paths to read from the work tree. `saved`: files that were uncommitted when the story began, and the commit that has them as they
 * were then. `only`: of these files alone.
 */
export type ChangesSince = {
  from: string
  to?: string
  uncommitted: string[]
  saved?: { at: string; files: string[] }
  only?: string[]
}

const mostBytes = 8 * 1024 * 1024
const mostOfFile = 1024 * 1024
const mostFiles = 2000

/** By path, with content for tests and settings first; a file that is too large has none. */
export async function changesBetween(objects: Objects, top: string, since: ChangesSince): Promise<FileChange[]> {
  const { from, to = 'HEAD', uncommitted, saved, only } = since
  const wanted = only === undefined ? null : new Set(only)
  const older = new Set(saved?.files)
  const committed = new Map((await changedEntries(objects, from, to)).map((change) => [change.path, change]))
  const loose = new Set([...uncommitted, ...older].filter((path) => !path.endsWith('/')))
  const isWanted = (path: string): boolean => mayMatter(path) && !isOurs(path) && (wanted === null || wanted.has(path))
  const paths = [...new Set([...committed.keys(), ...loose])].filter(isWanted).sort(byPath)
  let left = mostBytes
  const bounded = (content: Buffer | null): Buffer | null | 'too large' => {
    if (content === null) return null
    if (content.length > mostOfFile || content.length > left) return 'too large'
    left -= content.length
    return content
  }
  const found: FileChange[] = []
  const ordered = [...paths.filter(isFirst), ...paths.filter((each) => !isFirst(each))]
  for (const path of ordered.slice(0, mostFiles)) {
    const known = committed.get(path)
    const base = older.has(path) ? saved?.at : undefined
    const was = base === undefined && known !== undefined ? known.before : await entryAt(objects, base ?? from, path)
    const [then, now] = await Promise.all([
      blobOf(objects, was),
      loose.has(path) ? contentAt(join(top, path)) : blobOf(objects, known?.after),
    ])
    const [before, after] = [bounded(then), bounded(now)]
    if (before === null && after === null) continue
    const kind = before === null ? 'added' : after === null ? 'deleted' : 'modified'
    if (before === 'too large' || after === 'too large') found.push(unread(path, kind))
    else if (before === null || after === null || !before.equals(after)) {
      const isLink = loose.has(path) ? isLinkAt(join(top, path)) : known?.after?.mode === LINK
      const text = after?.toString() ?? ''
      found.push({
        path,
        kind,
        before: before?.toString() ?? '',
        after: text,
        ...(isLink && after !== null ? { link: text } : {}),
      })
    }
  }
  const others = ordered
    .slice(mostFiles)
    .map((path) => unread(path, committed.get(path)?.before === undefined ? 'added' : 'modified'))
  return [...found, ...others].sort((one, other) => byPath(one.path, other.path))
}

const unread = (path: string, kind: FileChange['kind']): FileChange => ({ path, kind, before: '', after: '', isUnread: true })

/** Files of a commit that the filter wants, with their content. */
export async function filesAt(
  objects: Objects,
  commit: string,
  isWanted: (path: string) => boolean,
): Promise<{ path: string; text: string }[]> {
  const entries = (await changedEntries(objects, null, commit)).filter(({ path }) => isWanted(path)).slice(0, mostFiles)
  let left = mostBytes
  const files: { path: string; text: string }[] = []
  for (const { path, after } of entries) {
    const content = await blobOf(objects, after)
    if (content === null || content.length > mostOfFile || content.length > left) continue
    left -= content.length
    files.push({ path, text: content.toString() })
  }
  return files
}

const isFirst = (path: string): boolean => isTestCode(path) || isSettings(path)
const isOurs = (path: string): boolean => /(^|\/)\.ralph\//.test(path)
const byPath = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

async function blobOf(objects: Objects, entry: TreeEntry | undefined): Promise<Buffer | null> {
  if (!isFile(entry) || entry === undefined || entry.mode.startsWith('16')) return null
  const blob = await objects.read(entry.id)
  return blob?.type === 'blob' ? blob.body : null
}

async function entryAt(objects: Objects, commit: string, path: string): Promise<TreeEntry | undefined> {
  let name = commit
  let entry: TreeEntry | undefined
  for (const part of Buffer.from(path).toString('latin1').split('/')) {
    entry = (await entriesOf(objects, name))?.get(part)
    if (entry === undefined) return undefined
    name = entry.id
  }
  return entry?.mode === FOLDER ? undefined : entry
}

const LINK = '120000'

function isLinkAt(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false
  }
}

/** As git would commit it: of a link, where it leads. null: not there, or nothing that git keeps. */
function contentAt(path: string): Buffer | null {
  try {
    return lstatSync(path).isSymbolicLink() ? Buffer.from(readlinkSync(path)) : readRegular(path, mostOfFile + 1)
  } catch {
    return null
  }
}
