/** Opens or updates a feature's one pull request: what is about to be done is in the log before it is done. Safe to repeat. */
import type { GivenEnv } from '../../adapters/forges/api.ts'
import type { Forge, PullRequest } from '../../adapters/forges/forge.ts'
import { openForge } from '../../adapters/forges/open-forge.ts'
import { type RemoteRepository, repositoryAt } from '../../adapters/forges/remote.ts'
import type { Git } from '../../adapters/git/git.ts'
import type { AtRemote, Remote } from '../../adapters/git/rescue/branches.ts'
import { masker } from '../../adapters/mask/mask.ts'
import { readPlan } from '../../adapters/plan/find-plan.ts'
import { openLog } from '../../adapters/project/event-log.ts'
import { eventLogPath } from '../../adapters/project/layout.ts'
import { copyPathOf } from '../../adapters/project/log/second-copy.ts'
import type { Settings } from '../../config/table.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import type { State } from '../../core/state.ts'
import { instantOf } from '../../core/text/time.ts'
import type { Event, Report } from '../../core/types.ts'
import { type PullPlace, pullRequestBody, pullRequestTitle, withOwnPart } from '../../views/report/pull-request.ts'
import { masked } from '../outputs/masked.ts'
import type { Project } from '../project.ts'
import { isArchivedPlace } from './archive.ts'
import { askedRemote, type BranchPlace, mayRunHooks, placeOfBranch, pushed, refuseDefault, runsBranch } from './branch-to-push.ts'

export type PullWanted = {
  /** Where it goes; undefined: where the branch began. */
  base?: string | undefined
  /** undefined: as git.pr says, and a draft while stories are open. */
  isDraft?: boolean | undefined
  title?: string | undefined
  /** Another one, although the last was closed. */
  isNew?: boolean | undefined
}
export type PullResult = {
  how: 'opened' | 'updated' | 'unchanged' | 'merged'
  pull: PullRequest
  /** 'pull request #7' */
  name: string
  place: BranchPlace
  forge: Forge
  isPushed: boolean
}
export type PullHands = { settings: Settings; git: Git | null; env: GivenEnv }

/** Call it with the lock held. Throws a Failure that says what to do. */
export async function sendPullRequest(
  project: Project,
  { settings, git, env }: PullHands,
  wanted: PullWanted,
): Promise<PullResult> {
  const { state, branch } = runsBranch(project)
  const place = await placeOfBranch(git, branch)
  const forge = await openForge(hostedAt(place.remote), settings['git.forge'], env, project.root)
  const [open, last] = chosen(await forge.find(branch))
  const result = (how: PullResult['how'], pull: PullRequest, isPushed = false): PullResult => ({
    how,
    pull,
    name: `${forge.noun} ${forge.mark}${pull.number}`,
    place,
    forge,
    isPushed,
  })
  if (open === undefined && last !== undefined && wanted.isNew !== true) {
    if (last.state === 'merged') return result('merged', last)
    throw new Failure(
      EXIT.usage,
      `${last.url} was closed without being merged. Reopen it there, or open another one: ralph pr --new`,
    )
  }
  const { at, base } = await checkedBase(place, state, wanted.base ?? open?.base)
  const text = await textFor(project, { ...place, state, forge, from: at.tips[base] ?? state.begun?.commit ?? null, base, env })
  const isPushed = at.tips[branch] === place.commit
  const body = open === undefined ? text.body : withOwnPart(open.body, text.body)
  const isDraft = wanted.isDraft ?? draftNow(state, settings['git.pr'], open)
  const note = (facts: Report[]): void => record(project, state, facts, env)
  const ended = (pull: PullRequest): Report => {
    const { url, number } = pull
    return { kind: 'pull-request.ended', branch, base: pull.base, commit: place.commit, url, number, isDraft: pull.isDraft }
  }
  if (open !== undefined && isPushed && sameText(open.body, body) && open.base === base && open.isDraft === isDraft) {
    const isKnown = state.pull?.url === open.url && state.pull.commit === place.commit && state.pull.isDraft === isDraft
    if (!isKnown) note([ended(open)]) // a kill came before
    return result('unchanged', open)
  }
  note([{ kind: 'pull-request.started', branch, base, remote: place.remote.name, commit: place.commit }])
  try {
    if (!isPushed) await pushed(place, mayRunHooks(settings))
    const title = mask(env)(wanted.title ?? text.title)
    const pull =
      open === undefined
        ? await created(forge, { branch, base, title, body, isDraft })
        : await forge.update(open, { body, isDraft, ...(open.base === base ? {} : { base }) })
    note([ended(pull)])
    return result(open === undefined ? 'opened' : 'updated', pull, !isPushed)
  } catch (error) {
    note([{ kind: 'pull-request.ended', branch, base, commit: place.commit, problem: (error as Error).message }])
    throw error
  }
}

const mask =
  (env: GivenEnv): ((text: string) => string) =>
  (text) =>
    masker(env).text(text)

