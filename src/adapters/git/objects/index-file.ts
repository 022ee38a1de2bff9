/** Reads git's index by gitformat-index: 0.1 ms instead of the 4 ms of a `git diff-index` for each story that passes, and 10 ms of 100,000 entries. */
import { FOLDER, type TreeEntry } from './trees.ts'

/** If this file alone does not tell, or cannot be read, it may have some. */
export type IndexMarks = { hasBits: boolean; hasRepos: boolean; hasLinks: boolean }

export const marksIn = (index: Buffer, idBytes: number): IndexMarks => readIndex(index, idBytes).marks

/** `staged`: what would be committed at a path and below it; paths as trees have them. null: git has to be asked. */
export function readIndex(
  index: Buffer,
  idBytes: number,
  path?: string,
): { marks: IndexMarks; staged: Map<string, TreeEntry> | null } {
  const marks = { hasBits: false, hasRepos: false, hasLinks: false }
  const staged = new Map<string, TreeEntry>()
  const start = Buffer.from(path ?? '').toString('latin1')
  const first = path === undefined ? -1 : start.charCodeAt(0)
  let isPlain = path !== undefined
  let name = ''
  const isWhole = eachEntry(index, idBytes, ({ flags, extended, mode, idAt, kept, nameAt, end }) => {
    marks.hasBits ||= (flags & ASSUME_UNCHANGED) !== 0 || (extended & SKIP_WORKTREE) !== 0
    marks.hasRepos ||= mode === REPOSITORY
    marks.hasLinks ||= mode === LINK
    isPlain &&= mode !== FOLDER_MODE // a sparse index has folders
    if (!isPlain) return
    if (kept !== undefined) name = name.slice(0, name.length - kept) + index.toString('latin1', nameAt, end)
    else if (index[nameAt] !== first) return
    else name = index.toString('latin1', nameAt, end)
    if (!name.startsWith(start) || (name.length > start.length && name[start.length] !== '/')) return
    isPlain = (flags & STAGE) === 0 && (extended & INTENT_TO_ADD) === 0
    staged.set(name, { mode: mode.toString(8), id: index.toString('hex', idAt, idAt + idBytes) })
  })
  return {
    marks: isWhole ? marks : { hasBits: true, hasRepos: true, hasLinks: true },
    staged: isWhole && isPlain ? staged : null,
  }
}

const modeAt = 24
const statBytes = 40
const FOLDER_MODE = Number.parseInt(FOLDER, 8)
const REPOSITORY = 0o160000
const LINK = 0o120000
const ASSUME_UNCHANGED = 0x8000
const EXTENDED = 0x4000
const STAGE = 0x3000
const SKIP_WORKTREE = 0x4000
const INTENT_TO_ADD = 0x2000

/** `extended`: 0 if there are none. `kept`: in version 4, how much of the previous name's end is left out. */
type IndexEntry = {
  flags: number
  extended: number
  mode: number
  idAt: number
  kept: number | undefined
  nameAt: number
  end: number
}

/** One object for all. false: it does not tell everything, or is of another form. */
function eachEntry(index: Buffer, idBytes: number, visit: (entry: IndexEntry) => void): boolean {
  if (index.length === 0) return true
  if (index.length < 12 || index.toString('latin1', 0, 4) !== 'DIRC') return false
  const [version, count] = [index.readUInt32BE(4), index.readUInt32BE(8)]
  if (version < 2 || version > 4) return false
  const entry: IndexEntry = { flags: 0, extended: 0, mode: 0, idAt: 0, kept: undefined, nameAt: 0, end: 0 }
  let at = 12
  for (let number = 0; number < count; number++) {
    const flagsAt = at + statBytes + idBytes
    if (flagsAt + 4 > index.length) return false
    entry.flags = index.readUInt16BE(flagsAt)
    const isExtended = (entry.flags & EXTENDED) !== 0
    entry.extended = isExtended ? index.readUInt16BE(flagsAt + 2) : 0
    entry.mode = index.readUInt32BE(at + modeAt)
    entry.idAt = at + statBytes
    entry.nameAt = flagsAt + (isExtended ? 4 : 2)
    if (version === 4) readKept(index, entry)
    entry.end = index.indexOf(0, entry.nameAt)
    if (entry.end === -1) return false
    visit(entry)
    at = version === 4 ? entry.end + 1 : at + ((entry.end - at + 8) & ~7)
  }
  return index.toString('latin1', at, at + 4) !== 'link' // the rest is in another file
}

/** Seven bits per byte, as in the offsets of packs. */
function readKept(index: Buffer, entry: IndexEntry): void {
  let byte = index[entry.nameAt++] ?? 0
  let kept = byte & 0x7f
  while ((byte & 0x80) !== 0) {
    byte = index[entry.nameAt++] ?? 0
    kept = (kept + 1) * 0x80 + (byte & 0x7f)
  }
  entry.kept = kept
}
