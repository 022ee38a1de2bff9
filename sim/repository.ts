/** The simulated project: its content, its history, its plan file, and what its gates find. It is the simulator's own truth, apart from the core's. */
import type { PutAside } from '../src/core/answers.ts'
import type { Gate, GateResult, Plan, Repo, Story, StoryId } from '../src/core/types.ts'
import { aResult } from './builders.ts'
import { added, type Content, isBroken, isUsers, isWeak, mended, namer, without } from './content.ts'
import type { Random } from './random.ts'

/** A gate's command says how it behaves: always passes, always fails, goes by the content, or by chance. */
export const gateCommands = ['pass', 'content', 'fail', 'flaky'] as const

export type Edit = 'good' | 'bad' | 'weak' | 'revert' | 'commit'

type Commit = { head: string; content: Content; by: StoryId | null }
type Aside = Pick<PutAside, 'how' | 'problem'>

export type Repository = {
  plan: Plan | null
  /** Rises with every change of content and every check: tells which came last. */
  seq: number
  changedSeq: number
  /** The last change that was not the user's. */
  agentChangedSeq: number
  /** Gates that always fail pass from here on. */
  isCalm: boolean
  hasGit: boolean
  now(): Repo
  /** Commits from this state on, without it. */
  since(before: Pick<Repo, 'head' | 'tree'>): { commits: string[]; trees: string[] }
  edit(edit: Edit, by: StoryId | null, random: Random): void
  /** `isUnwatched`: while a run was killed and nobody could tell the user's hand from the agent's. */
  userWrites(isBad: boolean, isUnwatched: boolean): void
  userCommits(): void
  /** Ralph's own: never what the user left lying before the run. */
  commit(by: StoryId | null): boolean
  work(): Content
  committed(): Content
  /** Somebody else's than this story's, and committed. */
  othersCommitted(story: StoryId): Content
  /** The user's, not yet committed by the user, and written where Ralph could see whose it is. */
  usersUncommitted(): Content
  usersEver(): Content
  /** What the user broke on the way. */
  isUsersBreak(piece: string): boolean
  hasUncommitted(): boolean
  weakened(): string[]
  /** The state that a story begins with, to go back to; null: of one that the agent is about to pick. */
  save(story: StoryId | null): void
  /** What was saved before a story was picked is its beginning, unless it has one. */
  keepPicked(story: StoryId): void
  /** What is there now goes onto a branch, and the saved state comes back; where others have committed since, own commits are reverted. */
  putAside(story: StoryId, branch: string, isSaved: boolean, own: string[]): Aside
  /** Contents that can still be reached: in the tree, which is the first, committed, or on a branch. */
  reachable(): Content[]
  planCopy(): Plan | null
  story(id: StoryId): Story | undefined
  setStory(id: StoryId, change: Partial<Story>): void
  /** Failed and skip, where the plan's format can hold them. */
  mark(id: StoryId, change: Pick<Partial<Story>, 'skip' | 'failed'>): void
  runGates(gates: Gate[], random: Random): GateResult[]
}

