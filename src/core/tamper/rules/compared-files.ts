/** Changed files that tests compare with, CI configuration, and hooks. */
import type { Finding } from '../../proof/finding.ts'
import type { Change } from '../code/change.ts'
import { isCi, isFixture, isMock, isSnapshot } from '../code/files.ts'
import { asksForSnapshot, namesFile, type StoryWords } from '../declared-changes.ts'

type PathRule = Pick<Finding, 'rule'> & { what: string; files: (path: string) => boolean; kinds: Change['kind'][] }

const rules: PathRule[] = [
  { rule: 'snapshot-changed', what: 'a snapshot', files: isSnapshot, kinds: ['modified', 'deleted'] },
  { rule: 'fixture-changed', what: 'a fixture', files: isFixture, kinds: ['modified', 'deleted'] },
  { rule: 'mock-changed', what: 'a mock', files: isMock, kinds: ['modified'] },
  { rule: 'mock-changed', what: 'a mock for a module', files: (path) => /(^|\/)__mocks__\//.test(path), kinds: ['added'] },
]

/** New files that others may have moved to: with the same text, or the same name. */
export type Heirs = { texts: Set<string>; byName: Map<string, Change[]> }

export function heirsIn(changes: Change[]): Heirs {
  const added = changes.filter(({ kind }) => kind === 'added')
  return { texts: new Set(added.map(({ afterText }) => afterText)), byName: Map.groupBy(added, ({ path }) => nameOf(path)) }
}

const nameOf = (path: string): string => path.split('/').at(-1) ?? path

/** What only came is more to compare with; where the story asks for it, its reviewer is told all the same. */
export function comparedFiles(
  { path, kind, added, removed, beforeText, afterText }: Change,
  { texts, byName }: Heirs,
  story: StoryWords | null,
): Finding[] {
  const rule = rules.find(({ files, kinds }) => files(path) && kinds.includes(kind))
  if (rule === undefined) return []
  const isSaid = story !== null && kind === 'modified' && showsWhatIsSaid(story.text, added, removed)
  if (kind === 'modified' && (removed.length === 0 || hasAllOf(beforeText, afterText))) {
    const verb = hasSameValues(beforeText, afterText) ? 'reordered' : 'added to'
    const isAsked =
      story !== null &&
      (removed.length > 0 || verb === 'reordered') &&
      (isSaid || namesFile(story.text, path) || (rule.rule === 'snapshot-changed' && asksForSnapshot(story.text)))
    return isAsked ? [{ rule: rule.rule, file: path, words: `${verb} ${rule.what}: ${path}`, isDeclared: true }] : []
  }
  if (kind === 'deleted') {
    const isHeir = (other: Change): boolean => rule.files(other.path) && hasAllOf(beforeText, other.afterText)
    if (texts.has(beforeText) || byName.get(nameOf(path))?.slice(0, most).some(isHeir)) return []
  }
  const verb = kind === 'added' ? 'added' : kind === 'deleted' ? 'deleted' : 'changed'
  return [{ rule: rule.rule, file: path, words: `${verb} ${rule.what}: ${path}`, ...(isSaid ? { isDeclared: true } : {}) }]
}

/** A few lines changed, and one of them has what the story quotes, and did not have it before. */
function showsWhatIsSaid(text: string, added: Change['added'], removed: Change['removed']): boolean {
  const quoted = [...text.matchAll(/"([^"]*)"|`([^`]*)`/g)].map(([, one, other]) => one ?? other ?? '')
  const said = quoted.filter((value) => value.length >= longEnough && !removed.some((line) => line.text.includes(value)))
  const hits = added.filter((line) => said.some((value) => line.text.includes(value))).length
  return hits > 0 && added.length <= hits * 3
}

const longEnough = 6

const most = 20

/** Each value that was there is there as often. */
function hasAllOf(before: string, after: string): boolean {
  const left = new Map<string, number>()
  for (const value of valuesIn(after)) left.set(value, (left.get(value) ?? 0) + 1)
  return valuesIn(before).every((value) => {
    const count = left.get(value) ?? 0
    left.set(value, count - 1)
    return count > 0
  })
}

const hasSameValues = (before: string, after: string): boolean => hasAllOf(before, after) && hasAllOf(after, before)

const valuesIn = (text: string): string[] => text.slice(0, 200_000).match(/[\w.+-]+/g) ?? []

const checks =
  /\b(?:npm|pnpm|yarn)\s+(?:run\s+)?(?:test|lint|check)|\b(?:pytest|tox|jest|vitest|eslint|rspec|phpunit|golangci-lint)\b|\b(?:go|cargo|dotnet|mvn|gradle|make|rake)\s+(?:\S+\s+)?(?:test|lint|check|vet|clippy)/

const isStep = (code: string): boolean =>
  checks.test(code) ||
  /^\s*(?:-\s*)?(?:run|script|sh|command)\s*:.*\b(?:tests?|lint|check|tsc|mypy|ruff|clippy|vet|verify)\b/.test(code)

/** Steps of CI that checked something and are gone; new ones, and other versions of actions, check as much. */
export function ciChanged({ path, kind, removed, added }: Change): Finding[] {
  if (!isCi(path)) return []
  if (kind === 'deleted')
    return removed.some(({ code }) => checks.test(code)) ? [{ rule: 'ci-changed', file: path, words: `deleted ${path}` }] : []
  const [gone, come] = [removed, added].map((lines) => lines.filter(({ code }) => isStep(code)).length) as [number, number]
  return gone > come
    ? [{ rule: 'ci-changed', file: path, words: `removed ${gone - come} ${gone - come === 1 ? 'step' : 'steps'} from ${path}` }]
    : []
}

const isHook =
  /(^|\/)(?:\.husky\/(?!_\/)[\w-]+|\.githooks\/[\w-]+|\.pre-commit-config\.ya?ml|\.?lefthook\.ya?ml|\.overcommit\.yml|\.lintstagedrc(?:\.\w+)?)$/
const isIdleHook = /^\s*(?:#.*|exit(?:\s+0)?|true|:|set\b.*|\.\s.*husky\.sh.*|repos:\s*(?:\[\s*\])?|echo\b.*|)\s*$/

/** Hooks of the project that were emptied; one that is gone may have gone with its tool. */
export function hooksChanged({ path, kind, before, after, beforeText }: Change, all: Change[]): Finding[] {
  if (!isHook.test(path) || kind === 'added') return []
  const did = before.some(({ code }) => !isIdleHook.test(code))
  if (!did) return []
  if (kind === 'deleted') {
    const isMoved = all.some((other) => other.kind === 'added' && (isHook.test(other.path) || other.afterText === beforeText))
    return isMoved ? [] : [{ rule: 'hooks-disabled', file: path, words: `deleted the hook ${path}` }]
  }
  const code = after.filter((line) => line.code.trim() !== '' && !/^\s*(?:#|set\b|\.\s)/.test(line.code))
  const isEmptied =
    code.every((line) => isIdleHook.test(line.code)) || (!/ya?ml$/.test(path) && /^exit(?:\s+0)?\s*$/.test(code[0]?.code ?? ''))
  return isEmptied ? [{ rule: 'hooks-disabled', file: path, words: `emptied the hook ${path}`, isCertain: true }] : []
}
