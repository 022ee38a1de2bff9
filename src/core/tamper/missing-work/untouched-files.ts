/** A file that a criterion names, and that does what it did: nothing that it runs changed, or it imports the work and uses nothing of it. */
import type { Finding } from '../../proof/finding.ts'
import { type Change, freshIn } from '../code/change.ts'
import { isSource, isTestCode } from '../code/files.ts'
import type { StoryWords } from '../declared-changes.ts'

type Files = () => { path: string; text: string }[]

const script = /\.[cm]?[jt]sx?$/
const named = /(?<![\w./-])((?:[\w-]+\/)*[\w-]+\.[cm]?[jt]sx?)(?![\w(/-])/g
/** It is not said to do anything new. */
const aside =
  /\b(?:unchanged|stays?|keeps?|remains?|same|untouched|as (?:before|today|it is|they are|now|in)|like|unlike|instead|from|without|not|no|remov\w*|delet\w*|renam\w*|mov\w+|split)\b/i
/** What such a file runs cannot be read from its text. */
const loads = /\breaddir|\bglob|\bimport\(|\brequire\(\s*[^'"`]|\bspawn|\bexec|\bfork\(/

export const namesSource = (story: StoryWords | null, path: string): boolean =>
  story !== null && filesIn(story.text).some((name) => path === name || path.endsWith(`/${name}`))

const filesIn = (text: string): string[] => [...text.matchAll(named)].map(([, name = '']) => name)

/** `files`: those that did not change, with those that the story names. */
export function untouchedFiles(changes: Change[], story: StoryWords | null, files: Files): Finding[] {
  const works = changes.filter(({ path }) => isSource(path))
  const others = changes.filter(({ path }) => !isSource(path) && !isTestCode(path) && !/\.(?:md|txt|rst)$/.test(path))
  const [first] = works
  // A new file can only be run by what imports it; an older one may be imported from anywhere.
  if (story === null || first === undefined || others.length > 0 || works.some(({ kind }) => kind !== 'added')) return []
  const names = story.text
    .split('\n')
    .filter((line) => !aside.test(line))
    .flatMap(filesIn)
    .filter((name) => !changes.some(({ path }) => path === name || path.endsWith(`/${name}`)))
  const found = names.length === 0 ? [] : files().filter(({ path }) => isSource(path))
  const name = names.find((each) =>
    found.some(({ path, text }) => (path === each || path.endsWith(`/${each}`)) && !loads.test(text)),
  )
  if (name === undefined) return []
  const words = `leaves ${name}, which a criterion names, and all that it runs as it was: nothing imports ${first.path}`
  return [{ rule: 'left-undone', file: first.path, words, isBeyondChecks: true }]
}

const bare = /^import\s+['"](\.[^'"]+)['"]/
/** Nothing happens when such a line is run. */
const onlyDefines =
  /^(?:import\b.*|export\s+(?:default\s+)?(?:async\s+)?(?:function|class|type|interface|\{).*|(?:export\s+)?const\s+\w+\s*(?::[^=]+)?=\s*(?:async\s*)?(?:\([^()]*\)|\w+)\s*(?::[^=]+)?=>.*|(?:async\s+)?(?:function|class|type|interface)\b.*|[)\]}].*|\s.*|)$/

export function unusedImports(change: Change, all: Change[]): Finding[] {
  const { path } = change
  if (!script.test(path) || !isSource(path)) return []
  return freshIn(change, isSource).flatMap((line): Finding[] => {
    const from = bare.exec(line.bare)?.[1]
    if (from === undefined) return []
    const stem = from.replace(/^(?:\.\.?\/)+/, '').replace(script, '')
    const work = all.find((each) => each.kind === 'added' && each.path.replace(script, '').endsWith(stem))
    const defines = work?.after.every(({ code }) => onlyDefines.test(code)) === true
    const words = `imports ${from} and uses nothing of it in ${path} (line ${line.at})`
    return defines ? [{ rule: 'left-undone', file: path, line: line.at, words, isBeyondChecks: true }] : []
  })
}
