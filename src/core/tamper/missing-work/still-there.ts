/** What a criterion says is no longer there, and a changed file still offers. */
import type { Finding } from '../../proof/finding.ts'
import type { Change } from '../code/change.ts'
import { isSource } from '../code/files.ts'
import type { StoryWords } from '../declared-changes.ts'

const gone =
  /\bno longer\s+(?:(?:exports?|has|have|offers?|contains?|defines?)\s+)?(?:a |an |the )?`?([A-Za-z_$][\w$]*)`?(?=\(\)|`|\s*(?:$|[.,;:]|and\b|or\b))/g
/** Of words that are no names of code. */
const isName = (word: string, text: string): boolean =>
  /[a-z][A-Z]|_|\d/.test(word) || new RegExp(`\\b(?:exports?|defines?)\\b.*\\b${word}\\b|\`${word}\``).test(text)

export function stillThere(changes: Change[], story: StoryWords | null): Finding[] {
  if (story === null) return []
  return story.text.split('\n').flatMap((text): Finding[] =>
    [...text.matchAll(gone)].flatMap(([, name = '']): Finding[] => {
      if (!isName(name, text)) return []
      const named = changes.filter(({ path, kind }) => kind !== 'deleted' && isSource(path) && text.includes(path))
      const file = (named.length > 0 ? named : changes.filter(({ path }) => isSource(path))).find((change) =>
        offers(change, name),
      )
      if (file === undefined) return []
      const line = file.after.find(({ code }) => definitionOf(name).test(code))?.at
      const words = `still has ${name} in ${file.path}, which the criterion ${JSON.stringify(text.slice(0, 100))} says is no longer there`
      return [{ rule: 'left-undone', file: file.path, ...(line === undefined ? {} : { line }), words, isBeyondChecks: true }]
    }),
  )
}

/** It was there before, and still is: for others, not only inside. */
const offers = ({ path, before, after }: Change, name: string): boolean => {
  const pattern = /\.[cm]?[jt]sx?$/.test(path) ? exportOf(name) : definitionOf(name)
  return [before, after].every((lines) => lines.some(({ code }) => pattern.test(code)))
}

const exportOf = (name: string): RegExp =>
  new RegExp(
    `^\\s*export\\s+(?:default\\s+)?(?:async\\s+)?(?:function\\*?|const|let|var|class)\\s+${name}\\b|^\\s*export\\s*\\{[^}]*\\b${name}\\b(?!\\s+as\\b)|\\bexports\\.${name}\\s*=|\\bmodule\\.exports\\s*=\\s*\\{[^}]*\\b${name}\\b`,
  )
const definitionOf = (name: string): RegExp =>
  new RegExp(`\\b(?:function\\*?|def|func|fn|class|const|let|var)\\s+${name}\\b|\\bexports\\.${name}\\s*=`)
