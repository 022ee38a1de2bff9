/** Guards the branch of a run: if somebody moved or redirected it from outside, it is moved back. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readTail } from '../../files/tail.ts'
import { turns } from '../../process/one-at-a-time.ts'
import { logsFolder } from '../../project/layout.ts'
import { whyLocked } from '../index-lock.ts'
import { commonDirOf } from '../worktree-folders.ts'
import { refName } from './rescue.ts'
import { git, type RescueRepo } from './trees.ts'

export type HeldBranch = {
  /** Remembers the branch before anything runs. If it points to another branch, `isUsers` says that it may. Returns whether it does. */
  noteBranch(branch: string, isUsers: boolean): Promise<boolean>
  /**
   * Restores the branch as a real branch at the last HEAD of this worktree. Commits, merges and resets here are in that reflog; a change from
   * another worktree is not, and leaves index and files behind. `isUsersOnly`: no agent works here, so the index counts too. The commit it
   * was moved to is kept under the key. Returns what was done, in words.
   */
  holdBranch(branch: string, key: string, isUsersOnly: boolean): Promise<string[]>
  /** By Ralph itself. */
  hasMovedTo(commit: string): void
}

type Parts = { currentBranch(): Promise<string | null>; keep(key: string, commit: string): Promise<void> }

const short = (commit: string | null): string => commit?.slice(0, 10) ?? 'nothing'

export function heldBranchOf(repo: RescueRepo, { currentBranch, keep }: Parts): HeldBranch {
  const { dir, objects, run } = repo
  const common = commonDirOf(dir)
  /** Several workers may end at once. */
  const inTurn = turns()
  const noted = new Map<string, { leadsTo: string | null; tip: string | null }>()
  let lastTip: string | null = null
  async function tipOf(branch: string): Promise<string | null> {
    lastTip = (await objects.read(`refs/heads/${branch}`))?.id ?? null
    return lastTip
  }

  async function leadsTo(branch: string): Promise<string | null> {
    const ref = `refs/heads/${branch}`
    if (!existsSync(join(common, 'reftable'))) return /^ref: (\S+)/.exec(lastLine(join(common, ref)))?.[1] ?? null
    const { code, out } = await run(['symbolic-ref', '--quiet', ref])
    return code === 0 ? out.toString().trim() : null
  }

  /** Git's reflog of HEAD here; null: git keeps none. */
  const logged = (): string | null => {
    return /^[0-9a-f]+ ([0-9a-f]{40,64}) /.exec(lastLine(join(logsFolder(dir), 'HEAD')))?.[1] ?? null
  }
  /** Else as it was when last looked at. */
  const lastHere = (branch: string): string | null => logged() ?? noted.get(branch)?.tip ?? null

  const update = async (args: string[]): Promise<boolean> =>
    (await run(['update-ref', '-m', 'ralph: back to where it was', ...args], { kind: 'write' })).code === 0

  async function unredirected(branch: string): Promise<string[]> {
    const link = await leadsTo(branch)
    if (link === null || link === noted.get(branch)?.leadsTo) return []
    const ref = `refs/heads/${branch}`
    const commit = lastHere(branch) ?? (await tipOf(branch))
    if (commit === null || !(await update(['--no-deref', ref, commit]))) return []
    const other = link.replace(/^refs\/heads\//, '')
    return [
      `${branch} was made to point to ${other}, so that commits went there. It is its own branch again, at ${short(commit)}. Check ${other} (git reflog ${other})`,
    ]
  }

  async function isMoved(branch: string): Promise<{ from: string; to: string | null } | null> {
    const [from, to] = [lastHere(branch), await tipOf(branch)]
    return from === null || from === to || (await objects.read(from)) === null ? null : { from, to }
  }

  const names = async (...args: string[]): Promise<string[]> =>
    (await git(repo, [...args, '-z', '--name-only'])).split('\0').filter((name) => name !== '')

  /** If the index moved along, somebody working here did it. */
  async function isHere(from: string, to: string): Promise<boolean> {
    const moved = await names('diff-tree', '-r', from, to)
    const behind = new Set(await names('diff-index', '--cached', to))
    return moved.length === 0 ? logged() === null : !moved.some((name) => behind.has(name))
  }

  /** The reflog says that it was done here, but no file and no index entry changed. Going back over one's own commits may be intended. */
  async function isLeftBehind(from: string, to: string): Promise<boolean> {
    if ((await run(['merge-base', '--is-ancestor', to, from])).code === 0) return false
    const moved = await names('diff-tree', '-r', from, to)
    const changed = new Set(await names('diff-index', '--cached', from))
    return moved.length > 0 && !moved.some((name) => changed.has(name))
  }

  /** A commit may be in progress: it writes the reflog of HEAD a moment before the branch. */
  const isLocked = async (branch: string): Promise<boolean> =>
    (await whyLocked(dir, [join(common, `refs/heads/${branch}.lock`)])) !== null

  async function movedElsewhere(branch: string): Promise<{ from: string; to: string | null } | null> {
    if ((await isMoved(branch)) === null || (await isLocked(branch))) return null
    const move = await isMoved(branch)
    return move === null || (move.to !== null && (await isHere(move.from, move.to))) ? null : move
  }

  async function movedWithoutFiles(branch: string): Promise<{ from: string; to: string } | null> {
    const [from, now] = [noted.get(branch)?.tip ?? null, await tipOf(branch)]
    if (from === null || now === null || from === now || (await isLocked(branch))) return null
    const to = await tipOf(branch)
    return to !== null && (await objects.read(from)) !== null && (await isLeftBehind(from, to)) ? { from, to } : null
  }

  async function putBack(branch: string, key: string, isUsersOnly: boolean): Promise<string[]> {
    const move = (await movedElsewhere(branch)) ?? (isUsersOnly ? await movedWithoutFiles(branch) : null)
    if (move === null) return []
    const { from, to } = move
    if (to !== null) await keep(key, to)
    // It is moving right now: the next look sees where to.
    if (!(await update([`refs/heads/${branch}`, from, to ?? repo.noId]))) return []
    const kept = to === null ? '' : ` The commit it was moved to is kept in ${refName(repo, key)}`
    return [
      `${branch} was ${to === null ? 'deleted' : `moved to ${short(to)}`} from outside ${repo.top}. It is back at ${short(from)}.${kept}`,
    ]
  }

  return {
    async noteBranch(branch, isUsers) {
      const link = isUsers ? await leadsTo(branch) : null
      noted.set(branch, { leadsTo: link, tip: await tipOf(branch) })
      return link !== null
    },
    hasMovedTo(commit) {
      for (const [branch, known] of noted) noted.set(branch, { ...known, tip: commit })
    },
    holdBranch: (branch, key, isUsersOnly) =>
      inTurn(async () => {
        if ((await currentBranch()) !== branch) return []
        const done = [...(await unredirected(branch)), ...(await putBack(branch, key, isUsersOnly))]
        // The last look at it was a moment ago.
        const tip = done.length === 0 ? lastTip : await tipOf(branch)
        noted.set(branch, { leadsTo: noted.get(branch)?.leadsTo ?? null, tip })
        return done
      }),
  }
}

/** Empty if the file does not exist: a folder may have its name. */
function lastLine(path: string): string {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? readTail(path, 1) : ''
}
