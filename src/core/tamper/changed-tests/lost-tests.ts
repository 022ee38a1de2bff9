/** Removed tests and test files. */

import { asksForBehaviour } from '../../proof/asked-for.ts'
import type { Finding } from '../../proof/finding.ts'
import { type Change, keyOf } from '../code/change.ts'
import { isTestFile, testsIn } from '../code/languages.ts'
import { asksForRemoval, asksToRemove, type StoryWords } from '../declared-changes.ts'
import { deletedSources, type MatchedTests, wentWithItsCode } from './matched-tests.ts'

const most = 3

export function lostTests(changes: Change[], { lost }: MatchedTests): Finding[] {
  const byPath = Map.groupBy(lost, ({ path }) => path)
  const around = { deleted: deletedSources(changes), addedIn: addedLines(changes) }
  return changes.flatMap((change) => {
    const { path, kind, before } = change
    const tests = testsIn(path)
    if (tests === null) return []
    const own = byPath.get(path) ?? []
    const had = before.filter(({ code }) => tests.language.declares.test(code)).length
    if (kind === 'deleted' && (own.length > 0 ? own.length === had : had === 0 && tests.isNamed)) return lostFile(change, around)
    if (own.length === 0) return []
    const names = own.map(({ name }) => name).filter((name) => name !== '')
    const shown = [...names.slice(0, most).map((name) => JSON.stringify(name)), ...(names.length > most ? ['…'] : [])]
    const words = `${own.length} ${own.length === 1 ? 'test' : 'tests'} fewer in ${path}${shown.length === 0 ? '' : ` (gone: ${shown.join(', ')})`}`
    return [{ rule: 'test-deleted', file: path, words }]
  })
}

/**
 * Tests that went with their code. Where the story asks for that, fewer tests run, and its reviewer is told why; where it asks for something new and does
 * not say that anything goes, somebody may miss what they were about.
 */
export function endedTests({ ended }: MatchedTests, story: StoryWords | null): Finding[] {
  const isNew = story !== null && asksForBehaviour(story) && !asksForRemoval(story)
  const isAsked = ({ block, names }: MatchedTests['ended'][number]): boolean => asksToRemove(story, names, block.path)
  return [...Map.groupBy(ended, ({ block }) => block.path)].flatMap(([path, blocks]): Finding[] => {
    const others = blocks.filter((each) => !isAsked(each))
    const found = isNew && others.length > 0 ? others : blocks.filter(isAsked)
    if (found.length === 0) return []
    const words = `${found.length} ${found.length === 1 ? 'test' : 'tests'} fewer in ${path}, with the code that`
    if (found !== others) return [{ rule: 'test-deleted', file: path, words: `${words} the story removes`, isDeclared: true }]
    const names = [...new Set(found.flatMap((each) => each.names))].slice(0, most).join(', ')
    return [{ rule: 'test-deleted', file: path, words: `${words} no criterion removes: ${names}`, isBeyondChecks: true }]
  })
}

/** Python keeps the last of two functions with the same name. */
export function shadowedTests({ path, before, after }: Change): Finding[] {
  if (!/\.py$/.test(path) || testsIn(path) === null) return []
  const declared = /^\s*(?:async\s+)?def\s+test\w*/
  const heads = (lines: Change['before']) =>
    lines.flatMap(({ at, code }) => (declared.test(code) ? [{ at, head: declared.exec(code)?.[0] ?? '' }] : []))
  const counts = (lines: Change['before']) => Map.groupBy(heads(lines), ({ head }) => head)
  const [old, now] = [counts(before), counts(after)]
  return [...now].flatMap(([head, places]): Finding[] => {
    if (places.length < 2 || places.length <= (old.get(head)?.length ?? 0) || isInClasses(after, head)) return []
    const name = head.trim().replace(/^.*def\s+/, '')
    return [
      {
        rule: 'test-deleted',
        file: path,
        line: places.at(-1)?.at ?? 0,
        words: `defines ${name} twice in ${path}: only the last one runs`,
      },
    ]
  })
}

/** The same name in two classes is two tests. */
const isInClasses = (lines: Change['before'], head: string): boolean =>
  /^\s/.test(head) && lines.filter(({ code }) => /^class\s/.test(code)).length > 1

type Around = { deleted: Set<string>; addedIn: Map<string, Set<string>> }

function lostFile(change: Change, { deleted, addedIn }: Around): Finding[] {
  const { path, before } = change
  if (wentWithItsCode(change, deleted)) return []
  const heir = heirOf(before.map(keyOf), addedIn)
  if (heir === undefined) return [{ rule: 'test-deleted', file: path, words: `deleted the test file ${path}` }]
  if (isTestFile(heir) || (testsIn(heir) !== null && !isTestFile(path))) return []
  const words = `renamed the test file ${path} to ${heir}, which is not a test file name`
  return [{ rule: 'test-deleted', file: heir, words }]
}

/** The files that each line came to. */
function addedLines(changes: Change[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const { path, added } of changes)
    for (const line of added) found.set(keyOf(line), (found.get(keyOf(line)) ?? new Set()).add(path))
  return found
}

/** The file that most of these lines came to. */
function heirOf(keys: string[], addedIn: Map<string, Set<string>>): string | undefined {
  const lines = keys.filter((key) => key.length > 3)
  const counts = new Map<string, number>()
  for (const key of lines) for (const path of addedIn.get(key) ?? []) counts.set(path, (counts.get(path) ?? 0) + 1)
  const [best] = [...counts].sort(([, one], [, other]) => other - one)
  return best !== undefined && best[1] > lines.length / 2 ? best[0] : undefined
}