/** The open one, and the newest that is not. */
const chosen = (known: PullRequest[]): [PullRequest | undefined, PullRequest | undefined] => [
  known.find(({ state }) => state === 'open'),
  known.find(({ state }) => state !== 'open'),
]

/** What a person has made of one that is there stays, except that one which waited for open stories is ready once they are done. */
function draftNow(state: State, setting: Settings['git.pr'], open: PullRequest | undefined): boolean {
  const isDone = isAllDone(state)
  if (open === undefined) return setting === 'draft' || !isDone
  return open.isDraft && !(setting === 'ready' && isDone && state.pull?.isDraft === true)
}

export const isAllDone = ({ plan }: State): boolean => (plan?.stories ?? []).every(({ passes, skip }) => passes || skip)

/** As the user wrote the address, or as git reads it where that is an abbreviation. */
function hostedAt({ name, url, usedUrl }: Remote): RemoteRepository {
  const found = repositoryAt(url) ?? repositoryAt(usedUrl)
  if (found !== null) return found
  throw new Failure(
    EXIT.usage,
    `The remote ${name} is not on GitHub or GitLab, so Ralph cannot open a pull request. To push the branch: git push ${name}`,
  )
}

/** Where the feature began, as the log says; for a branch that Ralph has not created, the default one. */
async function checkedBase(
  place: BranchPlace,
  { origin }: State,
  asked: string | undefined,
): Promise<{ at: AtRemote; base: string }> {
  const { branch, remote } = place
  const wanted = asked ?? (origin?.branch === branch ? origin.base : null)
  const first = await askedRemote(place, [branch, ...(wanted === null ? [] : [wanted])])
  refuseDefault(place, first)
  const base = wanted ?? first.defaultBranch
  if (base === null)
    throw new Failure(
      EXIT.usage,
      `${remote.name} has no default branch. Choose where ${branch} is to be merged: ralph pr --base <branch>`,
    )
  if (base === branch)
    throw new Failure(EXIT.usage, `A pull request cannot go from ${branch} to itself. Choose another: ralph pr --base <branch>`)
  const at = base in first.tips ? first : await askedRemote(place, [branch, base])
  if (at.tips[base] !== null) return { at, base }
  throw new Failure(
    EXIT.usage,
    `${branch} began on ${base}, which ${remote.name} does not have. Push it first (git push ${remote.name} ${base}), or choose another: ralph pr --base ${at.defaultBranch ?? '<branch>'}`,
  )
}

/** The forge may have made it although the answer got lost. */
async function created(forge: Forge, wanted: Parameters<Forge['create']>[0]): Promise<PullRequest> {
  for (let tries = 0; tries < 2; tries++) {
    const pull = await forge.create(wanted)
    if (pull !== null) return pull
    const [there] = chosen(await forge.find(wanted.branch))
    if (there !== undefined) return forge.update(there, { body: withOwnPart(there.body, wanted.body) })
  }
  throw new Failure(
    EXIT.data,
    `${forge.repository.host} did not open a ${forge.noun} for ${wanted.branch}. The branch is pushed. Try again: ralph pr`,
  )
}

/** `from`: what the base has. */
type TextPlace = BranchPlace & { state: State; forge: Forge; from: string | null; base: string; env: GivenEnv }

async function textFor(
  project: Project,
  { state, git, branch, base, commit, forge, from, env }: TextPlace,
): Promise<{ title: string; body: string }> {
  const hidden = masker(env)
  const { plan } = await readPlan(project.dir, project.label).catch(() => ({ plan: null }))
  const messages = from === null ? [] : await git.messagesSince(from, branch)
  if (messages.length === 0 && from !== null && (await git.has(from)))
    throw new Failure(EXIT.usage, `${branch} has no commits beyond ${base}. Run first: ralph run`)
  const closing = messages.flatMap(({ commit: made, message }) => {
    const [words] = closes.exec(message) ?? []
    return words === undefined ? [] : [{ commit: made, words: hidden.text(words) }]
  })
  const { host, path: repository } = forge.repository
  const place: PullPlace = { forge: forge.kind, host, repository, commit, closing }
  // Before words are made harmless, which could cut a credential in two; and after, for what the log left alone.
  return {
    title: pullRequestTitle(masked(state, hidden), hidden.text(plan?.description ?? '')),
    body: hidden.text(pullRequestBody(masked(state, hidden), place)),
  }
}

/** What a forge acts on once the commit is on the default branch. */
const closes = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b:?\s+(?:[\w./-]*[#!]\d+|https?:\/\/\S+|[A-Z][A-Z0-9]+-\d+)/i

/** Forges cut what is empty at the end. */
const sameText = (one: string, other: string): boolean => one.trim() === other.trim()

/** Flushed when it returns. */
export function record(project: Project, { run }: Pick<State, 'run'>, facts: Report[], env: GivenEnv): void {
  const hidden = masker(env)
  const log = openLog(eventLogPath(project.dir), () => (isArchivedPlace(project) ? null : copyPathOf(project)))
  try {
    log.append(facts.map((fact): Event => masked({ at: instantOf(Date.now()), run, ...fact }, hidden)))
  } finally {
    log.close()
  }
}
