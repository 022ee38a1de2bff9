/** Where a program is: a path, or a name on the PATH. */
import { accessSync, constants, statSync } from 'node:fs'
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

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
