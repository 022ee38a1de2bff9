/** Opens a text in the user's editor. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The edited text, or why there is none. The editor setting may have arguments: `code --wait`. */
export function editedText(
  name: string,
  text: string,
  env: Record<string, string | undefined>,
): { text: string } | { problem: string } {
  const editor = env['VISUAL'] || env['EDITOR'] || 'vi'
  const folder = mkdtempSync(join(tmpdir(), 'ralph-edit-'))
  const path = join(folder, name)
  try {
    writeFileSync(path, text)
    const { status, error } = spawnSync('sh', ['-c', `${editor} "$1"`, 'sh', path], { stdio: 'inherit', env: { ...env } })
    if (error || status === 127) return { problem: `Cannot start the editor "${editor}". Set EDITOR to another one.` }
    if (status !== 0) return { problem: `The editor "${editor}" failed, so the edits were discarded.` }
    return { text: readFileSync(path, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
