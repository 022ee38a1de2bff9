/** What plain words mean when the agent sent no signal: a label with low confidence. */
import { hasTrouble, isDenied, isGivenUp, isTroubleDenied } from './denial.ts'
import { evidenceOf, type Message } from './message.ts'

/** Lists named complete, testing, no_work or stuck extend the built-in ones; any other name only adds confidence and evidence. */
export type Keywords = Record<string, string[] | { words: string[]; weight?: number }>

export type KeywordReading = {
  label: 'testing' | 'no-work' | 'complete' | 'stuck' | 'in-progress'
  confidence: number
  workType: string
  tests: string
  /** The label's first word in its sentence. */
  evidence: string
  all: string[]
}

/** `promise` is the completion string: if it did not count as a promise, it is not a plain word either. */
export function keywordReading(message: Message, promise: string, extra: Keywords): KeywordReading {
  const said = proseOf(message)
  const prose = withoutPromises(said, promise.trim())
  const bare = withoutQuotations(prose)
  const isEdited = matchesOf(bare, wordsOf(edits)).length > 0
  const own = Object.entries(extra).map(([name, list]) => ({ name: name.toLowerCase().replace(/[_\s]+/g, '-'), ...listOf(list) }))
  const found = (name: keyof typeof builtIn, text: string): Match[] =>
    matchesOf(
      text,
      [...wordsOf(builtIn[name]), ...own.filter((list) => list.name === name).flatMap((list) => list.words)],
      name === 'stuck' ? isTroubleDenied : isDenied,
    )

  // An agent that changed things and then ran the tests was not only testing.
  const testing = isEdited ? [] : found('testing', prose)
  // An agent that mentions the promise without sending it is not done.
  const isHeldBack = /<\/?promise/i.test(said) || (promise.trim() !== '' && said.includes(promise.trim())) || isGivenUp(bare)
  const noWork = isHeldBack ? [] : found('no-work', bare).filter((match) => !hasTrouble(rest(bare, match)))
  const complete = isHeldBack ? [] : completions(found('complete', bare), bare)
  const label = [
    { label: 'testing', matches: testing },
    { label: 'no-work', matches: noWork },
    { label: 'complete', matches: complete },
    { label: 'stuck', matches: found('stuck', bare).filter((match) => !lookalike.test(bare.slice(match.end, match.end + 20))) },
  ].find(({ matches }) => matches.length > 0)
  const named = own
    .filter((list) => !Object.hasOwn(builtIn, list.name))
    .flatMap((list) =>
      matchesOf(bare, list.words)
        .slice(0, 1)
        .map((match) => ({ ...match, list: list.name })),
    )

  const matches = [...(label === undefined ? [] : label.matches.map((match) => ({ ...match, list: label.label }))), ...named]
  const total = matches.reduce((sum, match) => sum + match.weight, 0)
  const all = matches.map((match) => evidenceOf(`keyword ${match.word} (${match.list})`, around(prose, match)))
  return {
    label: (label?.label ?? 'in-progress') as KeywordReading['label'],
    confidence: Math.max(0, Math.min(60, total)),
    workType: label?.label === 'testing' ? 'testing' : isEdited ? 'implementation' : '',
    tests: testsOf(bare),
    evidence: all[0] ?? '',
    all,
  }
}

const builtIn = {
  testing: ['running tests', 'npm test', 'bun test', 'bats', 'pytest', 'jest', 'xcodebuild test'],
  'no-work': ['nothing to do', 'no changes', 'no changes needed', 'already implemented', 'no further action'],
  complete: [
    'done',
    'complete',
    'completed',
    'finished',
    'all tasks complete',
    'all tasks finished',
    'implementation complete',
    'project ready',
  ],
  stuck: ['error', 'errors', 'failed', 'cannot', 'unable to', 'cannot find', 'permission denied'],
}
const edits =
  'implemented added created fixed wrote rewrote refactored updated changed removed modified edited renamed introduced'.split(' ')

