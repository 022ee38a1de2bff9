/** .ralph/.gitignore: what is for this machine alone. */
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
  '!/lock/', // a feature may be called that
  '*.tmp-*',
]

export const ignored = `# What only this machine needs; everything else here is worth committing.\n${rules.join('\n')}\n`

/** Without it, logs and events would be committed. A file of an older version gets the rules that it lacks; what people wrote in it stays. */
export function ensureIgnored(root: string): void {
  const path = join(stateFolder(root), '.gitignore')
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats?.isDirectory()) return // git reads no rules from it, and it is not ours to remove
  const old = readIfThere(path)
  if (old === null) return replaceFile(path, ignored)
  const missing = missingRules(old)
  // Git does not follow a link here.
  if (missing.length > 0 || stats?.isSymbolicLink()) replaceFile(path, withRules(old, missing))
}

/** git reads these itself, and would wait for ever for someone to write into a named pipe in their place. Gives what was removed. */
export function removePipes(root: string, top = root): string[] {
  const names = ['.gitignore', '.gitattributes']
  const paths = [...new Set([stateFolder(root), root, top])].flatMap((folder) => names.map((name) => join(folder, name)))
  const pipes = paths.filter((path) => !isCopyable(path))
  for (const path of pipes) dropFile(path)
  return pipes
}

/** A rule that people turned around or commented out is theirs to decide. */
function missingRules(text: string): string[] {
  const known = new Set(text.split('\n').map((line) => line.replace(/^#\s*/, '').trim()))
  return rules.filter((rule) => !known.has(rule) && !known.has(`!${rule}`))
}

const withRules = (text: string, missing: string[]): string =>
  [text === '' || text.endsWith('\n') ? text : `${text}\n`, ...missing.map((rule) => `${rule}\n`)].join('')
