/** The files that a gate's command runs: whoever changes them changes the gate. */
import { pathInside } from '../text/paths.ts'
import { testsIn } from './code/languages.ts'
import { programOf, shellCommands, unwrapped } from './shell.ts'

/** `entry`: only this script of a package.json, or this target of a Makefile, belongs to the gate. */
export type GateFile = { gate: string; path: string; entry?: string }

/** Paths are relative to the gates' folder; `exists` checks for a file there, `scriptIn` returns what an entry of a package.json or a Makefile runs. */
export function filesOfGates(
  gates: { name: string; command: string }[],
  exists: (path: string) => boolean,
  scriptIn: (path: string, script: string) => string | undefined = () => undefined,
): GateFile[] {
  return gates.flatMap(({ name, command }) => {
    const found = new Map<string, GateFile>()
    const look = (line: string, from: string): void => {
      let folder = from
      for (const simple of shellCommands(line)) {
        const { words } = unwrapped(simple)
        if (words[0] === 'cd') folder = `${folder}/${words[1] ?? ''}`
        for (const { path: named, ...more } of filesOf(words)) {
          const path = pathInside(`${folder}/${named}`)
          const key = `${path} ${more.entry}`
          if (path === null || found.has(key) || !exists(path)) continue
          found.set(key, { gate: name, path, ...more })
          // The gate also runs what the script runs.
          const script = more.entry === undefined ? undefined : scriptIn(path, more.entry)
          if (script !== undefined) look(script, folder)
        }
      }
    }
    look(command, '.')
    return [...found.values()]
  })
}

const interpreters = /^(?:(?:ba|da|k|z)?sh|node|deno|bun|tsx|ts-node|python[\d.]*|ruby|perl|php|Rscript|pwsh|source|\.)$/
const packageManagers = /^(?:npm|pnpm|yarn|bun)$/
/** The program under test is the work, not the check. */
const isWork = /(^|\/)(?:src|lib|app|dist|build|bin)\/|(^|\/)(?:main|index|app|cli)\.\w+$/

function filesOf(words: string[]): Omit<GateFile, 'gate'>[] {
  const program = programOf(words)
  const own = program === 'node' && words.includes('--run') ? (words[words.indexOf('--run') + 1] ?? null) : null
  const script = packageManagers.test(program) ? scriptOf(words) : own
  if (script !== null) return [{ path: 'package.json', entry: script }]
  if (program === 'make' || program === 'gmake') return makeFiles(words)
  const candidate = interpreters.test(program)
    ? words.slice(1).find(isScriptName)
    : words[0]?.includes('/')
      ? words[0]
      : undefined
  // Only its syntax is checked.
  if (/^(?:ba|da|k|z)?sh$/.test(program) && words.includes('-n')) return []
  return candidate === undefined || isWork.test(candidate) || isTests(candidate) ? [] : [{ path: candidate }]
}

/** Agents may extend tests: removed ones are counted elsewhere. */
const isTests = (path: string): boolean => testsIn(path) !== null && !/(^|\/)(?:tools?|scripts?|ci)\//.test(path)

const isScriptName = (word: string): boolean => !word.startsWith('-') && /[./]/.test(word)

function scriptOf(words: string[]): string | null {
  const [verb, name] = words.slice(1).filter((word) => !word.startsWith('-'))
  if (verb === undefined) return null
  if (verb === 'run' || verb === 'run-script') return name === undefined || /[./]/.test(name) ? null : name
  if (verb === 'test' || verb === 't' || verb === 'tst') return programOf(words) === 'bun' ? null : 'test'
  // These two run any script by its name.
  return /^(?:yarn|pnpm)$/.test(programOf(words)) && !/[./]/.test(verb) ? verb : null
}

function makeFiles(words: string[]): Omit<GateFile, 'gate'>[] {
  const given = (option: string) => (words.includes(option) ? words[words.indexOf(option) + 1] : undefined)
  const folder = given('-C')
  const file = given('-f')
  const names = file === undefined ? ['Makefile', 'makefile', 'GNUmakefile'] : [file]
  const targets = words
    .slice(1)
    .filter((word, at) => /^[\w.%/-]+$/.test(word) && !/^-/.test(word) && !/^-[Cfj]$/.test(words[at] ?? ''))
  return names.map((name) => ({ path: folder === undefined ? name : `${folder}/${name}`, entry: targets[0] ?? '' }))
}
