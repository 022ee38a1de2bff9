/** Branches beside the run's: found, moved away, pushed. */
import type { CommitRefused } from '../commit.ts'
import type { RunGit } from '../run.ts'
import { WITHOUT_HOOKS } from './trees.ts'

export type Branches = {
  /** With its history; null: done. */
  moveBranch(from: string, to: string): Promise<CommitRefused | null>
  listBranches(prefix: string): Promise<string[]>
  /** As a branch of a remote, as far as this repository knows. */
  isAtRemote(branch: string): Promise<boolean>
  /** With commits since then that the given branch (null: HEAD) lacks; without those of failed stories, and those that a worktree has checked out. */
  branchesSince(ms: number, than: string | null): Promise<{ name: string; commit: string }[]>
  /** Tips of a detached HEAD since then, left with commits that no ref has and whose changes the given branch (null: HEAD) never had. */
  detachedSince(ms: number, than: string | null): Promise<string[]>
  /** To the remote of the branch, or of the current one, else `origin`. `hooks`: the user's run too. null: done. */
  push(branch: string, how?: { hooks: boolean }): Promise<CommitRefused | null>
  hasRemotes(): Promise<boolean>
  /** Where a branch is pushed to, with its address as the user wrote it, and as git reads it. null: there is no such remote. */
  remoteFor(branch: string): Promise<Remote | null>
  /** Asks a remote for its default branch and where these branches are; null: it has none, or not these. */
  askRemote(remote: Remote, branches: string[]): Promise<AtRemote | CommitRefused>
  /** Messages of what a branch has and a commit does not, newest first (at most 500). */
  messagesSince(commit: string, branch: string): Promise<{ commit: string; message: string }[]>
}

export type Remote = { name: string; url: string; usedUrl: string }
export type AtRemote = { defaultBranch: string | null; tips: Record<string, string | null> }

/** Of a reflog: more than one iteration writes. */
const newest = '--max-count=500'

