/** A work tree with its history: the project's own, or that of a parallel story. */
import type { Finding } from '../src/core/proof/finding.ts'
import { heldOutResult } from '../src/core/proof/held-out.ts'
import type { Ended, Gate, GateResult, Repo, StoryId } from '../src/core/types.ts'
import { aResult } from './builders.ts'
import { added, type Content, filesOf, isBroken, isCheat, isUsers, isWeak, namer, repaired } from './content.ts'
import type { Random } from './random.ts'

/** `take`: commits everything, including the user's changes; `discard`: throws all uncommitted changes away. */
export type Edit = 'good' | 'bad' | 'weak' | 'cheat' | 'revert' | 'commit' | 'take' | 'discard'

/** `brought`, `heads`: commits on the way to the end of the line that it joins; `joins`: commits of the project that came with it. */
export type Commit = {
  head: string
  content: Content
  by: StoryId | null
  brought?: Content[]
  heads?: string[]
  joins?: Commit[]
}

/** Names and counters that all work trees of the project share. */
export type Shared = {
  hasGit: boolean
  nameOf(content: Content): string
  piece(kind: 'g' | 'b' | 'w' | 'x' | 'u' | 'l'): string
  head(): string
}

export type Checkout = {
  history: Commit[]
  work(): Content
  last(): Commit
  now(): Repo
  /** Commits after this state, and the files that they changed. */
  since(before: Pick<Repo, 'head' | 'tree'>): Required<Pick<Ended, 'commits' | 'trees' | 'files'>>
  edit(edit: Edit, by: StoryId | null, random: Random): void
  changeTo(content: Content, by: 'agent' | 'user'): void
  record(content: Content, by: StoryId | null): boolean
  /** Makes the commits since this one again without these pieces; one with nothing else in it is left out. */
  without(from: string | null, isUnwanted: (piece: string) => boolean): void
  /** All but private ones. */
  tracked(): Content
  hasUncommitted(): boolean
  /** `then`: the content when a flipped story began; null: none was flipped, or nobody knows. */
  findings(then: Content | null): Finding[]
  contentAt(head: string | null): Content | null
  /** The tree, which is first, and everything that was committed. */
  reachable(): Content[]
}

type Own = { loose(): string[]; changed(by: 'agent' | 'user'): void }

export function sharedBy(hasGit: boolean): Shared {
  let pieces = 0
  let heads = 0
  return { hasGit, nameOf: namer(), piece: (kind) => `${kind}${++pieces}`, head: () => `h${++heads}` }
}

export function checkoutOf({ hasGit, nameOf, piece, head }: Shared, start: Commit, { loose, changed }: Own): Checkout {
  let work = start.content
  const last = (): Commit => checkout.history.at(-1)!
  const tracked = (): Content => {
    const own = loose()
    return work.filter((each) => !own.includes(each))
  }

  const checkout: Checkout = {
    history: [start],
    work: () => work,
    last,
    now() {
      if (!hasGit) return { head: null, tree: nameOf(work), dirt: '' }
      const tree = nameOf(last().content)
      return { head: last().head, tree, dirt: tree === nameOf(work) ? '' : `~${nameOf(work)}` }
    },
    since(before) {
      if (!hasGit) return { commits: [], trees: before.tree === nameOf(work) ? [] : [nameOf(work)], files: [] }
      const from = Math.max(
        0,
        checkout.history.findIndex((commit) => commit.head === before.head),
      )
      const since = checkout.history.slice(from + 1)
      const parents = checkout.history.slice(from)
      const changedPieces = since.flatMap(({ content }, i) => {
        const parent = parents[i]!.content
        return [...added(parent, content), ...added(content, parent)]
      })
      const all = since.flatMap((commit) => [...(commit.joins ?? []), commit])
      return {
        commits: all.map((commit) => commit.head),
        trees: all.map((commit) => nameOf(commit.content)),
        files: filesOf(changedPieces),
      }
    },
    edit(edit, by, random) {
      if (edit === 'commit') checkout.record(tracked(), by)
      else if (edit === 'take') checkout.record(work, by)
      else if (edit === 'discard') checkout.changeTo(last().content, 'agent')
      else if (edit === 'revert')
        // The user's pieces stay as they are: brought back by an agent, nobody could tell whose they are.
        checkout.changeTo(
          [...random.pick(checkout.history).content.filter((each) => !isUsers(each)), ...work.filter(isUsers)],
          'agent',
        )
      else if (edit === 'good') checkout.changeTo([...repaired(work), piece('g')], 'agent')
      else checkout.changeTo([...work, piece(letters[edit])], 'agent')
    },
    changeTo(content, by) {
      if (nameOf(content) === nameOf(work)) return
      work = content
      changed(by)
    },
    record(content, by) {
      if (!hasGit || nameOf(content) === nameOf(last().content)) return false
      checkout.history.push({ head: head(), content, by })
      return true
    },
    without(from, isUnwanted) {
      const at = checkout.history.findIndex((commit) => commit.head === from)
      if (at === -1 || !checkout.history.slice(at + 1).some(({ content }) => content.some(isUnwanted))) return
      for (const commit of checkout.history.splice(at + 1)) {
        const content = commit.content.filter((each) => !isUnwanted(each))
        if (nameOf(content) !== nameOf(last().content)) checkout.history.push({ ...commit, content, head: head() })
      }
    },
    tracked,
    hasUncommitted: () => hasGit && nameOf(tracked()) !== nameOf(last().content),
    findings: (then) => [
      ...(work.some(isWeak) ? [testDeleted] : []),
      ...(work.some(isCheat) ? [pastHooks] : []),
      ...(then !== null && nameOf(then) === nameOf(tracked()) ? [nothingDone] : []),
    ],
    contentAt: (at) => (hasGit ? (checkout.history.find((commit) => commit.head === at)?.content ?? null) : null),
    reachable: () => [work, ...checkout.history.flatMap(({ content, brought = [] }) => [content, ...brought])],
  }
  return checkout
}

