/** After a crash of the machine, files whose content had not reached the disk are empty, or zeros: their committed or staged content comes back. */
import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tried } from '../../../core/failure.ts'
import { gitIn } from '../run.ts'

/** `worktrees`: the folder of Ralph's own. Only files that were written within `span` count. Returns their paths. */
export async function restoreEmptied(
  { top, worktrees, env }: { top: string; worktrees: string; env: NodeJS.ProcessEnv },
  span: { fromMs: number; toMs: number },
): Promise<string[]> {
  const listed = (await gitIn(top, env)(['worktree', 'list', '--porcelain', '-z'])).out.toString().split('\0')
  const others = listed
    .flatMap((line) => /^worktree (.*)$/s.exec(line)?.[1] ?? [])
    .filter((path) => path.startsWith(`${worktrees}/`))
  const found = await Promise.all([top, ...others].map((folder) => restoreIn(folder, env, span)))
  return found.flat()
}

async function restoreIn(top: string, env: NodeJS.ProcessEnv, span: { fromMs: number; toMs: number }): Promise<string[]> {
  const run = gitIn(top, env)
  const modified = (await run(['ls-files', '-m', '-z'])).out.toString().split('\0')
  const emptied = modified.filter((path) => path !== '' && isEmptied(join(top, path), span))
  if (emptied.length === 0) return []
  const input = emptied.map((path) => `${path}\0`).join('')
  const restored = await run(['checkout-index', '-f', '-z', '--stdin'], { kind: 'write', input })
  return restored.code === 0 ? emptied : []
}

function isEmptied(path: string, { fromMs, toMs }: { fromMs: number; toMs: number }): boolean {
  const stat = tried(() => lstatSync(path), null)
  if (stat === null || !stat.isFile() || stat.mtimeMs < fromMs - 1000 || stat.mtimeMs > toMs) return false
  return stat.size === 0 || (stat.size <= mostZeros && tried(() => readFileSync(path), Buffer.of(1)).every((byte) => byte === 0))
}

/** Larger files of zeros may be meant. */
const mostZeros = 1024 * 1024