/** After "error": it is about error handling. */
const lookalike = /^\s+(?:handling|handlers?|messages?|boundar|cases?|paths?|codes?|states?|types?|pages?)/i
const goingOn = [
  'continuing',
  'moving on',
  'in progress',
  'remain',
  'remains',
  'remaining',
  'still need',
  'still needs',
  'next i',
  'next, i',
]
const comingNext = /\b(?:will|['’]ll) continue\b/i
/** "Complete failure", "complete the form": it describes what follows, not the work. */
const attribute = /^\s+(?!(?:and|as|at|for|in|now|on|so|today|with|without|here|already|after|since|because)\b)\p{L}/iu

type Word = { word: string; weight: number }
type Match = Word & { start: number; end: number }

/** A phrase says more than a word. */
const wordsOf = (words: string[]): Word[] => words.map((word) => ({ word, weight: word.includes(' ') ? 20 : 10 }))

function listOf(list: Keywords[string]): { words: Word[] } {
  const [words, weight] = Array.isArray(list) ? [list, undefined] : [list?.words ?? [], list?.weight]
  const usable = words
    .filter((word) => typeof word === 'string' && word.trim() !== '')
    .map((word) => word.trim().replace(/\s+/g, ' '))
  return { words: weight === undefined ? wordsOf(usable) : usable.map((word) => ({ word, weight })) }
}

const statusLine =
  /RALPH[\\_·]{1,2}STATUS|^[\s*_`-]{0,20}(?:STATUS|TESTS_STATUS|WORK_TYPE|EXIT_SIGNAL|RECOMMENDATION)\b[*_`]{0,5}\s?[:=]/

/** The agent's own sentences: without fenced blocks, quotes and status blocks, and with wrapped lines joined. */
function proseOf(message: Message): string {
  let prose = ''
  for (const line of message.lines) {
    const isOther =
      line.fence !== undefined || line.isQuoted || line.isEcho || line.text.trim() === '' || statusLine.test(line.text)
    const startsNew = isOther || /^\s*(?:[-*+•#|]|\d{1,3}[.)])/.test(line.text)
    prose += (startsNew ? '\n' : ' ') + (isOther ? '' : line.text)
  }
  return prose
}

function withoutPromises(prose: string, promise: string): string {
  const untagged = prose.replace(/[<‹]promise[\s\S]{0,300}?[<‹]\/promise[>›]/gi, ' ')
  return promise === '' ? untagged : untagged.replaceAll(promise, ' ')
}

/** A word in quotation marks or backticks is only mentioned; offsets stay. */
const withoutQuotations = (prose: string): string =>
  prose.replace(/`[^`\n]{1,200}`|"[^"\n]{1,200}"|“[^“”\n]{1,200}”/g, (quotation) => ' '.repeat(quotation.length))

/** The first meant occurrence of each word, in the order of the text. */
function matchesOf(text: string, words: Word[], isOff = isDenied): Match[] {
  const byName = new Map(words.map((word) => [word.word.toLowerCase(), word]))
  const lower = text.toLowerCase()
  // Compiling such a pattern takes milliseconds: most messages have none of a list's words.
  if (![...byName.keys()].some((word) => lower.includes(word.replace(/ .*/s, '')))) return []
  const longestFirst = [...byName.keys()].sort((a, b) => b.length - a.length)
  const pattern = longestFirst.map((word) => word.split(/\s+/).map(escaped).join('\\s{1,3}')).join('|')
  const matches = new Map<string, Match>()
  for (const found of text.matchAll(
    new RegExp(`(?<![\\p{L}\\p{N}_/\\\\>]|\\p{L}[-.])(?:${pattern})(?![\\p{L}\\p{N}_<]|[-.]\\p{L})`, 'giu'),
  )) {
    const name = found[0].toLowerCase().replace(/\s+/g, ' ')
    const word = byName.get(name)
    const end = found.index + found[0].length
    if (word && !matches.has(name) && !isOff(text, found.index, end)) matches.set(name, { ...word, start: found.index, end })
  }
  return [...matches.values()]
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

/** The sentence around the match, without the match. */
const rest = (text: string, { start, end }: Match): string => {
  const before = text.slice(Math.max(0, start - 200), start).replace(/^[\s\S]*(?:[.!?…]\s|\n)/, '')
  return `${before} ${text.slice(end, end + 200).replace(/[.!?…\n].*/s, '')}`
}

/** Problems in the same sentence, or one thing done while the next goes on: not everything is done. */
function completions(matches: Match[], text: string): Match[] {
  const meant = matches.filter(
    (match) =>
      !hasTrouble(rest(text, match)) && (match.word !== 'complete' || !attribute.test(text.slice(match.end, match.end + 20))),
  )
  const isGoingOn = comingNext.test(text) || matchesOf(text, wordsOf(goingOn)).length > 0
  return isGoingOn ? meant.filter((match) => match.word.includes(' ')) : meant
}

function testsOf(text: string): string {
  const said = /\btests?\b[^.\n]{0,40}\b(pass|passes|passed|passing|green|fail|fails|failed|failing)\b/i.exec(text)
  if (!said) return ''
  const [whole, word = ''] = said
  const end = said.index + whole.length
  if (isDenied(text, end - word.length, end)) return ''
  return /^fail/i.test(word) ? 'failing' : 'passing'
}

const around = (text: string, match: Match): string =>
  text.slice(Math.max(0, text.lastIndexOf('\n', match.start), match.start - 80), match.end + 80)
