/** Removes folders in a separate process: with very many files, removing them here would block everything else. */
import { execFile } from 'node:child_process'
import { lstatSync } from 'node:fs'
import { errorCode } from './files.ts'

/** In this order. null: done; otherwise the error. */
export function removeFolders(paths: string[]): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>()
  const there = paths.filter(isThere)
  if (there.length === 0) resolve(null)
  else execFile('rm', ['-rf', '--', ...there], (error, _out, words) => resolve(error && (words.trim() || error.message)))
  return promise
}

/** Also a link that leads nowhere; not what would be below a file. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    return errorCode(error) !== 'ENOTDIR'
  }
}
