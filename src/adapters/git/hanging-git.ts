/** Finds out what a hanging git waits for: the program that it started. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

export type Waiting = {
  pid: number
  command: string
  /** Such a program may prompt for a passphrase, a password or a touch of a key. */
  asks: 'signature' | 'login' | null
}

/** null: it waits for none, or has ended. */
export function waitingFor(git: number): Waiting | null {
  for (let child = childOf(git); child !== null; child = childOf(child.pid)) {
    const { pid, words } = child
    if (basename(words[0] ?? '') !== 'git') return { pid, command: shown(words), asks: asksFor(words) }
  }
  return null
}

/** The arguments that git passes to gpg.program, for OpenPGP, X.509 and SSH. */
const isSigning = (words: string[]): boolean =>
  words.includes('--status-fd=2') || (words.includes('-Y') && words.includes('sign'))

function asksFor(words: string[]): Waiting['asks'] {
  if (isSigning(words)) return 'signature'
  // The second word too, because the first word of a script is its interpreter.
  return words.slice(0, 2).some((word) => /^(ssh|git-credential-.+|.*askpass.*)$/.test(basename(word))) ? 'login' : null
}

type Child = { pid: number; words: string[] }

/** The youngest one alive. */
function childOf(parent: number): Child | null {
  try {
    const pid = Number(readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim().split(' ').at(-1))
    return pid > 0 ? { pid, words: readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean) } : null
  } catch {
    return childInPs(parent)
  }
}

/** Where there is no /proc. */
function childInPs(parent: number): Child | null {
  try {
    const lines = execFileSync('ps', ['-Aww', '-o', 'pid=,ppid=,args='], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const found = lines.split('\n').findLast((line) => Number(/^\s*\d+\s+(\d+)/.exec(line)?.[1]) === parent)
    const [pid, , ...words] = found?.trim().split(/\s+/) ?? []
    return pid === undefined ? null : { pid: Number(pid), words }
  } catch {
    return null
  }
}

const shown = (words: string[]): string => {
  const text = words.join(' ')
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`
}
