/** Finds a program: a path, or a name on the PATH. */
import { accessSync, constants, existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { tried } from '../../core/failure.ts'
import { jsonIn, recordOf, textOf } from '../../core/text/json.ts'

export function findProgram(command: string, root: string, env: Record<string, string | undefined>): string | null {
  if (command.includes('/')) {
    const path = isAbsolute(command) ? command : resolve(root, command)
    return isProgram(path) ? path : null
  }
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder === '' ? root : folder, command)
    if (isProgram(path)) return path
  }
  return null
}

/** Why it was not found, as the end of a sentence. */
export function whyNoProgram(command: string, root: string): string {
  const isThere = command.includes('/') && existsSync(resolve(root, command))
  return isThere ? `exists, but is not executable (chmod +x ${command})` : 'was not found'
}

/**
 * The version of an installed program, without starting it: of the package that it belongs to, or as its path says it. Empty: unknown. A project of the
 * user's, in which a script may lie, is no such package.
 */
export function versionOnDisk(path: string): string {
  const real = tried(() => realpathSync(path), path)
  const folders = real.split('/').slice(1, -1)
  const inPath = [...folders, real.split('/').at(-1) ?? ''].findLast((name) => /^v?\d+\.\d+\.\d+$/.test(name))
  if (!folders.includes('node_modules')) return inPath ?? ''
  for (let folder = dirname(real); folder !== dirname(folder) && !folder.endsWith('/node_modules'); folder = dirname(folder)) {
    const { name, version } = recordOf(jsonIn(tried(() => readFileSync(join(folder, 'package.json'), 'utf8'), '')))
    if (textOf(name) !== '' && textOf(version) !== '') return textOf(version)
  }
  return inPath ?? ''
}

function isProgram(path: string): boolean {
  // Most folders of the PATH do not have it, and to throw for each would be slow.
  if (tried(() => statSync(path, { throwIfNoEntry: false }), undefined)?.isFile() !== true) return false
  return tried(() => {
    accessSync(path, constants.X_OK)
    return true
  }, false)
}
