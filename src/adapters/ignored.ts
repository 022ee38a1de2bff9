/** .ralph/.gitignore: what is for this machine alone. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from './files.ts'

/** Without it, logs and events would be committed. */
export function ensureIgnored(root: string): void {
  const path = join(root, '.ralph', '.gitignore')
  if (!existsSync(path)) replaceFile(path, ignored)
}

export const ignored = `# What only this machine needs; everything else here is worth committing.
*/events.jsonl
*/status.json
*/inbox/
*/logs/
/logs/
*/blocked.txt
*/decide.txt
*/state.md
*/report.html
/lock
/lock.takeover
!/lock/
archive/*/events.jsonl
archive/*/status.json
archive/*/report.html
*.tmp-*
`
