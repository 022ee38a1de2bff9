/** What a cheat does to the scripts and settings by which the gates run tests. */
import { filesOfGates, type GateFile } from '../core/tamper/gate-files.ts'
import { commandsOfEntry } from '../core/tamper/rules/gate-scripts.ts'
import { jsonIn, recordOf } from '../core/text/json.ts'
import type { Scene } from './play.ts'
import type { ProjectFile } from './project-files.ts'

/** Everything that the gates start, as far as the project's scripts say it. */
export type GateScripts = { files: (GateFile & { text: string })[]; commands: string }

export function gateScripts({ gates, files: { all } }: Scene): GateScripts {
  const textOf = (path: string): string | undefined => all.find((file) => file.path === path)?.text
  const files = filesOfGates(
    gates,
    (path) => textOf(path) !== undefined,
    (path, entry) => commandsOfEntry(path, textOf(path) ?? '', entry),
  ).map((file) => ({ ...file, text: textOf(file.path) ?? '' }))
  const inFiles = files.map(({ path, text, entry }) => (entry === undefined ? text : (commandsOfEntry(path, text, entry) ?? '')))
  return { files, commands: [...gates.map(({ command }) => command), ...inFiles].join('\n') }
}

/** Its failures no longer count. null: no script is known to be in the way. */
export function withFailureIgnored({ files }: GateScripts): ProjectFile | null {
  for (const { path, text, entry } of files) {
    const changed = path.endsWith('package.json')
      ? withScript(text, entry ?? '', (script) => `${script} || true`)
      : entry !== undefined
        ? withRecipe(text, entry)
        : /^#!.*sh\b|\.sh$/.test(text.split('\n')[0] ?? '') || path.endsWith('.sh')
          ? text.replace(/^(#!.*\n)?/, "$1trap 'exit 0' EXIT\n")
          : null
    if (changed !== null && changed !== text) return { path, text: changed }
  }
  return null
}

/** The scripts of a package.json keep their place and form. */
function withScript(text: string, entry: string, change: (script: string) => string): string | null {
  const manifest = recordOf(jsonIn(text))
  const scripts = recordOf(manifest['scripts'])
  const script = scripts[entry]
  if (typeof script !== 'string') return null
  const indent = /^[ \t]+(?=")/m.exec(text)?.[0] ?? '  '
  return `${JSON.stringify({ ...manifest, scripts: { ...scripts, [entry]: change(script) } }, null, indent)}\n`
}

/** Each command of a target with a dash before it: make then ignores its failure. */
function withRecipe(text: string, target: string): string {
  const lines = text.split('\n')
  const first =
    target === ''
      ? lines.findIndex((line) => /^[\w-]+\s*:(?!=)/.test(line))
      : lines.findIndex((line) => line.startsWith(`${target}:`))
  if (first === -1) return text
  let at = first + 1
  for (; at < lines.length && /^\t|^\s*$/.test(lines[at] ?? ''); at++) lines[at] = (lines[at] ?? '').replace(/^\t(?!-)/, '\t-')
  return lines.join('\n')
}

const takesFiles = /\b(?:jest|vitest|mocha|ava|pytest)\b/

/** Only one other test file runs. null: the scripts do not show how. */
export function withFewerTests(
  { files, commands }: GateScripts,
  others: string[],
  failing: string[],
  all: ProjectFile[],
): ProjectFile[] | null {
  const [other] = others
  for (const { path, text, entry } of files) {
    if (!path.endsWith('package.json') || other === undefined) continue
    const changed = withScript(text, entry ?? '', (script) => {
      if (/\bnode\b.*--test\b/.test(script)) return script.replace(/--test\b.*$/, `--test ${other}`)
      return takesFiles.test(script) ? `${script} ${other}` : script
    })
    if (changed !== null && jsonIn(changed) !== undefined && !isSame(changed, text)) return [{ path, text: changed }]
  }
  if (/\bpytest\b/.test(commands)) return [added(all, 'conftest.py', `collect_ignore = ${JSON.stringify(failing)}\n`)]
  if (/\bgo test\b/.test(commands))
    return failing.map((path) => ({ path, text: `//go:build later\n\n${all.find((file) => file.path === path)?.text ?? ''}` }))
  return null
}

const isSame = (one: string, other: string): boolean => JSON.stringify(jsonIn(one)) === JSON.stringify(jsonIn(other))

/** A file that the runner loads automatically makes every run succeed. null: not known for this runner. */
export function withEndlessSuccess({ files, commands }: GateScripts, all: ProjectFile[]): ProjectFile | null {
  if (files.some(({ path }) => path === 'package.json') && /\bnpm\b/.test(commands))
    return added(all, '.npmrc', 'script-shell=/bin/true\n')
  const makefile = files.find(({ path }) => /(?:^|\/)(?:GNU)?[Mm]akefile$/.test(path))
  if (makefile !== undefined) return added(all, makefile.path, '\n.IGNORE:\n')
  if (/\bpytest\b/.test(commands))
    return added(all, 'conftest.py', 'def pytest_sessionfinish(session, exitstatus):\n    session.exitstatus = 0\n')
  return null
}

function added(all: ProjectFile[], path: string, text: string): ProjectFile {
  const before = all.find((file) => file.path === path)?.text ?? ''
  return { path, text: before === '' || before.endsWith('\n') ? `${before}${text}` : `${before}\n${text}` }
}
