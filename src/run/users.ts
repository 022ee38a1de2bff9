/** The user's uncommitted files while agents are at work: kept before each iteration, brought back where one throws them away. */
import type { Brought } from '../adapters/git/bring-back.ts'
import { identityOf } from '../adapters/tree-hash.ts'
import type { State } from '../core/state.ts'
import { listed } from '../core/stories.ts'
import type { Report } from '../core/types.ts'
import type { World } from './world.ts'

/** An older run's copy is not this one's. */
export const forgetUsers = async (world: World): Promise<void> => world.git?.forget(keyOf(world))

const keyOf = ({ feature }: World): string => `${feature}/.users`

/** Kept once for each content: the user may go on writing. Where that fails, an older copy is not mistaken for it. */
export const keepUsers = (world: World, { users, left }: State, report: (report: Report) => void): Promise<void> =>
  world.common.users.inTurn(async () => {
    const { git, common } = world
    if (git === null || users.length === 0) return
    const { identity, known } = identityOf(git.top, users, common.users.known)
    common.users.known = known
    if (identity === common.users.kept) return
    common.users.kept = identity
    try {
      await git.save(keyOf(world), left)
    } catch (error) {
      await git.forget(keyOf(world))
      const detail = `your uncommitted files could not be saved before the iteration: ${(error as Error).message}. If the agent discards them, they are lost.`
      report({ kind: 'noticed', what: 'users-unsaved', detail, tell: false })
    }
  })

/** After an iteration, a lost one too, and after its gates. One that worked apart had no business with them: whatever became of them may be the user's own doing. */
export const bringBackUsers = (
  world: World,
  iteration: number,
  { users }: State,
  report: (report: Report) => void,
  isApart = false,
): Promise<void> =>
  world.common.users.inTurn(async () => {
    const { git, common } = world
    if (git === null || users.length === 0 || !(await git.isSaved(keyOf(world)))) return
    const brought = await git.bringBack(keyOf(world), users, isApart)
    const isNew = (path: string): boolean => !common.users.told.has(path) // a user who goes on writing is told once
    const [committed, changed] = [brought.committed.filter(isNew), brought.changed.filter(isNew)]
    if ([...brought.back, ...committed, ...changed].length === 0) return
    const copy = `${world.feature}/users/${iteration}`
    await git.keepAs(keyOf(world), copy)
    for (const path of [...committed, ...changed]) common.users.told.add(path)
    const notices = noticesOf({ back: brought.back, committed, changed }, iteration, git.refOf(copy))
    for (const notice of notices) report({ kind: 'noticed', ...notice })
  })

function noticesOf({ back, committed, changed }: Brought, iteration: number, ref: string) {
  const during = iteration === 0 ? 'while the gates ran' : `during iteration ${iteration}`
  const restore = (paths: string[]): string => `git restore --source=${ref} -- ${paths.slice(0, 20).map(quoted).join(' ')}`
  return [
    {
      what: 'users-restored',
      paths: back,
      detail: `uncommitted changes of the user were discarded ${during}, and were put back: ${listed(back)}. Do not discard or stash files that are not yours. A copy is in ${ref}.`,
      tell: true,
    },
    {
      what: 'users-changed',
      paths: changed,
      detail: `${listed(changed)} had uncommitted changes of yours and was changed ${during}. Ralph does not commit it. To get your version back: ${restore(changed)}`,
      tell: false,
    },
    {
      what: 'users-committed',
      paths: committed,
      detail: `uncommitted changes of the user were committed ${during}: ${listed(committed)}. Commit only what belongs to the story.`,
      tell: true,
    },
  ].flatMap(({ paths, ...notice }) => (paths.length === 0 ? [] : [notice]))
}

const quoted = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`)
