/** Files that a call needs: some agents take a setting by the path of a file alone. They lie in a folder of their own while the call lasts. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Launch } from '../../../ports.ts'
import { dropFile } from '../../files/files.ts'

/** Stands in the arguments of a launch for the folder that its files will lie in. */
export const filesFolder = '{files}'

/** The launch with its files in place; `remove` takes them away again. */
export function withFiles(launch: Launch): { launch: Launch; files: string[]; remove(): void } {
  if (!launch.files) return { launch, files: [], remove: () => {} }
  const folder = mkdtempSync(join(tmpdir(), 'ralph-call-')) // for this user's eyes alone
  for (const [name, text] of Object.entries(launch.files)) writeFileSync(join(folder, name), text)
  return {
    files: [folder],
    launch: { ...launch, args: launch.args.map((arg) => arg.replaceAll(filesFolder, folder)) },
    remove: () => dropFile(folder),
  }
}
