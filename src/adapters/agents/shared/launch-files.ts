/** Files that a call needs, because some agents take a setting only as a file path. They are in their own folder during the call. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Launch } from '../../../ports.ts'
import { dropFile } from '../../files/files.ts'

/** A placeholder in the arguments and variables of the launch for the folder of these files. */
export const filesFolder = '{files}'

/** The launch with its files in place; `remove` deletes them. */
export function withFiles(launch: Launch): { launch: Launch; files: string[]; remove(): void } {
  if (!launch.files) return { launch, files: [], remove: () => {} }
  const folder = mkdtempSync(join(tmpdir(), 'ralph-call-')) // readable only by this user
  const placed = (text: string): string => text.replaceAll(filesFolder, folder)
  for (const [name, text] of Object.entries(launch.files)) writeFileSync(join(folder, name), text)
  return {
    files: [folder],
    launch: {
      ...launch,
      args: launch.args.map(placed),
      env: Object.fromEntries(Object.entries(launch.env).map(([name, value]) => [name, placed(value)])),
    },
    remove: () => dropFile(folder),
  }
}
