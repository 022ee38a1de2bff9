/** A story marked as done without work: nothing changed, or only what never runs. */
import { asksForBehaviour, asksForWork } from '../../proof/asked-for.ts'
import type { Finding } from '../../proof/finding.ts'
import type { Change } from '../code/change.ts'
import { isCode, isTestCode, mayMatter } from '../code/files.ts'
import { testsIn } from '../code/languages.ts'
import type { StoryWords } from '../declared-changes.ts'

/** `files`: all that changed since the story began. */
export function nothingDone(changes: Change[], files: string[], story: StoryWords | null): Finding[] {
  if (story === null || !asksForWork(story)) return []
  if (files.length === 0) return [finding('changed nothing on its branch since the story began')]
  const isQuiet = !asksForBehaviour(story)
  const kinds = files.map((path) => (isQuiet && isFormatted(path, changes) ? 'work' : kindOf(path, changes)))
  if (kinds.includes('work')) return []
  const what = [...new Set(kinds)].sort().join(' and ')
  const [first = ''] = files
  const shown = `${files.slice(0, most).join(', ')}${files.length > most ? ', …' : ''}`
  return [{ ...finding(`changed only ${what} since the story began: ${shown}`), file: first }]
}

/** Other lines, and the same to say: all that a change of form is. */
const isFormatted = (path: string, changes: Change[]): boolean =>
  changes.some(
    ({ path: other, kind, added, removed, before, after }) =>
      other === path &&
      kind === 'modified' &&
      isCode(path) &&
      added.length + removed.length === 0 &&
      codeOf(before) !== codeOf(after),
  )

const codeOf = (lines: Change['before']): string => lines.map(({ code }) => code).join('\n')

const most = 5

const finding = (words: string): Finding => ({ rule: 'nothing-done', words, isBeyondChecks: true })

/** A text that stands alone documents what it stands in. */
const isText = /^\s*[rRuU]?(?:"{2,6}|'{2,6})\s*$/

function kindOf(path: string, changes: Change[]): 'work' | 'documentation' | 'tests' | 'comments' {
  if (/\.(?:md|rst|adoc)$|(^|\/)(?:LICENSE|CHANGELOG|NOTICE|AUTHORS)$/.test(path)) return 'documentation'
  const change = changes.find((each) => each.path === path)
  if (change === undefined || !mayMatter(path)) return 'work'
  if (isTestCode(path) || testsIn(path)?.isNamed === true) return 'tests'
  const runs = [...change.added, ...change.removed].some(
    ({ code }) => code.trim() !== '' && !(path.endsWith('.py') && isText.test(code)),
  )
  return isCode(path) && !runs && change.kind === 'modified' ? 'comments' : 'work'
}
