/** Writes commits, trees and refs through gits that stay: 0.3 ms each instead of a process of 3 ms, four of them for each story that passes. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT, Failure } from '../../../core/failure.ts'
import { dropFile } from '../../files/files.ts'
import { turns } from '../../process/one-at-a-time.ts'
import { envOf, type RunGit } from '../run.ts'
import { type Batch, type FirstAnswer, startBatch } from './batch.ts'
import { idOf } from './verify.ts'

export type NewCommit = { tree: string; parents: string[]; message: string }

export type Writer = {
  /** The id of a tree with this body, which is in the repository now. */
  tree(body: Buffer): Promise<string>
  /** By the user if `isUsers`, and git knows one. Unsigned. `date`: as git keeps it; absent: now. */
  commit(commit: NewCommit, by: { isUsers?: boolean; date?: string }): Promise<string>
  /** `old`: only from there. */
  setRef(ref: string, commit: string, old?: string): Promise<void>
  close(): void
}

type Place = { top: string; dir: string; run: RunGit; algorithm: string }

/** `run` does the same with a process each time, where a git that stays does not answer. */
export function writerIn({ top, dir, run, algorithm }: Place, env: NodeJS.ProcessEnv): Writer {
  const gits = new Map<string, Batch<string>>()
  /** They fail where a process does not: this git is too old for several answers. */
  const isOff = new Set<string>()
  const inTurn = turns()
  let known: Promise<Names> | undefined

  async function asked(args: [string, ...string[]], firstAnswer: FirstAnswer<string>, request: string): Promise<string | null> {
    const key = args.join(' ')
    for (let attempt = 0; attempt < 2 && !isOff.has(key); attempt++) {
      const there = gits.get(key)
      try {
        const git = there?.isOpen() ? there : startBatch(top, envOf(env, 'write'), args, firstAnswer)
        gits.set(key, git)
        return await git.ask(request)
      } catch {} // someone who cleaned up may have killed it
    }
    return null
  }

  async function byProcess(args: [string, ...string[]], input?: Buffer): Promise<string> {
    const { code, out, words } = await run(args, { kind: 'write', ...(input && { input }) })
    if (code !== 0) throw new Failure(EXIT.data, `git ${args[0]} failed in ${top}: ${words}`)
    return out.toString().trim()
  }

  async function fromFile(type: string, body: Buffer): Promise<string | null> {
    const path = join(dir, 'ralph-object')
    if (path.includes('\n')) return null
    dropFile(path)
    try {
      writeFileSync(path, body, { flag: 'wx' })
      return await asked(objectArgs(type), firstLine, `${path}\n`)
    } catch {
      return null // no space, or no repository: the process says so
    } finally {
      dropFile(path)
    }
  }

  const write = (type: 'commit' | 'tree', body: Buffer): Promise<string> =>
    inTurn(async () => {
      const id = idOf(type, body, algorithm === 'sha256' ? 64 : 40)
      if ((await fromFile(type, body)) === id) return id
      const written = await byProcess(['hash-object', '-t', type, '-w', '--stdin'], body)
      isOff.add(objectArgs(type).join(' '))
      return written
    })

  const names = (): Promise<Names> => {
    known ??= usersNames(run)
    return known
  }

  return {
    tree: (body) => write('tree', body),
    async commit(commit, { isUsers = false, date = now() }) {
      const { author, committer } = isUsers ? await names() : ourselves
      return write('commit', commitBody(commit, `author ${author} ${date}\ncommitter ${committer} ${date}\n`))
    },
    async setRef(ref, commit, old) {
      const request = `start\nupdate ${ref} ${commit}${old === undefined ? '' : ` ${old}`}\ncommit\n`
      if ((await asked(refArgs, commitDone, request)) !== null) return
      await byProcess(['update-ref', ...inReflog, ref, commit, ...(old === undefined ? [] : [old])])
      isOff.add(refArgs.join(' '))
    },
    close() {
      for (const git of gits.values()) git.end()
    },
  }
}

/** The same for a worktree: everything but HEAD is shared. */
export const writerFrom = (writer: Writer, run: RunGit): Writer => ({
  ...writer,
  async setRef(ref, commit, old) {
    if (ref !== 'HEAD') return writer.setRef(ref, commit, old)
    const { code, words } = await run(['update-ref', ...inReflog, ref, commit, ...(old === undefined ? [] : [old])], {
      kind: 'write',
    })
    if (code !== 0) throw new Failure(EXIT.data, `git update-ref failed: ${words}`)
  },
  close: () => {}, // whoever opened it closes it
})

const inReflog = ['-m', 'ralph']
const refArgs: [string, ...string[]] = ['update-ref', '--stdin', ...inReflog]
const objectArgs = (type: string): [string, ...string[]] => ['hash-object', '-t', type, '-w', '--no-filters', '--stdin-paths']

/** Each a name and an address; one character per byte. */
type Names = { author: string; committer: string }

const ourselves: Names = { author: 'ralph <ralph@localhost>', committer: 'ralph <ralph@localhost>' }

/** Ours where git knows none. */
async function usersNames(run: RunGit): Promise<Names> {
  const [author, committer] = await Promise.all(['GIT_AUTHOR_IDENT', 'GIT_COMMITTER_IDENT'].map((name) => run(['var', name])))
  if (author?.code !== 0 || committer?.code !== 0) return ourselves
  const nameIn = (out: Buffer): string => out.toString('latin1').replace(/ \d+ [+-]\d+\n$/, '')
  return { author: nameIn(author.out), committer: nameIn(committer.out) }
}

/** Seconds, and the difference to UTC, as git keeps them. */
function now(): string {
  const date = new Date()
  const minutes = -date.getTimezoneOffset()
  const two = (number: number): string => String(number).padStart(2, '0')
  const zone = `${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}${two(Math.abs(minutes) % 60)}`
  return `${Math.floor(date.getTime() / 1000)} ${zone}`
}

function commitBody({ tree, parents, message }: NewCommit, people: string): Buffer {
  const above = [`tree ${tree}\n`, ...[...new Set(parents)].map((parent) => `parent ${parent}\n`), people, '\n'].join('')
  return Buffer.concat([Buffer.from(above, 'latin1'), Buffer.from(message.replaceAll('\0', ''))])
}

const firstLine: FirstAnswer<string> = (said) => {
  const end = said.indexOf(0x0a)
  return end === -1 ? null : { answer: said.toString('latin1', 0, end), length: end + 1 }
}

const done = Buffer.from('commit: ok\n')
const commitDone: FirstAnswer<string> = (said) => {
  const at = said.indexOf(done)
  return at === -1 ? null : { answer: '', length: at + done.length }
}
