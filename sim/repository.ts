/**
 * The simulated project: its content, its history, its plan file, and its gates' results. It is the simulator's own truth, independent of the core's.
 */
import type { PutAside } from '../src/core/types/results.ts'
import type { Gate, GateResult, Plan, Repo, Story, StoryId } from '../src/core/types.ts'
import { type Checkout, type Commit, checkoutOf, gatesOn, sharedBy } from './checkout.ts'
import { added, type Content, clashes, isUsers, joined } from './content.ts'
import { type Place, type Places, placesBeside } from './places.ts'
import type { Random } from './random.ts'

type Aside = Pick<PutAside, 'how' | 'problem'>

export type Repository = Pick<Checkout, 'work' | 'now' | 'since' | 'edit' | 'findings' | 'contentAt'> & {
  plan: Plan | null
  /** Written from lessons, for every agent. */
  skills: Set<string>
  /** The worktrees of parallel stories. */
  places: Places
  /** Increases with every change of content and every check: shows which came last. */
  seq: number
  changedSeq: number
  /** The last change that was not the user's. */
  agentChangedSeq: number
  /** The last iteration whose agent was started in the project itself: its log is there. */
  lastLogged: number
  /** Gates that always fail pass from here on, and parallel work never conflicts. */
  isCalm: boolean
  hasGit: boolean
  /** `isUnwatched`: after a kill, when nobody could tell the user's changes from the agent's. */
  userWrites(isBad: boolean, isUnwatched: boolean): void
  /** A new file during a live run: what was proven stays proven. */
  userAdds(): void
  userCommits(): void
  /** Files with uncommitted changes: the agents' one, and those that the user writes to. */
  dirty(): string[]
  /** Files that were committed since. */
  committedSince(before: Pick<Repo, 'head'>): string[]
  /** Which of these files are Ralph's own. */
  commit(by: StoryId | null, files: string[]): boolean
  takenByUs(): Content
  /** A commit hook changes the agents' file during the commit. */
  hookEdits(isBad: boolean): void
  /** Lessons are written into the project and committed: nobody's work. */
  learns(): void
  /** Saves the user's uncommitted pieces before an iteration, and restores what it discarded. */
  keepUsers(): void
  bringBack(): void
  /** Takes the user's uncommitted pieces out of the commits since this one. */
  takeOut(from: string | null): void
  /** The user removes an agent's last commit from the branch; a ref of Ralph still has it. */
  userRewinds(): void
  /** This iteration's agent leaves the branch: its further commits are not on it. */
  leaveBranch(iteration: number): void
  /** HEAD is on the branch again; commits made elsewhere stay there. null: none. */
  comeHome(iteration: number): string | null
  /** Whether the branch has all of these commits. */
  isOnBranch(commits: string[]): boolean
  committed(): Content
  /** Somebody else's than this story's, and committed. */
  othersCommitted(story: StoryId): Content
  /** The user's uncommitted pieces, written where Ralph could see whose they are. */
  usersUncommitted(): Content
  usersEver(): Content
  /** What the user broke. */
  isUsersBreak(piece: string): boolean
  /** The content, with these files as committed. */
  without(files: string[]): Content
  /**
   * Saves the state before a story, without leftovers of iterations; null: of one that the agent is about to pick. `older`: the user's files when it first
   * began; those that have no uncommitted changes now are added as they were then.
   */
  save(story: StoryId | null, left: string[], older: string[]): void
  /** Adds files of the user that appeared or changed later. */
  saveMore(story: StoryId | null, files: string[]): void
  /** What was saved before a story was picked becomes its start, unless it has one. */
  keepPicked(story: StoryId): void
  /** Moves the current content to a branch, and restores the saved state; if others have committed since, own commits are reverted. */
  putAside(story: StoryId, branch: string, isSaved: boolean, own: string[]): Aside
  /** Brings back what waited on a branch, in the story's worktree or the project itself; false: it conflicts. */
  bringShelf(story: StoryId, branch: string, place: Place | undefined): boolean
  /** The same for a parallel story: its worktree becomes the branch. */
  putPlaceAside(key: string, branch: string): Aside
  hasBranch(branch: string): boolean
  /** Contents that can still be reached: in the tree, which is first, committed, in a worktree, or on a branch. */
  reachable(): Content[]
  nameOf(content: Content): string
  planCopy(): Plan | null
  story(id: StoryId): Story | undefined
  setStory(id: StoryId, change: Partial<Story>): void
  /** Failed and skip, if the plan's format has them. */
  mark(id: StoryId, change: Pick<Partial<Story>, 'skip' | 'failed'>): void
  runGates(gates: Gate[], random: Random, content?: Content): GateResult[]
}

