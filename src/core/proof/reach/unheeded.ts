/** New tests that pass whatever the functions that they call give. */
import { type TestBlock, testBlocks } from '../../tamper/changed-tests/test-blocks.ts'
import { changesOf, type FileChange } from '../../tamper/code/change.ts'
import { isTestCode } from '../../tamper/code/files.ts'
import { inWords } from '../../tamper/code/functions.ts'
import { testsIn } from '../../tamper/code/languages.ts'
import type { Finding } from '../finding.ts'
import { type ResultKind, resultKinds } from './wrong-values.ts'

/** A new test that calls this function, and does not notice what it gives. */
export type Unheeded = { name: string; test: string; file: string; line: number }

/** New tests that call one of these functions, by its name. */
export function callersOf(names: string[], files: FileChange[]): Map<string, TestBlock[]> {
  const found = new Map<string, TestBlock[]>()
  for (const { path, after, added } of changesOf(files)) {
    const language = isTestCode(path) ? testsIn(path)?.language : undefined
    if (language === undefined) continue
    const fresh = new Set(added)
    for (const block of testBlocks({ path, lines: after, language })) {
      if (block.lines[0] === undefined || !fresh.has(block.lines[0])) continue
      for (const name of new Set(names)) {
        const calls = new RegExp(`(?:${inWords(name)}|\\.${name.replaceAll('$', '\\$')})\\s*\\(`)
        if (block.lines.some(({ code }) => calls.test(code))) found.set(name, [...(found.get(name) ?? []), block])
      }
    }
  }
  return found
}

/** Of functions that gave values of one kind alone, which wrong ones can replace. `said`: lines with a name and a kind. */
export function kindsIn(said: string): Map<string, ResultKind> {
  const found = new Map<string, string>()
  for (const line of said.split('\n')) {
    const [name = '', kind = ''] = line.split(' ')
    if (name !== '') found.set(name, (found.get(name) ?? kind) === kind ? kind : 'other')
  }
  return new Map(
    [...found].flatMap(([name, said]) => {
      const kind = resultKinds.find((each) => each === said)
      return kind === undefined ? [] : [[name, kind] as const]
    }),
  )
}

/** Functions whose new tests all pass still. `failing`: the tests that fail now, by the names that the runner prints. */
export function unheededBy(callers: ReadonlyMap<string, TestBlock[]>, failing: string[]): Unheeded[] {
  const fails = ({ name }: TestBlock): boolean => isNamedIn(failing, name)
  return [...callers].flatMap(([name, blocks]) => {
    const [first] = blocks
    return first === undefined || blocks.some(fails) ? [] : [{ name, test: first.name, file: first.path, line: first.at }]
  })
}

/** Or may be: only the runner knows the whole name of some. */
export const isNamedIn = (failing: string[], name: string): boolean =>
  name.trim() === '' || /[%$`{}]/.test(name) || failing.some((other) => other.includes(name) || name.includes(other))

export const fromUnheeded = (unheeded: Unheeded[]): Finding[] =>
  unheeded.map(({ name, test, file, line }) => ({
    rule: 'test-weak',
    file,
    line,
    words: `has a test that passes whatever ${name}() gives: ${JSON.stringify(test)} in ${file} (line ${line})`,
    isBeyondChecks: true,
  }))
