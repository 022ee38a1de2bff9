/** Changes to the files that a gate runs: its script, its entry of package.json, its target of a Makefile. */
import type { Finding } from '../../proof/finding.ts'
import { jsonIn, recordOf, textOf } from '../../text/json.ts'
import type { Change } from '../code/change.ts'
import type { GateFile } from '../gate-files.ts'
import { isOfCheck, swallowedIn, type Weaker, weakerCommands } from './gate-commands.ts'

/** A gate file that is new ran nothing before, but may ignore failures. */
export function changedGate(change: Change, file: GateFile): Finding[] {
  const { gate, path } = file
  if (change.path !== path) return []
  if (change.kind === 'deleted') return [{ rule: 'gate-changed', file: path, words: `deleted ${path}, which gate ${gate} runs` }]
  const [weaker, what] = weakerOf(change, file)
  if (weaker === null) return []
  const { how, isCertain } = weaker
  const line = lineOf(change, how)
  return [
    {
      rule: isCertain ? 'failure-ignored' : 'gate-changed',
      file: path,
      ...(line === undefined ? {} : { line }),
      words: `changed ${what}, which gate ${gate} runs: ${how}`,
      ...(isCertain ? { isCertain: true } : {}),
    },
  ]
}

const lineOf = ({ added }: Change, how: string): number | undefined =>
  (added.find(({ text }) => how.includes(text.trim().slice(0, 40))) ?? added[0])?.at

function weakerOf(change: Change, { path, entry }: GateFile): [Weaker | null, string] {
  if (entry === undefined) return [weakerScript(change), path]
  if (path.endsWith('package.json')) {
    const [old, now] = [scriptsOf(change.beforeText, entry), scriptsOf(change.afterText, entry)]
    const what = `the script ${entry} in ${path}`
    if (old === '' && change.kind !== 'added' && now === '') return [null, what]
    // npm says itself that it is missing, unless it was told not to.
    if (old !== '' && !hasScript(change.afterText, entry)) return [{ how: 'it was removed', isCertain: false }, what]
    return [weakerCommands(old, now, (runner) => runner === 'node' || change.afterText.includes(`"${runner}"`)), what]
  }
  const [old, now] = [recipeOf(change.beforeText, entry), recipeOf(change.afterText, entry)]
  const what = entry === '' ? path : `the target ${entry} in ${path}`
  const dashed = now.split('\n').find((line) => /^[@+]*-/.test(line) && !old.includes(line))
  if (dashed !== undefined && isOfCheck(dashed.replace(/^[@+-]+/, '')))
    return [{ how: `its failure is ignored: ${dashed.slice(0, 80)}`, isCertain: true }, what]
  const bare = (recipe: string) => recipe.replace(/^[@+-]+/gm, '')
  const weaker = weakerCommands(bare(old), bare(now), () => true)
  if (weaker === null || weaker.isCertain) return [weaker, what]
  const whole = (text: string) => bare(wholeRecipe(text, entry, 3))
  return [weakerCommands(whole(change.beforeText), whole(change.afterText), () => true), what]
}

const hasScript = (text: string, entry: string): boolean => recordOf(recordOf(jsonIn(text))['scripts'])[entry] !== undefined

/** With the recipes of the targets that it needs or calls, and the values of variables. */
function wholeRecipe(text: string, target: string, depth: number): string {
  const own = recipeOf(text, target).replace(/\$[({](\w+)[)}]/g, (used, name: string) =>
    name === 'MAKE' ? 'make' : (new RegExp(`^${name}\\s*[:?]?=\\s*(.*?)\\s*$`, 'm').exec(text)?.[1] ?? used),
  )
  if (depth === 0) return own
  return own.replace(/^[@+-]*make (?:-s )?([\w.-]+)$/gm, (call, other: string) => wholeRecipe(text, other, depth - 1) || call)
}

/** The script, with what runs before and after it. */
function scriptsOf(text: string, entry: string): string {
  const scripts = recordOf(recordOf(jsonIn(text))['scripts'])
  const scriptOf = (name: string, depth: number): string[] => {
    const own = textOf(scripts[name])
    if (own === '') return []
    const called = depth === 0 ? [] : [...own.matchAll(/\b(?:npm|pnpm|yarn|bun)\s+run\s+([\w:.-]+)/g)]
    return called.reduce(
      ([whole = ''], [call, other = '']) => [whole.replace(call, scriptOf(other, depth - 1).join(' && ') || call)],
      [own],
    )
  }
  return [`pre${entry}`, entry, `post${entry}`].flatMap((name) => scriptOf(name, 3)).join('\n')
}

/** What an entry of this file runs; undefined: it has none. */
export function commandsOfEntry(path: string, text: string, entry: string): string | undefined {
  const commands = path.endsWith('package.json')
    ? textOf(recordOf(recordOf(jsonIn(text))['scripts'])[entry])
    : recipeOf(text, entry)
  return commands === '' ? undefined : commands.replace(/^[@+-]+/gm, '')
}

/** Packages of the project whose tests are run by the gate of the whole. */
export function lostScript({ path, kind, beforeText, afterText }: Change, gateFiles: GateFile[]): Finding[] {
  if (!path.endsWith('package.json') || kind !== 'modified' || gateFiles.some((file) => file.path === path)) return []
  const [old, now] = [scriptsOf(beforeText, 'test'), scriptsOf(afterText, 'test')]
  if (old === '' || /no test specified/.test(old)) return []
  const weaker = weakerCommands(old, now, () => true)
  return weaker === null ? [] : [{ rule: 'gate-changed', file: path, words: `changed the script test in ${path}: ${weaker.how}` }]
}