/** `shelf`: what stayed where the work was, and what moved. */
type Branch = { contents: Content[]; how: 'reset' | 'reverted'; shelf?: { base: Content; tip: Content } }

/** The file that every agent writes to. */
export const agentsFile = 'a.ts'

export function repositoryWith(plan: Plan | null, hasGit: boolean): Repository {
  const shared = sharedBy(hasGit)
  let users: { piece: string; isUnwatched: boolean; isCommitted: boolean }[] = []
  const breaks = new Set<string>()
  const saved = new Map<StoryId | null, { work: Content; older: Content; length: number; head: string }>()
  let left: { iteration: number; length: number } | null = null
  const branches = new Map<string, Branch>()
  const taken: string[] = []
  let kept: Content = []
  const loose = (): string[] =>
    users.filter(({ piece, isCommitted }) => !isCommitted && !last().content.includes(piece)).map(({ piece }) => piece)
  const fileOf = (piece: string): string => {
    const user = users.find((each) => each.piece === piece)
    return user === undefined ? agentsFile : user.isUnwatched ? 'unwatched.txt' : 'mine.txt'
  }

  const changed = (by: 'agent' | 'user'): void => {
    repository.changedSeq = ++repository.seq
    if (by === 'agent') repository.agentChangedSeq = repository.seq
  }
  const main = checkoutOf(shared, { head: 'h0', content: [], by: null }, { loose, changed })
  const { changeTo, record, tracked, last, work } = main
  const places = placesBeside(main, shared, () => repository.isCalm)

  /** The tree without these commits; undefined: a later one touched the same. */
  const reverted = (own: string[], from: number): Content | undefined => {
    const { history } = main
    let content = last().content
    for (let i = history.length - 1; i >= from; i--) {
      const { head, content: after } = history[i]!
      if (!own.includes(head)) continue
      const before = history[i - 1]!.content
      const [came, went] = [added(before, after), added(after, before)]
      const isTouched = history.slice(i + 1).some((commit, at) => {
        const parent = history[i + at]!.content
        const touched = [...added(parent, commit.content), ...added(commit.content, parent)]
        return !own.includes(commit.head) && [...came, ...went].some((piece) => touched.includes(piece))
      })
      if (isTouched) return undefined
      content = [...added(came, content), ...added(content, went)]
    }
    return content
  }

  const repository: Repository = {
    plan,
    skills: new Set(),
    places,
    seq: 0,
    changedSeq: 0,
    agentChangedSeq: 0,
    lastLogged: 0,
    isCalm: false,
    hasGit,
    work,
    now: main.now,
    since: main.since,
    edit: main.edit,
    findings: main.findings,
    contentAt: main.contentAt,
    userWrites(isBad, isUnwatched) {
      const piece = shared.piece('u')
      users.push({ piece, isUnwatched, isCommitted: false })
      const broken = isBad ? [shared.piece('b')] : []
      for (const each of broken) breaks.add(each)
      changeTo([...work(), piece, ...broken], 'user')
    },
    userAdds() {
      const { changedSeq } = repository
      repository.userWrites(false, false)
      repository.changedSeq = changedSeq
    },
    userCommits() {
      if (!hasGit) return
      users = users.map((user) => ({ ...user, isCommitted: user.isCommitted || work().includes(user.piece) }))
      record(tracked(), null)
    },
    dirty() {
      if (!hasGit) return []
      const from = last().content
      return [...new Set([...added(from, work()), ...added(work(), from)].map(fileOf))].toSorted()
    },
    committedSince({ head }) {
      const at = main.history.findIndex((commit) => commit.head === head)
      const from = main.history[at]?.content ?? last().content
      return [...added(from, last().content), ...added(last().content, from)].map(fileOf)
    },
    takenByUs: () => taken,
    hookEdits: (isBad) => changeTo([...work(), shared.piece(isBad ? 'b' : 'g')], 'agent'),
    commit(by, files) {
      if (files.includes('mine.txt')) taken.push(...loose())
      return record(
        [
          ...last().content.filter((piece) => !files.includes(fileOf(piece))),
          ...work().filter((piece) => files.includes(fileOf(piece))),
        ],
        by,
      )
    },
    learns() {
      const piece = shared.piece('l')
      changeTo([...work(), piece], 'user') // as little an agent's as what the user writes
      record([...last().content, piece], null)
    },
    keepUsers() {
      kept = work().filter((piece) => loose().includes(piece))
    },
    bringBack() {
      const gone = added([...work(), ...last().content], kept)
      if (gone.length > 0) changeTo([...work(), ...gone], 'agent')
    },
    takeOut(from) {
      const isUsers = (piece: string): boolean =>
        kept.includes(piece) && users.some((user) => user.piece === piece && !user.isCommitted)
      main.without(from, isUsers)
    },
    userRewinds() {
      const { history } = main
      const gone = history.at(-1)!
      if (history.length === 1 || gone.by === null) return
      branches.set(`kept ${gone.head}`, { how: 'reset', contents: [gone.content, ...(gone.brought ?? [])] })
      history.pop()
      changeTo([...last().content, ...loose().filter((piece) => work().includes(piece))], 'user')
    },
    leaveBranch(iteration) {
      if (hasGit) left = { iteration, length: main.history.length }
    },
    comeHome(iteration) {
      const from = left?.iteration === iteration ? left.length : null
      left = null
      const { history } = main
      if (from === null || from >= history.length) return null
      branches.set(`left ${iteration}`, {
        how: 'reset',
        contents: [work(), ...history.slice(from).map(({ content }) => content)],
      })
      history.length = from
      changeTo([...last().content, ...loose().filter((piece) => work().includes(piece))], 'agent')
      return 'its commits are elsewhere'
    },
    isOnBranch: (commits) =>
      commits.every((id) => main.history.some(({ head, heads = [] }) => head === id || heads.includes(id))),
    committed: () => last().content,
    othersCommitted(story) {
      const { history } = main
      const blamed = (piece: string): Commit | undefined =>
        history.findLast((commit, i) => i > 0 && added(history[i - 1]!.content, commit.content).includes(piece))
      return last().content.filter((piece) => blamed(piece)?.by !== story)
    },
    usersUncommitted() {
      const committed = new Set(main.history.flatMap(({ content }) => content)) // by an agent, then
      return users.flatMap(({ piece, isCommitted, isUnwatched }) =>
        isCommitted || isUnwatched || committed.has(piece) ? [] : [piece],
      )
    },
    usersEver: () => users.map(({ piece }) => piece),
    isUsersBreak: (piece) => breaks.has(piece),
    without(left) {
      const isKept = (piece: string): boolean => !left.includes(fileOf(piece))
      return [...last().content.filter((piece) => !isKept(piece)), ...work().filter(isKept)]
    },
    save(story, left, olderFiles) {
      const before = saved.get(story)
      const dirty = repository.dirty()
      const older = [...(before?.work ?? []), ...(before?.older ?? [])].filter(
        (piece) => breaks.has(piece) && olderFiles.includes(fileOf(piece)) && !dirty.includes(fileOf(piece)),
      )
      saved.set(story, { work: repository.without(left), older, length: main.history.length, head: last().head })
    },
    saveMore(story, files) {
      const known = saved.get(story)
      const more = work().filter((piece) => (isUsers(piece) || breaks.has(piece)) && files.includes(fileOf(piece)))
      if (known !== undefined) saved.set(story, { ...known, work: [...known.work, ...added(known.work, more)] })
    },
    keepPicked(story) {
      const picked = saved.get(null)
      if (picked !== undefined) saved.set(story, picked)
    },
    putAside(story, branch, isSaved, own) {
      const start = isSaved ? saved.get(story) : undefined
      const done = branches.get(branch)
      if (done !== undefined) return { how: done.how } // before the kill
      if (start === undefined || branch === '') return { how: 'kept' }
      if (main.history[start.length - 1]?.head !== start.head) return { how: 'kept', problem: 'the history was rewritten' }
      // If the state was saved again, the story has older commits.
      const first = main.history.findIndex(({ head }) => own.includes(head))
      const from = first === -1 ? start.length : Math.min(first, start.length)
      const since = main.history.slice(from)
      // A worktree that was forked since would bring back what is gone from the history.
      const isForked = places.all().some(({ base }) => since.some(({ head }) => head === base.head))
      const how = !isForked && since.every(({ head }) => own.includes(head)) ? 'reset' : 'reverted'
      const back = how === 'reset' ? main.history[from - 1]!.content : reverted(own, from)
      if (back === undefined) return { how: 'kept', problem: 'reverting conflicts with later commits' }
      const isLeftOut = (piece: string): boolean =>
        isUsers(piece) && start.work.includes(piece) && !last().content.includes(piece)
      const tip = work().filter((piece) => !isLeftOut(piece))
      const contents = [work(), ...since.flatMap(({ content, brought = [] }) => [content, ...brought])]
      branches.set(branch, { how, contents, shelf: { base: back, tip } })
      if (how === 'reset') main.history.length = from
      else record(back, null)
      saved.delete(story)
      const usersOwn = [...start.work.filter(isUsers), ...start.older].filter((piece) => !back.includes(piece))
      changeTo(how === 'reset' && from === start.length ? start.work : [...back, ...usersOwn], 'agent')
      return { how }
    },
    hasBranch: (branch) => branches.has(branch),
    bringShelf(story, branch, place) {
      const { shelf, contents } = branches.get(branch) ?? {}
      const { history, changeTo, last, work }: Checkout = place ?? main
      const isThere = history.some(({ heads = [] }) => heads.includes(branch))
      if (shelf === undefined || contents === undefined || isThere) return true
      const { base, tip } = shelf
      const ours = last().content
      const files = [...added(base, tip), ...added(tip, base)].map(fileOf)
      const isInTheWay = place === undefined && repository.dirty().some((file) => files.includes(file))
      if (isInTheWay || clashes(base, ours, tip)) return false
      const content = joined(base, ours, tip)
      const changed = joined(ours, content, work())
      history.push({ head: shared.head(), content, by: story, brought: contents, heads: [branch] })
      changeTo(changed, 'agent')
      return true
    },
    putPlaceAside(key, branch) {
      if (branches.has(branch)) return { how: 'reset' } // before the kill
      const contents = places.of(key)?.reachable()
      if (contents === undefined) return { how: 'kept' }
      branches.set(branch, { how: 'reset', contents })
      places.drop(key)
      return { how: 'reset' }
    },
    reachable: () => [
      ...main.reachable(),
      ...places.all().flatMap((place) => place.reachable()),
      ...[...branches.values()].flatMap(({ contents }) => contents),
    ],
    nameOf: shared.nameOf,
    planCopy: () =>
      repository.plan && { ...repository.plan, stories: repository.plan.stories.map((story): Story => ({ ...story })) },
    story: (id) => repository.plan?.stories.find((story) => story.id === id),
    setStory(id, change) {
      const story = repository.story(id)
      if (story !== undefined) Object.assign(story, change)
    },
    mark(id, change) {
      if (repository.plan?.marks === 'file') repository.setStory(id, change)
    },
    runGates: (gates, random, content = work()) => gatesOn(content, gates, random, repository.isCalm),
  }
  return repository
}
