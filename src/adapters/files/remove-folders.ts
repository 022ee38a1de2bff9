/** Removes folders in a separate process: with very many files, removing them here would block everything else. */
import { execFile } from 'node:child_process'

/** In this order. null: done; otherwise the error. */
export function removeFolders(paths: string[]): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>()
  if (paths.length === 0) resolve(null)
  else execFile('rm', ['-rf', '--', ...paths], (error, _out, words) => resolve(error && (words.trim() || error.message)))
  return promise
}