const letters = { bad: 'b', weak: 'w', cheat: 'x' } as const

const testDeleted: Finding = { rule: 'test-deleted', file: 'test/a.test.js', words: 'a test was taken out' }
const nothingDone: Finding = { rule: 'nothing-done', words: 'nothing changed', isBeyondChecks: true }
const pastHooks: Finding = {
  rule: 'hooks-bypassed',
  file: 'test/a.test.js',
  words: 'a commit went past the hooks',
  isCertain: true,
}

/** A gate's command says how it behaves: always passes, always fails, is not installed, depends on the content, or on chance. */
export const gateCommands = ['pass', 'content', 'fail', 'missing', 'flaky'] as const

/** The gates' results for this content. `isCalm`: those that always fail pass from here on. */
export function gatesOn(content: Content, gates: Gate[], random: Random, isCalm: boolean): GateResult[] {
  return gates.map(({ name, command, story, soft }) => {
    const passed = passes(command, content, random, isCalm)
    return aResult(name, passed, {
      command,
      durationMs: random.int(100, 60_000),
      ...(command === 'missing' && !passed ? { exitCode: 127 } : {}),
      output: passed ? '' : `${name} is red: ${whyRed(command, content, random)}`,
      ...(story === undefined ? {} : { story }),
      ...(soft ? { soft } : {}),
    })
  })
}

/** A held-out check, which sees the content: it runs where the gates have not decided yet. */
export function heldOutOn(
  content: Content,
  results: GateResult[],
  flips: StoryId[],
  isRed: (result: GateResult) => boolean,
): GateResult[] {
  const reds = results.filter(isRed)
  const isOpen =
    flips.length === 0 ? reds.length === 0 : flips.some((id) => reds.every(({ story }) => story !== undefined && story !== id))
  const end = { passed: !isBroken(content), exitCode: isBroken(content) ? 1 : 0, ended: 'exited', durationMs: 100 } as const
  return isOpen ? [...results, heldOutResult(end, [])] : results
}

function passes(command: string, content: Content, random: Random, isCalm: boolean): boolean {
  if (command === 'content') return !isBroken(content)
  if (command === 'flaky') return random.chance(0.6) || isCalm
  return command === 'pass' || isCalm
}

function whyRed(command: string, content: Content, random: Random): string {
  if (command === 'fail' || command === 'missing') return 'it always is'
  const kinds = ['one', 'two', 'three']
  if (command === 'flaky') return `\n✖ ${random.pick(['one', ...kinds])}`
  return kinds[Number(content.findLast((piece) => piece.startsWith('b'))!.slice(1)) % 3]!
}