/** make prefers GNUmakefile to makefile, and that to Makefile. */
export function shadowedMakefile({ path, kind }: Change, gateFiles: GateFile[]): Finding[] {
  const folder = path.replace(/[^/]*$/, '')
  const other = gateFiles.find(
    (file) => file.path !== path && file.entry !== undefined && /^(?:[Mm]akefile)$/.test(file.path.slice(folder.length)),
  )
  if (kind !== 'added' || !/(^|\/)(?:GNUmakefile|makefile)$/.test(path) || other === undefined) return []
  return [
    { rule: 'runner-shadowed', file: path, words: `added ${path}, which make takes instead of ${other.path}`, isCertain: true },
  ]
}

/** Of one target, without its indentation; of all, where none is named. */
function recipeOf(text: string, target: string): string {
  const lines = text.replaceAll('\\\n', ' ').split('\n')
  const start =
    target === ''
      ? lines.findIndex((line) => /^[\w.-]+\s*:(?!=)/.test(line))
      : lines.findLastIndex((line) => line.startsWith(`${target}:`))
  if (start === -1) return unknownRecipes(lines)
  const needs = (lines[start]?.split(':')[1] ?? '').replace(/#.*/, '').trim()
  const end = lines.findIndex((line, index) => index > start && /^\S/.test(line) && !line.startsWith('#'))
  const own = lines.slice(start + 1, end === -1 ? lines.length : end).map((line) => line.trim())
  const more = /[$%]/.test(needs) ? [unknownRecipes(lines)] : []
  return [...needs.split(/\s+/).map((need) => (need === '' ? '' : `make ${need}`)), ...own, ...more]
    .filter((line) => line !== '')
    .join('\n')
}

/** Of targets that a variable or a pattern names: any of them may be asked for. */
function unknownRecipes(lines: string[]): string {
  let isOf = false
  return lines
    .filter((line) => {
      if (/^\S/.test(line) && !line.startsWith('#')) isOf = /^[^:=#]*[$%][^:=]*:(?!=)/.test(line)
      return isOf && /^\s+\S/.test(line)
    })
    .map((line) => line.trim())
    .join('\n')
}

const isShell = /\.(?:sh|bash|zsh|ksh)$/

function weakerScript({ path, kind, beforeText, afterText, after, added, removed }: Change): Weaker | null {
  const first = afterText.slice(0, 200)
  if (!isShell.test(path) && !/^#!.*\b(?:ba|da|z|k)?sh\b/.test(first)) {
    const isOnlyMore = removed.every(({ code }) => code.trim() === '')
    return kind === 'added' || isOnlyMore ? null : { how: 'its code changed', isCertain: false }
  }
  if (added.some(({ code }) => /^\s*trap\s.*\bexit(?:\s+0)?\s*['"]?\s(?:.*\s)?(?:EXIT|0|ERR)\b/.test(code)))
    return { how: 'its failures are ignored: a trap makes it exit 0', isCertain: true }
  const wasCounted = removed.some(({ code }) => /^\s*exit\s+"?\$/.test(code))
  if (wasCounted && added.some(({ code }) => /^\s*exit(?:\s+0)?\s*$/.test(code)) && !/\bexit\s+"?\$/.test(afterText))
    return { how: 'its failures are ignored: exit 0', isCertain: true }
  const stops = /^\s*set\s+-\w*e|^#!.*\s-\w*e|^\s*set\s+-o\s+errexit/m.test(afterText)
  if (added.some(({ code }) => /^\s*set\s+\+e\b/.test(code)) && !/\$\?/.test(afterText))
    return { how: 'its failures are ignored: set +e', isCertain: true }
  const code = after.filter((line) => line.code.trim() !== '')
  const exit = added.find(
    (line) => /^(?:\S.*;\s*)?exit(?:\s+0)?\s*$/.test(line.code) && !/^(?:if|case|for|while|\[)/.test(line.code),
  )
  const isLast = exit !== undefined && code.at(-1) === exit
  if (exit !== undefined && !isLast) return { how: `it exits before its last command: ${exit.code}`, isCertain: true }
  if (
    isLast &&
    !stops &&
    weakerCommands(afterText.replace(/\bexit\s+0\s*$/, ''), '', () => true) !== null &&
    !/\|\|\s*exit\b|\bexit\s+[1-9$]/.test(afterText)
  )
    return { how: 'its failures are ignored: exit 0 at the end', isCertain: true }
  if (kind === 'added') {
    const swallowed = swallowedIn(afterText)
    return swallowed === null ? null : { how: `its failure is ignored: ${swallowed}`, isCertain: true }
  }
  const weaker = weakerCommands(beforeText, afterText, () => true)
  if (weaker !== null) return weaker
  if (!stops && /^\s*set\s+-\w*e|^\s*set\s+-o\s+errexit/m.test(beforeText))
    return { how: 'it no longer stops on failure', isCertain: false }
  const isIdle = (line: string): boolean => /^\s*(?:echo|printf|true|:)\b/.test(line)
  const last = code.at(-1)
  if (!stops && last !== undefined && added.includes(last) && isIdle(last.code))
    return { how: `it ends with a command that always succeeds: ${last.code.trim().slice(0, 40)}`, isCertain: false }
  const compared = removed.find(({ code: line }) => /\[ |\btest\s|\bcmp\b|\bdiff\b|\bexit\b|\breturn\b/.test(line))
  return compared === undefined ? null : { how: `it no longer contains ${compared.text.trim().slice(0, 60)}`, isCertain: false }
}
