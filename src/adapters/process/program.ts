/** Finds a program: a path, or a name on the PATH. */
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join, resolve } from 'node:path'

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

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
