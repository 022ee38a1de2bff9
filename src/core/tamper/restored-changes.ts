/** Git hooks and settings that Ralph restored after an agent changed them, as evidence. Installers make some of these changes honestly. */
import type { Finding } from '../proof/finding.ts'
import { isCode, isTestCode } from './code/files.ts'

/** `name`: `.git/hooks/pre-commit`; `was`: added, changed, removed; `content`: what was found there; `isOfProject`: the same as a file of the project. */
export type UndoneChange = {
  what: 'hooks' | 'git-config' | 'git-files'
  name: string
  was: string
  content: string
  isOfProject?: boolean
}

const installers = /pre-commit|lefthook|husky|overcommit|simple-git-hooks|git[- ]lfs|lint-staged/i
const hiding =
  /core\.(?:attributesfile|excludesfile|worktree|trustctime|checkstat|filemode|ignorestat|fsmonitor)|\bfilter\.|include/i

/** Hooks that check, before anything is done. */
const checks = /\/(?:pre-commit|prepare-commit-msg|commit-msg|pre-push)$/

export function evidenceOf({ what, name, was, content, isOfProject = false }: UndoneChange): Finding[] {
  const words = `${name} was ${was}`
  if (what === 'hooks') {
    const isInstalled = was === 'added' && (installers.test(content) || (isOfProject && checks.test(name)))
    return isInstalled ? [] : [{ rule: 'hooks-disabled', words, isCertain: true }]
  }
  if (what === 'git-config') {
    if (/core\.hookspath/i.test(was)) return isOwnFolder(content) ? [] : [{ rule: 'hooks-disabled', words, isCertain: true }]
    const keys = was.replace(/\bfilter\.lfs\.\w+/g, (key) => (hasOwnLfs(content) ? '' : key))
    return hiding.test(keys) ? [{ rule: 'content-hidden', words, isCertain: true }] : []
  }
  const isHidden = !/\/exclude$|ignore\w*$/.test(name) || content.split('\n').some(hidesWork)
  return isHidden ? [{ rule: 'content-hidden', words, isCertain: true }] : []
}

/** As `git lfs install` sets it up. */
function hasOwnLfs(config: string): boolean {
  const [, section = ''] = /^\[filter "lfs"\]\n((?:[ \t].*\n?)*)/im.exec(config) ?? []
  const programs = [...section.matchAll(/^\s*(?:clean|smudge|process)\s*=\s*(.*)$/gm)].map(([, program = '']) => program)
  return (
    programs.length > 0 && programs.every((program) => /^"?git[- ]lfs (?:clean|smudge|filter-process)\b[\w %-]*"?$/.test(program))
  )
}

/** Set-up scripts name a folder of the project, some with its whole path. */
const isOwnFolder = (config: string): boolean =>
  /^\s*hookspath\s*=\s*"?(?![/~]|\.\.)[\w.-]+|^\s*hookspath\s*=\s*"?\/(?!tmp\/|dev\/)[^"\n]*\/(?:\.?githooks|\.husky(?:\/_)?)"?\s*$/im.test(
    config,
  )

/** A line of an exclude file that names tests, all source or everything; a single file is a note or a try, which no commit has. */
function hidesWork(line: string): boolean {
  const pattern = line.trim()
  if (pattern === '' || pattern.startsWith('#')) return false
  const path = pattern.replace(/^\//, '').replaceAll('*', 'x')
  return isTestCode(path) || (isCode(path) && pattern.includes('*')) || /^\/?(?:\*+|tests?|specs?|src|lib|app)\/?$/.test(pattern)
}

export const hiddenFiles = (paths: string[]): Finding[] =>
  paths.length === 0
    ? []
    : [
        {
          rule: 'content-hidden',
          ...(paths[0] === undefined ? {} : { file: paths[0] }),
          words: `hid changes from git in ${paths.slice(0, 10).join(', ')} (skip-worktree or assume-unchanged)`,
          isCertain: true,
        },
      ]
