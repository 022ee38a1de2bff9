/** Finds commits that bypassed the repository's hooks, in the commands that made them. */
import { programOf, shellCommands, unwrapped } from './shell.ts'

/** The part of a command that bypasses the hooks, such as `git commit --no-verify`; null: none. */
export function hookBypass(command: string): string | null {
  const exported: string[] = []
  let isElsewhere = false
  for (const simple of shellCommands(command)) {
    const { variables, words } = unwrapped(simple)
    if (/^(?:cd|pushd)$/.test(words[0] ?? ''))
      isElsewhere = /^(?:\$$|\$\(mktemp\b|\$\{?(?:TMP|TEMP|tmp|temp)\w*\}?$)/.test(words[1] ?? '')
    // A repository that the agent made to try something.
    if (isElsewhere && !words.includes('-C')) continue
    if (words[0] === 'export') exported.push(...words.slice(1))
    else if (words.length === 0) exported.push(...variables)
    else if (/^git(?:\.exe)?$/.test(programOf(words))) {
      const found = bypassOf(words.slice(1), [...exported, ...variables])
      if (found !== null) return found
    }
  }
  return null
}

const globalsWithValue = new Set(['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--config-env', '--exec-path'])
const commitsWithValue =
  /^(?:-[A-Za-z]*[mFCct]|--(?:message|file|author|date|template|reuse-message|reedit-message|fixup|squash|trailer))$/
const switchesOff = /^(?:HUSKY=0|HUSKY_SKIP_HOOKS=(?!0?$).*|LEFTHOOK=(?:0|false)|OVERCOMMIT_DISABLE=1|SKIP=.+)$/
/** Setting a folder for hooks is not a bypass: projects do that during setup. */
const nowhere = /^$|^\/(?:dev|tmp|nonexistent)\b/i

function bypassOf(args: string[], variables: string[]): string | null {
  const settings: string[] = []
  let at = 0
  for (let word = args[at]; word?.startsWith('-'); word = args[++at]) {
    if (word === '-c') settings.push(args[at + 1] ?? '')
    if (globalsWithValue.has(word)) at += 1
  }
  const [verb, ...rest] = args.slice(at)
  if (verb === 'config') return configBypass(rest)
  if (verb !== 'commit' && verb !== 'merge') return null
  const hooksPath = settings.find((setting) => /^core\.hookspath(?:=|$)/i.test(setting))
  if (hooksPath !== undefined) return `git -c ${hooksPath} ${verb}`
  const variable = variables.find((one) => switchesOff.test(one))
  if (variable !== undefined) return `${variable} git ${verb}`
  const option = noVerify(rest, verb === 'commit')
  return option === null ? null : `git ${verb} ${option}`
}

function configBypass(args: string[]): string | null {
  const key = args.findIndex((word) => word.toLowerCase() === 'core.hookspath')
  const value = key === -1 ? undefined : args[key + 1]
  if (value === undefined || !nowhere.test(value) || args.some((word) => /^--(?:get|unset)/.test(word))) return null
  return `git config core.hooksPath ${value || "''"}`
}

/** The last option counts, as in git. `-n` means something else for a merge. */
function noVerify(args: string[], hasShort: boolean): string | null {
  let found: string | null = null
  let at = 0
  for (let word = args[at]; word !== undefined; word = args[++at]) {
    if (word === '--') break
    if (/^--no-veri(?:f|fy)?$/.test(word)) found = '--no-verify'
    else if (word === '--verify') found = null
    else if (hasShort && /^-[^-mFCctSu]*n/.test(word)) found = '-n'
    if (commitsWithValue.test(word)) at += 1
  }
  return found
}
