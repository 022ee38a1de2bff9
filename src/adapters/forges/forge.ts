/** The door to where a repository is hosted: its pull requests, whatever they are called there. */
import type { RemoteRepository } from './remote.ts'

export type PullRequest = {
  number: number
  url: string
  state: 'open' | 'merged' | 'closed'
  isDraft: boolean
  base: string
  title: string
  body: string
  /** The commit of its branch, as the forge knows it. */
  commit: string
  /** As the forge's API names it, where that is not its number. */
  id: string
}

export type NewPullRequest = { branch: string; base: string; title: string; body: string; isDraft: boolean }

/** What a build server says about a commit. `output`: its own words, and the end of its log where it can be had. */
export type ForgeCheck = { name: string; state: 'running' | 'passed' | 'failed'; url: string; output: string }

/** What somebody wrote on a pull request. */
export type Remark = {
  id: string
  url: string
  author: string
  /** A person who may push to the repository. */
  mayWrite: boolean
  /** About a line, or of a review that requests changes: it wants something. */
  isAsking: boolean
  body: string
  /** The file and line that it is about; empty: none. */
  place: string
  at: string
}

export type Forge = {
  kind: 'github' | 'gitlab'
  /** As people call them there: 'pull request', '#7'. */
  noun: string
  mark: '#' | '!'
  repository: RemoteRepository
  /** Those of this branch of this repository, newest first; never those of a fork's branch of the same name. */
  find(branch: string): Promise<PullRequest[]>
  /** null: there is one already, or it is not known whether it was made: look again. */
  create(wanted: NewPullRequest): Promise<PullRequest | null>
  checks(pull: PullRequest, commit: string): Promise<ForgeCheck[]>
  /** Oldest first. */
  remarks(pull: PullRequest): Promise<Remark[]>
  /** In the same thread, where there is one. */
  reply(pull: PullRequest, remark: Remark, text: string): Promise<void>
  update(pull: PullRequest, change: Partial<Pick<PullRequest, 'body' | 'base' | 'isDraft'>>): Promise<PullRequest>
}
