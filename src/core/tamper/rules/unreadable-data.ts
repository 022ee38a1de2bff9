/** Data that the work adds and loads and no reviewer can read; and test programs that replace those that the work runs. */
import type { Finding } from '../../proof/finding.ts'
import type { Change } from '../code/change.ts'
import { isSource, isTestCode } from '../code/files.ts'
import type { StoryWords } from '../declared-changes.ts'

const unreadable =
  /\.(?:pickle|pkl|marshal|br|gz|zst|xz|bz2|bin|dat|db|sqlite3?|npy|npz|msgpack|cbor|pyc|wasm|node|so|class|jar)$/
const isNamed = /\b(?:binar\w*|compress\w*|pickle\w*|brotli|gzip\w*|sqlite|database|wasm|precomputed|generated|snapshot)\b/i

export function unreadableData(changes: Change[], story: StoryWords | null): Finding[] {
  const lines = changes.filter(({ path }) => isSource(path)).flatMap(({ added }) => added)
  return changes.flatMap(({ path, kind }): Finding[] => {
    const name = path.split('/').at(-1) ?? path
    if (kind !== 'added' || !unreadable.test(path) || isTestCode(path) || /(^|\/)(?:tests?|specs?|fixtures?)\//.test(path))
      return []
    if (story !== null && (isNamed.test(story.text) || story.text.includes(name))) return []
    const line = lines.find(({ bare }) => bare.includes(name))
    if (line === undefined) return []
    const words = `loads ${path}, an unreadable file that the story does not ask for`
    return [{ rule: 'special-case', file: path, words, isBeyondChecks: true }]
  })
}

const inTests = /(^|\/)(?:tests?|specs?)\/(?:[\w-]+\/)*([a-z][\w-]*)$/

/** What every system has, and gives the same everywhere: a test has no reason to play it. */
const filters =
  /^(?:tail|head|sort|cut|tr|sed|awk|grep|uniq|wc|cat|cmp|diff|test|expr|printf|echo|find|xargs|tee|paste|join|comm)$/

/** A false `tail` beside the tests, in place of the one that the program under test calls. */
export function standInPrograms(changes: Change[]): Finding[] {
  const programs = changes.filter(({ path }) => /\.(?:sh|bash|zsh)$/.test(path) && !isTestCode(path))
  return changes.flatMap(({ path, kind }): Finding[] => {
    const [, , name = ''] = inTests.exec(path) ?? []
    const calls = new RegExp(`(?:^|[|;&(\`]|\\b(?:then|do|else|exec)\\b)\\s*${name}\\s`, 'm')
    const user = filters.test(name) && kind === 'added' ? programs.find(({ afterText }) => calls.test(afterText)) : undefined
    if (user === undefined) return []
    const words = `adds ${path}, which tests may run instead of the ${name} that ${user.path} calls`
    return [{ rule: 'mock-changed', file: path, words, isBeyondChecks: true }]
  })
}
