/** .ralph/.gitignore: lists what is only for this machine. */
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { dropFile, readIfThere, replaceFile } from '../files/files.ts'
import { isCopyable } from '../files/open.ts'
import { NAMES, stateFolder } from './layout.ts'

/** Private to this machine, in a feature's folder and in its archive. */
const { events, status, inbox, logs, blocked, decide, stateMd, reportPage } = NAMES
const privateNames = [events, status, `${inbox}/`, `${logs}/`, blocked, decide, stateMd, reportPage]

const rules = [
  ...privateNames.map((name) => `*/${name}`),
  ...privateNames.map((name) => `archive/*/${name}`),
  '/logs/',
  '/lock',
  '/lock.takeover',
  '!/lock/', // a feature may have this name
  '*.tmp-*',
]

export const ignored = `# Only for this machine; commit everything else here.\n${rules.join('\n')}\n`

/** Without it, logs and events would be committed. A file of an older version gets the missing rules; what people wrote stays. */
export function ensureIgnored(root: string): void {
  const path = join(stateFolder(root), '.gitignore')
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats?.isDirectory()) return // git reads no rules from it, and Ralph must not remove it
  const old = readIfThere(path)
  if (old === null) return replaceFile(path, ignored)
  const missing = missingRules(old)
  // Git does not follow a link here.
  if (missing.length > 0 || stats?.isSymbolicLink()) replaceFile(path, withRules(old, missing))
}

/** git reads these itself, and would wait forever on a named pipe in their place. Returns what was removed. */
export function removePipes(root: string, top = root): string[] {
  const names = ['.gitignore', '.gitattributes']
  const paths = [...new Set([stateFolder(root), root, top])].flatMap((folder) => names.map((name) => join(folder, name)))
  const pipes = paths.filter((path) => !isCopyable(path))
  for (const path of pipes) dropFile(path)
  return pipes
}

/** A rule that people reversed or commented out is their decision. */
function missingRules(text: string): string[] {
  const known = new Set(text.split('\n').map((line) => line.replace(/^#\s*/, '').trim()))
  return rules.filter((rule) => !known.has(rule) && !known.has(`!${rule}`))
}

const withRules = (text: string, missing: string[]): string =>
  [text === '' || text.endsWith('\n') ? text : `${text}\n`, ...missing.map((rule) => `${rule}\n`)].join('')
