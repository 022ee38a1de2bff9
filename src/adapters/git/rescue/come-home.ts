/** After an agent: puts HEAD back on the run's branch, and makes sure that the branch still has all its commits. */
import { EXIT, Failure } from '../../../core/failure.ts'
import { whyLocked } from '../index-lock.ts'
import type { Joining } from '../merge.ts'
import { presentState, type RepositoryState, storeState, treeOf } from './capture-state.ts'
import { carryOut, inTheWay, planMove } from './move-to-state.ts'
import { refName, setRef } from './rescue.ts'
import { commitOf, filesOf, git, isSame, ownCommitOf, type RescueRepo } from './trees.ts'

/** `did`: what was corrected. `astray`: work that is not on the branch, and where it is kept. */
export type Homecoming = { did: string[]; astray: string | null }

export type Home = {
  /**
   * Puts HEAD back on the branch (null: detached), and the branch on a commit that contains `from`. New commits come along if they merge
   * cleanly; others are kept under the key.
   */
  comeHome(branch: string | null, from: string, key: string): Promise<Homecoming>
  /** Those of these commits whose work the current branch lacks: neither the commits nor their changes. */
  missing(commits: string[]): Promise<string[]>
  /** Whether such a commit exists. */
  has(commit: string): Promise<boolean>
  /** Keeps a commit, and everything kept under this key before, from being pruned. */
  keep(key: string, commit: string): Promise<void>
}

type BranchParts = Pick<Joining, 'joined'> & {
  isStraight(head: string): Promise<boolean>
  currentBranch(): Promise<string | null>
}

const atHome: Homecoming = { did: [], astray: null }
const short = (commit: string): string => commit.slice(0, 10)
const nameOf = (branch: string | null): string => branch ?? 'a detached HEAD'

