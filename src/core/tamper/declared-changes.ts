/** What a story says that it changes: suspicions about these are only for its reviewer. */
import type { Finding, FindingRule } from '../proof/finding.ts'
import { isSource } from './code/files.ts'

/** `text`: title, description and criteria. */
export type StoryWords = { title?: string; text: string; kind?: string; changesTests: boolean }

/** Suspicions about tests and what they compare with. */
const aboutTests: FindingRule[] = [
  ...(['test-deleted', 'test-skipped', 'test-emptied', 'test-conditional', 'test-expected-to-fail'] as const),
  ...(['assertion-removed', 'assertion-weakened', 'assertion-changed', 'assertion-guarded', 'expected-changed'] as const),
  ...([
    'tolerance-changed',
    'loop-shortened',
    'table-row-removed',
    'fixture-changed',
    'snapshot-changed',
    'mock-changed',
    'subject-replaced',
  ] as const),
]

/** Declared: all changes of tests, or a file that the story names; or the value that it asks for. */
export function declaredBy(story: StoryWords | null, finding: Finding): Finding {
  if (story === null || finding.isBeyondChecks === true) return finding
  const { file, rule, words } = finding
  const isTests = aboutTests.includes(rule)
  const values =
    rule === 'expected-changed' ? [...words.matchAll(changedValue)].map(([, from = '', to = '']): Changed => ({ from, to })) : []
  const isDeclared =
    (isTests && story.changesTests) ||
    (file !== undefined && !(isTests && isSource(file)) && namesFile(story.text, file)) ||
    (values.length > 0 && !isCut.test(words) && isAsked(story.text, values))
  return isDeclared ? { ...finding, isDeclared: true } : finding
}

/** It says what the snapshots are to have, and not that they stay. */
export const asksForSnapshot = (text: string): boolean =>
  text.split(/[.;\n]/).some((part) => /\bsnapshots?\b/i.test(part) && !stays.test(part))
const stays = /\b(?:unchanged|stays?|keeps?|remains?|same|untouched|without|no|not|never|as (?:before|today|it is|they are))\b/i

const removal = /\b(?:remov\w*|delet\w*|drop\w*|no (?:more|longer)|gone|get rid|retire\w*|replac\w*|renam\w*)\b/i

/** It says that something goes, moves or gets another name. */
export const asksForRemoval = ({ text }: StoryWords): boolean =>
  /\b(?:remov\w*|delet\w*|drop\w*|get rid|retire\w*|replac\w*|renam\w*|mov\w+|merg\w+|inlin\w+|becomes?|takes? the place|simpl\w+|unus\w+)\b/i.test(
    text,
  )

/** The story asks to remove this: a name in the code, or a file. */
export const asksToRemove = (story: StoryWords | null, names: string[], path: string): boolean =>
  story !== null && removal.test(story.text) && (names.some((name) => hasName(story.text, name)) || namesFile(story.text, path))

/** In a path or before brackets too. */
const hasName = (text: string, name: string): boolean =>
  name.length > 2 && new RegExp(`(?<![A-Za-z\\d])${name.replace(/[^\w]/g, '\\$&')}(?![A-Za-z\\d])`, 'i').test(text)

const changedValue = /changed an expected value from (.*?) to (.+?) \(line \d+\)/g
const isCut = / and \d+ more in /
type Changed = { from: string; to: string }

/** One is named, and the others are, or are numbers beside a named one: what is just below a limit. None takes the place of what the story keeps. */
const isAsked = (text: string, values: Changed[]): boolean =>
  values.some((value) => isNamed(text, value)) &&
  !values.some((value) => isOfAnother(text, value)) &&
  values.every((value) => isNamed(text, value) || [1, -1].some((step) => namesValue(text, String(Number(value.to) + step))))

const wantedInstead = /(\S+)\s+(?:instead of|rather than|and no longer|not)\s+(\S+)/gi
const ofValue = (word: string): string => word.replace(/^[("'`]+|[)"'`.,;:]+$/g, '')

/** "2 instead of 1.9": what is to take the place of what. */
export const saidInstead = (text: string): Changed[] =>
  [...text.matchAll(wantedInstead)].map(([, to = '', from = '']) => ({ from: ofValue(from), to: ofValue(to) }))

/** "null instead of undefined": the story says what this value takes the place of, and it was something else here. */
export function isOfAnother(text: string, { from, to }: Changed): boolean {
  const [now, was] = [ofValue(to), ofValue(from)]
  const said = saidInstead(text).flatMap((each) => (each.to === now ? [each.from] : []))
  return said.length > 0 && said.every(isValue) && !said.includes(was)
}

const isValue = (word: string): boolean => /^-?\d[\d.]*$|^(?:null|undefined|None|nil|true|false|True|False|NaN)$/.test(word)

/** What it is now, or what it was and is to be no longer. */
const isNamed = (text: string, { from, to }: Changed): boolean =>
  namesValue(text, to) ||
  saidInstead(text).some((said) => said.to === to && said.from === from) ||
  (to === '""' && /\bempty\b/i.test(text)) ||
  (gone.test(text) && namesGone(text, from))

const gone = /\b(?:instead of|no longer|rather than|any ?more)\b/i

/** Near the words that say so. */
const namesGone = (text: string, value: string): boolean =>
  text.split(/[.;\n]/).some((sentence) => gone.test(sentence) && namesValue(sentence, value))

export const namesFile = (text: string, file: string): boolean =>
  [file, file.split('/').at(-1) ?? file].some((name) => name.length > 4 && hasWord(text, name))

/** One of one or two digits is in every text. */
function namesValue(text: string, value: string): boolean {
  const bare = /^\/.*\/[a-z]*$/.test(value)
    ? value.replace(/^\/\^?|\$?\/[a-z]*$/g, '').replace(/\\(.)/g, '$1')
    : value.replace(/^"|"$/g, '')
  return bare.length > 1 && hasWord(text, bare)
}

function hasWord(text: string, word: string): boolean {
  const at = text.indexOf(word)
  return at !== -1 && !/[\w.]/.test(text[at - 1] ?? ' ') && !/\w/.test(text[at + word.length] ?? ' ')
}
