/** Folders with all that is in them, removed by a program of its own: with very many files that would keep us from everything else. */
import { execFile } from 'node:child_process'

/** In this order. null: done; else the words of whoever would not. */
export function removeFolders(paths: string[]): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>()
  if (paths.length === 0) resolve(null)
  else execFile('rm', ['-rf', '--', ...paths], (error, _out, words) => resolve(error && (words.trim() || error.message)))
  return promise
}