export function homeOf(repo: RescueRepo, { joined, isStraight, currentBranch }: BranchParts): Home {
  const { objects, run } = repo
  const idOf = async (name: string): Promise<string | null> => (await objects.read(name))?.id ?? null
  const hasAll = async (commit: string, of: string): Promise<boolean> =>
    commit === of || (await run(['merge-base', '--is-ancestor', of, commit])).code === 0

  async function keep(key: string, commit: string): Promise<void> {
    const ref = refName(repo, key)
    const before = await idOf(ref)
    if (before === commit) return
    // The usual case starts no git, because this runs after each passed story.
    const isNext = before !== null && commit === (await idOf('HEAD')) && (await isStraight(before))
    const isHeld = before === null || isNext || (await hasAll(commit, before))
    const both = isHeld
      ? commit
      : await ownCommitOf(repo, { tree: await treeOf(repo, commit), parents: [commit, before], message: 'ralph: kept\n' })
    await setRef(repo, ref, both)
  }

  /** Moves HEAD, index and files to a commit. Uncommitted changes stay, except in files that the commit changes: those are kept and named. */
  async function moveTo(branch: string | null, commit: string, key: string): Promise<{ kept: string[] } | { problem: string }> {
    const present = await presentState(repo)
    const [here, there] = await Promise.all([filesOf(repo, present.head), filesOf(repo, commit)])
    const isMoved = (path: string): boolean => !isSame(here.get(path), there.get(path))
    const clashing = [...present.work].filter(([path, entry]) => isMoved(path) && !isSame(entry ?? undefined, there.get(path)))
    const kept = clashing.map(([path]) => path)
    const without = <T>(map: Map<string, T>): Map<string, T> => new Map([...map].filter(([path]) => !kept.includes(path)))
    const staying: RepositoryState = { ...present, work: without(present.work), index: without(present.index) }
    const move = await planMove(repo, present, { head: commit, saved: staying })
    const blocked = inTheWay(repo, move)
    if (blocked !== null) return { problem: `${blocked} is in the way of a file that must be restored` }
    const locked = await whyLocked(repo.dir)
    if (locked !== null) throw new Failure(EXIT.data, locked)
    if (kept.length > 0) await keep(key, await storeState(repo, present, 'ralph: kept before HEAD went back to its branch\n'))
    await carryOut(repo, move)
    await takeOwnFiles(present.head, commit)
    await pointHead(branch, commit, present)
    return { kept }
  }

  /** `.ralph/` from the commit, except files changed since the last commit: those are the run's, or checked later. */
  async function takeOwnFiles(from: string, to: string): Promise<void> {
    const differing = (await git(repo, ['diff-tree', '-r', '-z', '--no-renames', '--name-only', '--diff-filter=AM', from, to]))
      .split('\0')
      .filter((path) => path !== '' && repo.isOwn(path))
    if (differing.length === 0) return
    const changed = (await git(repo, ['diff-index', '-z', '--name-only', from])).split('\0')
    const wanted = differing.filter((path) => !changed.includes(path)).map((path) => `${path}\0`)
    const pathsIn = ['--pathspec-from-file=-', '--pathspec-file-nul']
    const env = { GIT_LITERAL_PATHSPECS: '1' }
    if (wanted.length > 0)
      await git(repo, ['checkout', '--quiet', to, ...pathsIn], { kind: 'write', input: wanted.join(''), env })
    const input = differing.map((path) => `${path}\0`).join('')
    await git(repo, ['reset', '--quiet', to, ...pathsIn], { kind: 'write', input, env })
  }

  async function pointHead(branch: string | null, commit: string, present: Pick<RepositoryState, 'branch'>): Promise<void> {
    const why = 'ralph: back to where it was'
    if (branch === null) await git(repo, ['update-ref', '--no-deref', '-m', why, 'HEAD', commit], { kind: 'write' })
    else {
      if ((await idOf(`refs/heads/${branch}`)) !== commit) await setRef(repo, `refs/heads/${branch}`, commit, { why })
      if (present.branch !== branch)
        await git(repo, ['symbolic-ref', '-m', why, 'HEAD', `refs/heads/${branch}`], { kind: 'write' })
    }
  }

  /** On its branch, but commits are missing. */
  async function afterRewind(branch: string | null, now: string, from: string, key: string): Promise<Homecoming> {
    const took = `took commits off ${nameOf(branch)}: ${short(from)} was not part of ${short(now)}`
    if (await hasAll(from, now)) return moved(branch, from, key, `${took}. They were restored.`)
    const message = `Merge what was taken off ${nameOf(branch)}\n`
    const replacing = await replacementOf(from, now, message)
    const both = replacing ?? (await joined(now, from, { own: 'ours', message }))
    if (both !== null && 'commit' in both)
      return moved(branch, both.commit, key, `${took}. They were restored and merged with the new commits.`)
    await keep(key, now)
    const back = await moved(branch, from, key, `${took}. They were restored.`)
    const conflict = both === null ? '' : `: ${both.conflict}`
    return withAstray(
      back,
      `its new commits conflict with them${conflict}. They are kept in ${refName(repo, key)} (${short(now)}). To see them: git log ${refName(repo, key)}`,
    )
  }

  /**
   * An amended first commit has no ancestor in common with the original, but continues it. So does another root with every file of the old
   * one; anything less does not count as work. null: they have a common ancestor, or it is less.
   */
  async function replacementOf(from: string, now: string, message: string): Promise<{ commit: string } | null> {
    if ((await run(['merge-base', now, from])).code === 0) return null
    const isFirst = (await run(['rev-parse', '--verify', '--quiet', `${from}^`])).code !== 0
    const gone = ['diff-tree', '-r', '-z', '--no-renames', '--name-only', '--diff-filter=D', from, now]
    if (!isFirst && (await git(repo, gone)) !== '') return null
    return { commit: await commitOf(repo, { tree: await treeOf(repo, now), parents: [from, now], message }) }
  }

  async function moved(branch: string | null, commit: string, key: string, did: string): Promise<Homecoming> {
    const done = await moveTo(branch, commit, key)
    if ('problem' in done) return { did: [], astray: `${did} But that failed: ${done.problem}.` }
    if (done.kept.length === 0) return { did: [did], astray: null }
    return {
      did: [did],
      astray: `uncommitted changes to ${done.kept.join(', ')} conflicted. They are kept in ${refName(repo, key)}`,
    }
  }

  const withAstray = ({ did, astray }: Homecoming, more: string): Homecoming => ({
    did,
    astray: astray === null ? more : `${more}; ${astray}`,
  })

  /** On another branch, or detached: new commits come along if the branch can fast-forward to them. */
  async function fromElsewhere(branch: string | null, here: string | null, from: string, key: string): Promise<Homecoming> {
    const now = await idOf('HEAD')
    const tip = branch === null ? from : await holding(branch, from, key)
    const left = `left the repository on ${nameOf(here)} instead of ${nameOf(branch)}`
    if (now !== null && branch !== null && (await hasAll(now, tip))) {
      await pointHead(branch, now, { branch: here })
      const brought = now === tip ? '' : `, with its commits up to ${short(now)}`
      return { did: [`${left}. HEAD is on ${branch} again${brought}.`], astray: null }
    }
    if (now === null) {
      await pointHead(branch, tip, { branch: here })
      return { did: [`${left}, which has no commit. HEAD is on ${nameOf(branch)} again.`], astray: null }
    }
    const isKnown = await hasAll(tip, now)
    if (!isKnown && here === null) await keep(key, now)
    const back = await moved(branch, tip, key, `${left}. HEAD is on ${nameOf(branch)} again.`)
    const where = here === null ? `in ${refName(repo, key)}` : `on ${here}`
    return isKnown
      ? back
      : withAstray(
          back,
          `its commits are not on ${nameOf(branch)}, but ${where} (${short(now)}). To take them: git merge ${here ?? refName(repo, key)}`,
        )
  }

  /** The tip of the branch, which contains `from` again if it was moved or deleted. */
  async function holding(branch: string, from: string, key: string): Promise<string> {
    const tip = await idOf(`refs/heads/${branch}`)
    if (tip !== null && (await hasAll(tip, from))) return tip
    if (tip !== null && !(await hasAll(from, tip))) await keep(key, tip)
    await setRef(repo, `refs/heads/${branch}`, from, { why: 'ralph: back to where it was' })
    return from
  }

  return {
    keep,
    has: async (commit) => (await idOf(commit)) !== null,
    async comeHome(branch, from, key) {
      const here = await currentBranch()
      const isThere = here === branch || branch === null
      const open = repo.inProgress()
      const words = `a ${open} is open in ${repo.top}: finish it (git ${open} --continue) or abort it (git ${open} --abort)`
      const half: Homecoming = { did: [], astray: words } // what is still to be picked is not on the branch
      if (open !== null && open !== 'bisect') return half
      if (isThere && (await isStraight(from))) return atHome
      if ((await idOf(from)) === null) throw new Failure(EXIT.data, historyGone(repo.top, from))
      const now = await idOf('HEAD')
      if (isThere && now !== null && (await hasAll(now, from))) return atHome
      if (open !== null) return half
      return here === branch && now !== null ? afterRewind(branch, now, from, key) : fromElsewhere(branch, here, from, key)
    },
    async missing(commits) {
      if (commits.length === 0) return []
      const head = await idOf('HEAD')
      const found = await Promise.all(commits.map(idOf))
      const there = commits.filter((_, at) => found[at] !== null)
      const gone = commits.filter((_, at) => found[at] === null)
      if (head === null || there.length === 0) return gone
      const listed = await notIn(head, there)
      let lost = there.filter((commit) => listed.has(commit))
      // The newest contains most others: if its work is there, so is theirs.
      for (const commit of lost.toReversed()) {
        if (!lost.includes(commit) || !(await isWithin(head, commit))) continue
        const beyond = await notIn(commit, lost)
        lost = lost.filter((other) => beyond.has(other))
      }
      return [...gone, ...lost]
    },
  }

  /** These and all their ancestors, without those of `head`. */
  async function notIn(head: string, commits: string[]): Promise<Set<string>> {
    const input = `${[...commits, `^${head}`].join('\n')}\n`
    return new Set((await git(repo, ['rev-list', '--stdin'], { input })).split('\n'))
  }

  /** The history was rewritten, but the commit's changes are still there: merging it would change nothing. */
  async function isWithin(head: string, commit: string): Promise<boolean> {
    const both = await joined(head, commit, { own: 'ours', message: 'ralph: whether this work is there\n' })
    if (both === null || 'conflict' in both) return both === null
    return (await repo.contentOf(both.commit)) === (await repo.contentOf(head))
  }
}

export const historyGone = (top: string, from: string): string =>
  `${short(from)}, the commit that this run continued from, is no longer in the repository in ${top}: .git was replaced or damaged. Restore it from a backup or a clone, then run again.`