export function repositoryWith(plan: Plan | null, hasGit: boolean): Repository {
  const nameOf = namer()
  let made = 0
  let commits = 0
  let work: Content = []
  let users: { piece: string; isUnwatched: boolean; isCommitted: boolean }[] = []
  const breaks = new Set<string>()
  const saved = new Map<StoryId | null, { work: Content; length: number }>()
  const branches = new Map<string, { contents: Content[]; how: 'reset' | 'reverted' }>()
  const history: Commit[] = [{ head: 'h0', content: [], by: null }]
  const last = (): Commit => history.at(-1)!
  const loose = (): string[] => users.filter(({ isCommitted }) => !isCommitted).map(({ piece }) => piece)
  const tracked = (): Content => without(work, loose())

  const changeTo = (content: Content, by: 'agent' | 'user'): void => {
    if (nameOf(content) === nameOf(work)) return
    work = content
    repository.changedSeq = ++repository.seq
    if (by === 'agent') repository.agentChangedSeq = repository.seq
  }

  const record = (content: Content, by: StoryId | null): boolean => {
    if (!hasGit || nameOf(content) === nameOf(last().content)) return false
    history.push({ head: `h${++commits}`, content, by })
    return true
  }

  /** What the tree is without these commits; undefined: a later one has touched the same. */
  const reverted = (own: string[], from: number): Content | undefined => {
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
      content = [...without(content, came), ...went.filter((piece) => !content.includes(piece))]
    }
    return content
  }

  const whyRed = (command: string, random: Random): string => {
    if (command === 'fail') return 'it always is'
    const kinds = ['one', 'two', 'three']
    if (command === 'flaky') return random.pick(kinds)
    return kinds[Number(work.findLast((piece) => piece.startsWith('b'))!.slice(1)) % 3]!
  }

  const passes = (command: string, random: Random): boolean => {
    if (command === 'content') return !isBroken(work)
    if (command === 'flaky') return random.chance(0.6) || repository.isCalm
    return command === 'pass' || repository.isCalm
  }

  const repository: Repository = {
    plan,
    seq: 0,
    changedSeq: 0,
    agentChangedSeq: 0,
    isCalm: false,
    hasGit,
    now() {
      if (!hasGit) return { head: null, tree: nameOf(work), dirt: '' }
      const tree = nameOf(last().content)
      return { head: last().head, tree, dirt: tree === nameOf(work) ? '' : `~${nameOf(work)}` }
    },
    since(before) {
      if (!hasGit) return { commits: [], trees: before.tree === nameOf(work) ? [] : [nameOf(work)] }
      const since = history.slice(history.findIndex((commit) => commit.head === before.head) + 1)
      return { commits: since.map((commit) => commit.head), trees: since.map((commit) => nameOf(commit.content)) }
    },
    edit(edit, by, random) {
      if (edit === 'commit') record(tracked(), by)
      else if (edit === 'revert')
        changeTo([...random.pick(history).content, ...loose().filter((piece) => work.includes(piece))], 'agent')
      else if (edit === 'good') changeTo([...mended(work), `g${++made}`], 'agent')
      else changeTo([...work, `${edit === 'bad' ? 'b' : 'w'}${++made}`], 'agent')
    },
    userWrites(isBad, isUnwatched) {
      const piece = `u${++made}`
      users.push({ piece, isUnwatched, isCommitted: false })
      if (isBad) breaks.add(`b${++made}`)
      changeTo([...work, piece, ...(isBad ? [`b${made}`] : [])], 'user')
    },
    userCommits() {
      if (!hasGit) return
      users = users.map((user) => ({ ...user, isCommitted: user.isCommitted || work.includes(user.piece) }))
      record(tracked(), null)
    },
    commit: (by) => record(tracked(), by),
    work: () => work,
    committed: () => last().content,
    othersCommitted(story) {
      const blamed = (piece: string): Commit | undefined =>
        history.findLast((commit, i) => i > 0 && added(history[i - 1]!.content, commit.content).includes(piece))
      return last().content.filter((piece) => blamed(piece)?.by !== story)
    },
    usersUncommitted: () =>
      users.filter(({ isCommitted, isUnwatched }) => !isCommitted && !isUnwatched).map(({ piece }) => piece),
    usersEver: () => users.map(({ piece }) => piece),
    isUsersBreak: (piece) => breaks.has(piece),
    hasUncommitted: () => hasGit && nameOf(tracked()) !== nameOf(last().content),
    weakened: () => (work.some(isWeak) ? ['a test was taken out'] : []),
    save: (story) => void saved.set(story, { work, length: history.length }),
    keepPicked(story) {
      const picked = saved.get(null)
      if (picked !== undefined) saved.set(story, picked)
    },
    putAside(story, branch, isSaved, own) {
      const start = isSaved ? saved.get(story) : undefined
      const done = branches.get(branch)
      if (done !== undefined) return { how: done.how } // before the kill
      if (start === undefined || branch === '') return { how: 'kept' }
      if (start.length > history.length) return { how: 'kept', problem: 'the history was rewritten' }
      const since = history.slice(start.length)
      const how = since.every(({ head }) => own.includes(head)) ? 'reset' : 'reverted'
      const back = how === 'reset' ? history[start.length - 1]!.content : reverted(own, start.length)
      if (back === undefined) return { how: 'kept', problem: 'reverting conflicts with later commits' }
      branches.set(branch, { how, contents: [work, ...since.map(({ content }) => content)] })
      if (how === 'reset') history.length = start.length
      else record(back, null)
      const usersOwn = start.work.filter((piece) => isUsers(piece) && !back.includes(piece))
      changeTo(how === 'reset' ? start.work : [...back, ...usersOwn], 'agent')
      return { how }
    },
    reachable: () => [
      work,
      ...history.map(({ content }) => content),
      ...[...branches.values()].flatMap(({ contents }) => contents),
    ],
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
    runGates: (gates, random) =>
      gates.map(({ name, command, story, soft }) => {
        const passed = passes(command, random)
        return aResult(name, passed, {
          command,
          durationMs: random.int(100, 60_000),
          output: passed ? '' : `${name} is red: ${whyRed(command, random)}`,
          ...(story === undefined ? {} : { story }),
          ...(soft ? { soft } : {}),
        })
      }),
  }
  return repository
}