export function branchesOf(run: RunGit, env: NodeJS.ProcessEnv): Branches {
  async function setting(name: string): Promise<string | null> {
    const { code, out } = await run(['config', '--get', name])
    return code === 0 ? out.toString().trim() : null
  }

  async function remoteOf(branch: string): Promise<string> {
    const current = (await run(['symbolic-ref', '--quiet', '--short', 'HEAD'])).out.toString().trim()
    const names = [`branch.${branch}.pushRemote`, `branch.${branch}.remote`, 'remote.pushDefault', `branch.${current}.remote`]
    for (const name of names) {
      const remote = await setting(name)
      if (remote !== null && remote !== '.') return remote
    }
    return 'origin'
  }

  /** The user's own ssh, without prompts; a program with other flags is left alone. */
  async function silentSsh(): Promise<Record<string, string>> {
    const own = env['GIT_SSH_COMMAND'] ?? (await setting('core.sshCommand'))
    return own === null && env['GIT_SSH'] ? {} : { GIT_SSH_COMMAND: `${own ?? 'ssh'} -o BatchMode=yes` }
  }

  return {
    async moveBranch(from, to) {
      const { code, words } = await run([...WITHOUT_HOOKS, 'branch', '--move', '--', from, to], { kind: 'write' })
      if (code === 0) return null
      // The branch is moved even if another git has the configuration locked.
      const moved = await run(['for-each-ref', '--format=%(refname)', `refs/heads/${from}`, `refs/heads/${to}`])
      return moved.out.toString().trim() === `refs/heads/${to}` && /config/.test(words) ? null : { error: words }
    },
    async listBranches(prefix) {
      const { out } = await run(['for-each-ref', '--format=%(refname)', 'refs/heads/'])
      const names = out.toString().split('\n').filter(Boolean)
      return names.map((name) => name.slice('refs/heads/'.length)).filter((name) => name.startsWith(prefix))
    },
    isAtRemote: async (branch) =>
      (await run(['for-each-ref', '--count=1', '--format=%(refname)', `refs/remotes/*/${branch}`])).out.length > 0,
    async branchesSince(ms, than) {
      const without = `--no-merged=${than === null ? 'HEAD' : `refs/heads/${than}`}`
      const format = '--format=%(committerdate:unix) %(objectname) %(refname) %(worktreepath)'
      const { code, out } = await run(['for-each-ref', without, format, 'refs/heads/'])
      return (code === 0 ? out.toString().split('\n') : []).flatMap((line) => {
        const [seconds = '', commit = '', ref = '', ...path] = line.split(' ')
        const name = ref.slice('refs/heads/'.length)
        const isOther = path.join('') === '' && !/^(archive\/)?wip\/ralph-fail-/.test(name)
        return name !== '' && isOther && Number(seconds) >= Math.floor(ms / 1000) ? [{ name, commit }] : []
      })
    },
    async detachedSince(ms, than) {
      const own = than === null ? 'HEAD' : `refs/heads/${than}`
      const { code, out } = await run(['reflog', 'show', newest, '--date=unix', '--format=%gd %gs', 'HEAD', '--'])
      const left = (code === 0 ? out.toString().split('\n') : []).flatMap((line) => {
        const [, seconds = '', tip = ''] = /^HEAD@\{(\d+)\} checkout: moving from ([0-9a-f]{40,64}) to /.exec(line) ?? []
        return tip !== '' && Number(seconds) >= Math.floor(ms / 1000) ? [tip] : []
      })
      if (left.length === 0) return []
      // What was on the branch once is not left behind: an amended or rewritten commit is there in its new form.
      const before = await run(['reflog', 'show', newest, '--format=%H', own, '--'])
      const known = before.code === 0 ? before.out.toString().split('\n').filter(Boolean) : []
      const since = `--since=${Math.floor(ms / 1000)}`
      const tips: string[] = []
      for (const tip of new Set(left)) {
        const without = ['--not', '--all', ...known, ...tips]
        const unnamed = await run(['rev-list', '--max-count=1', since, tip, ...without, '--'])
        if (unnamed.code !== 0 || unnamed.out.length === 0) continue
        const { out: compared } = await run(['cherry', own, tip])
        if (/^\+/m.test(compared.toString())) tips.push(tip)
      }
      return tips
    },
    async push(branch, { hooks } = { hooks: false }) {
      const ref = `refs/heads/${branch}`
      const args = ['push', '--quiet', '--', await remoteOf(branch), `${ref}:${ref}`]
      const { code, words } = await run(args, { kind: hooks ? 'hooks' : 'write', env: await silentSsh() })
      return code === 0 ? null : { error: words }
    },
    hasRemotes: async () => (await run(['remote'])).out.length > 0,
    async remoteFor(branch) {
      const name = await remoteOf(branch)
      const used = await run(['remote', 'get-url', '--push', '--', name])
      if (used.code !== 0) return null
      const url = (await setting(`remote.${name}.pushurl`)) ?? (await setting(`remote.${name}.url`)) ?? ''
      return { name, url, usedUrl: used.out.toString().trim() }
    },
    async askRemote({ name }, branches) {
      const refs = branches.map((branch) => `refs/heads/${branch}`)
      const { code, out, words } = await run(['ls-remote', '--symref', '--', name, 'HEAD', ...refs], { env: await silentSsh() })
      if (code !== 0) return { error: words }
      const lines = out.toString().split('\n')
      const target = lines.map((line) => /^ref: refs\/heads\/(\S+)\tHEAD$/.exec(line)?.[1]).find((found) => found !== undefined)
      const tipOf = (ref: string): string | null => lines.find((line) => line.endsWith(`\t${ref}`))?.split('\t')[0] ?? null
      const tips = Object.fromEntries(branches.map((branch) => [branch, tipOf(`refs/heads/${branch}`)]))
      return { defaultBranch: target ?? null, tips }
    },
    async messagesSince(commit, branch) {
      const { code, out } = await run(['log', newest, '-z', '--format=%H %B', `${commit}..refs/heads/${branch}`, '--'])
      const entries = code === 0 ? out.toString().split('\0').filter(Boolean) : []
      return entries.map((entry) => ({
        commit: entry.slice(0, entry.indexOf(' ')),
        message: entry.slice(entry.indexOf(' ') + 1),
      }))
    },
  }
}
