/** Whether the words around a claim support it: without a plan, only the gates could contradict it. */
import { isDenied } from './denial.ts'
import { isDeniedElsewhere, saysDoneElsewhere } from './languages.ts'
import type { Message } from './message.ts'
import { isOver } from './said-errors.ts'
import { isKnownLeadIn } from './words-before-promise.ts'

/** `because`: the words that deny it or leave it open. */
export type Weighed = { certainty: 'certain' } | { certainty: 'open' | 'denied'; because: string }

type WordsAround = {
  /** What a status block or a report says besides the claim. */
  said: string
  tests: string
  /** The agent's words cannot be told from tool output: only the last are surely its own. */
  isMixed: boolean
}

/**
 * Its last words must say that the work is done, and none may contradict that. Words that we cannot read do neither, and leave it to a
 * person. `claim`: its position; its own text does not count.
 */
export function weigh(message: Message, claim: { start: number; end: number }, { said, tests, isMixed }: WordsAround): Weighed {
  const all = partsOf(message, claim).slice(-mostParts)
  if (said !== '') all.push({ text: said, isOutput: false })
  const parts = isMixed ? all.slice(closingOf(all)) : all
  const closing = closingOf(parts)
  const sentences = parts.map((part) => (part.isOutput ? [] : sentencesOf(part.text)))
  const isAgainst = (own: string[], at: number): boolean =>
    own.some((sentence, n) => {
      const next = own[n + 1] ?? sentences[at + 1]?.[0]
      if (isFailure(sentence, next)) return true
      return ((at === 0 || at >= closing) && isUndone(sentence)) || (at >= closing && isHeldBack(sentence, next))
    })
  const against = parts[sentences.findIndex(isAgainst)]
  if (against !== undefined) return { certainty: 'denied', because: against.text }
  if (/^fail/.test(tests) || failed.test(tests)) return { certainty: 'denied', because: `tests: ${tests}` }
  const output = parts.findLastIndex((part) => part.isOutput)
  const isSaidAfter = sentences.slice(output + 1).some((each) => each.some(saysDone))
  const printed = parts[output]?.text ?? ''
  if (failed.test(printed.slice(-longestPart)) && !isSaidAfter) return { certainty: 'denied', because: printed }

  const words = sentences.map((each) => each.filter((sentence) => /\p{L}/u.test(sentence) && !advice.test(sentence)))
  const last = words.findLastIndex((each) => each.length > 0)
  const isBorne = words[last]?.some((sentence, at, { length }) => saysDone(sentence) && (isOfAll(sentence) || at === length - 1))
  if (isBorne === true || sentences.every((each) => each.length === 0)) return { certainty: 'certain' }
  const closingText = parts.at(last)?.text ?? ''
  return !closingText.includes('?') && isKnownLeadIn(closingText.slice(-longestPart))
    ? { certainty: 'certain' }
    : { certainty: 'open', because: closingText }
}

/** Everything that an agent prints passes through here. */
const mostParts = 100
const longestPart = 4000
const longestSentence = 400

/** "The API works" is about a part: what follows may contradict it. */
const isOfAll = (sentence: string): boolean =>
  /^\W*(?:all |work |task |implementation )?(?:done|complete|completed|finished)\b|\b(?:all|every|everything|both|whole|entire|feature|task|tasks|work|job|suite|build|implementation|migration|refactoring|bug|issue|criteria|tests|ok)\b/.test(
    sentence,
  ) || saysDoneElsewhere(sentence)

/** What a person may do with the work is not about the work. */
const advice = /^\W*(?:you|run|see|start it|if you|to (?:run|start|see|use|try)|let me know|feel free|thanks|thank you)\b/i

/** The agent's own paragraph, or output that it shows. */
type Part = { text: string; isOutput: boolean }

function partsOf({ lines, text }: Message, claim: { start: number; end: number }): Part[] {
  const parts: Part[] = []
  let open: Part | undefined
  for (const line of lines) {
    const isClaim = line.start < claim.end && line.end > claim.start
    const said = isClaim ? text.slice(line.start, Math.max(line.start, claim.start)) : line.text
    const isOutput = line.fence !== undefined || line.isQuoted
    if (said.trim() === '' ? !isLeading(open) : open?.isOutput !== isOutput) open = undefined
    if (!/[\p{L}\p{N}]/u.test(said) || line.isEcho === true) continue
    const startsNew = isOutput || /^\s*(?:[-*+•#|]|\d{1,3}[.)])/.test(said)
    if (open === undefined) parts.push((open = { text: said, isOutput }))
    else open.text += (startsNew ? '\n' : ' ') + said
  }
  return parts
}

/** A list belongs to the heading or the colon above it. */
const isLeading = (part: Part | undefined): boolean =>
  part !== undefined && !part.isOutput && (/:\W{0,5}$/.test(part.text.slice(-10)) || /^\s*#[^\n]*$/.test(part.text.slice(0, 200)))

/** The last paragraph, and those before it while all of them are short. */
function closingOf(parts: Part[]): number {
  let length = 0
  const tooLong = parts.findLastIndex((part) => (length += part.text.length) > 400)
  return Math.min(tooLong + 1, parts.length - 1)
}

/** Lower case, without quotes and names, and without phrases that only look like a denial. */
function sentencesOf(text: string): string[] {
  const plain = text
    .slice(-longestPart)
    .replace(/`[^`\n]{1,200}`|"[^"\n]{1,200}"|“[^“”\n]{1,200}”/g, ' x ')
    .replaceAll('’', "'")
    .replace(/[*_~]+/g, ' ')
    .toLowerCase()
  return plain
    .split(/(?<=[.!?…;])\s+|[。！？；]|\n/)
    .map((sentence) => harmless.reduce((rest, phrase) => rest.replace(phrase, ' ok '), sentence.slice(0, longestSentence)))
}

/** It says anywhere that the agent could not do it, that something fails, or that there is a list of what is left. */
const isFailure = (sentence: string, next: string | undefined): boolean =>
  unable.test(sentence) || listed.test(sentence) || clausesOf(sentence).some(isPart) || isTroubled(sentence, next, trouble)

/** It says that the work as a whole is not done. That counts at the beginning or the end: what is between describes the work. */
const isUndone = (sentence: string): boolean =>
  left.test(sentence) || limited.test(sentence) || clausesOf(sentence).some((clause) => denied.test(clause))

const isTroubled = (sentence: string, next: string | undefined, words: RegExp): boolean =>
  [...sentence.matchAll(words)].some(({ 0: found, index }) => {
    const at = index + found.lastIndexOf(' ') + 1
    const isPast = /\b(?:was|were|had|failed|crashed)\b/.test(found) && !/^\d/.test(found)
    const isMended = (isPast && saysDone(sentence.slice(index + found.length))) || subordinate.test(sentence.slice(0, at))
    return !isMended && !isOver({ text: sentence, under: '' }, at, next === undefined ? undefined : { text: next, under: '' })
  })

const clausesOf = (sentence: string): string[] =>
  sentence.split(/[,;:—–()]|\s-+\s|\b(?:and|but|so|because|since|who|which|that|if|when|where)\b/)

const noun =
  'tests?|specs?|build|suite|lint|types?|gates?|checks?|code|app|program|server|work|tasks?|stor(?:y|ies)|it|this|they|everything|all'
const finished =
  'done|finish(?:ed)?|complete(?:d|ly)?|ready|yet|work(?:s|ing|ed)?|compil(?:es?|ing)|builds?|pass(?:es|ed|ing)?|implemented|started|possible|able|managed?|achieved|fixed|solved|true|sure|met|satisfied|succe\\w+|verified|tested|written'
const some = 'one|two|three|four|five|six|seven|eight|nine|ten'
const number = `(?:${some}|[1-9]\\d*)`

const unable =
  /\b(?:i|we)(?:'m|'ve| am| was| were| have| had| are)?(?: \w+){0,2}? (?:could(?:n't| not)|can(?:'t|not| not)|(?:wasn't|not|isn't) (?:been )?able|unable|failed|gave up|given up|give up|stuck|blocked|did nothing|done nothing|ran out|don't know how|broke)\b|^\W*(?:however\W+)?(?:could(?:n't| not)|can(?:'t|not)|unable|failed to|gave up|giving up|impossible|stuck|blocked)\b|\b(?:is|was|seems) (?:impossible|too hard)\b/
const denied = new RegExp(
  `(?:\\b(?:not|never|nothing|none|neither|nor|no|hardly|barely|cannot)\\b|n't\\b).{0,40}\\b(?:${finished})\\b|(?<![\\d.])(?:0|zero)(?: \\w+){0,3} (?:${finished})\\b|\\bunfinished\\b|\\bincomplete\\b|\\buntested\\b|\\b(?:do|does|did|is|are|was|were|has|have)(?: not|n't)\\W*$|\\b(?:did|done) nothing\\b|\\bnot (?:really|quite|ok|okay)\\b|\\bnot\\W*$`,
)
const listed =
  /^\W*(?:remaining(?: \w+)?|still (?:to do|open|missing)|missing|pending|skipped|failed|failing|not done|to ?do)\s*[:=]\s*(?:[\w#]|$)|^\W*\[ \]|\|\s*(?:open|todo|failed|pending|missing)\s*\|/
const left = new RegExp(
  [
    '\\b(?:still|yet) (?:to (?:do|be)|needs?|missing|open|failing|fails?|broken|red|working on|in progress)\\b|\\bin progress\\b|\\bnext iteration\\b',
    '|\\bstill there\\b|\\bpersists?\\b|\\bfor later\\b|\\bthe rest (?:is|are|needs?|follows|comes|will|must)\\b',
    '|\\bremains?\\b|\\bneeds? (?:more|further|some) \\w+|\\bto ?do\\s*:',
    '|(?<!\\bwas )\\b(?:remaining(?: \\w+)?|missing|pending|skipped|failed|failing|not done)\\s*[:=]\\s*[\\w#]|\\b(?:open|left|failures?|errors?)\\s*[:=]\\s*[1-9]|:\\s*blocked\\b|\\bblocked by\\b|\\b(?:i|we)(?: (?:just|still|only))? (?:have|need) to\\b',
    `|\\b${number}(?: \\w+)? (?:are |is )?(?:still )?(?:open|left|missing|pending|to go)\\b`,
    '|(?<!\\b(?:what|which|that|if|when|whether|where|file|value|key|field)(?: \\w+){0,2}) (?:is|are) (?:still )?(?:open|missing|pending)\\b',
    "|\\b(?:i|we)(?:'ll| will)(?! now\\b)(?: \\w+)? (?:continue|go on|carry on|do|write|add|fix|implement|finish|work)\\b",
  ].join(''),
)
const limited = new RegExp(
  [
    '\\b(?:except|exception of|best effort|sometimes|pending|apart from|aside from|other than|but not|besides)\\b|\\b(?:all|everything|every)\\b[^,;]*\\bbut (?:the|for|one|two|\\d)',
    '|(?<![\\d.])(?!100)\\d{1,3}\\s?%\\s*(?:of (?:it|the work) (?:is )?)?(?:done|complete|finished)|\\bprogress\\W+(?!100)\\d{1,3}\\s?%',
    '|\\b(?:first|second|easy|simple) (?:milestone|parts?|phase|steps?|half|stage)\\b',
    `|\\b(?:partially|partly|half|halfway|mostly|almost|nearly)\\b[^,;]{0,30}\\b(?:${finished})\\b`,
    '|\\b(?:half|most|some|part|few) of (?:the|it|them|this)\\b[^,;]{0,40}\\b(?:is|are|was|were|done|pass|passes|works?)\\b',
    '|\\b(?:implemented|finished|completed|done|did|fixed|wrote) (?:most|some|half|parts?) of\\b|\\bskip\\w* the failing\\b',
    `|\\b(?:${some}) of (?:the |these )?${number}\\b(?! (?:files|lines))`,
    '|\\bonly (?:the|\\d+|one|two|some|part)\\b[^,;]{0,40}\\b(?:done|complete|finished|implemented|pass|passes|works?)\\b',
    '|\\bto (?:stop|end|exit|leave|escape) (?:the|this) (?:loop|run)\\b|\\b(?:kidding|pretend\\w*|hopefully|probably|lying|is wrong)\\b',
    '|\\b(?:just|only|implemented|added|wrote) (?:a )?(?:stubs?|placeholders?)\\b(?! (?:text|attribute|image))',
    '|\\b(?:disabled|skipped|commented out) (?:the |all |some |\\d+ )*(?:\\w+ )?tests?\\b|\\b(?:removed|deleted) (?:the |all |some |\\d+ )*(?:failing|broken|red|failed) tests?\\b',
  ].join(''),
)
const trouble = new RegExp(
  `\\b(?:permission|access) denied\\b|\\b(?:${noun}) (?:\\w+ )?(?:(?:is|are|was|were|still|now|all|has|have) ){0,2}(?:fail(?:s|ed|ing)?|red|broken|crash(?:es|ed|ing)?)\\b|(?<![\\d.])[1-9]\\d* (?:\\w+ )?(?:fail(?:s|ed|ing|ures?)?|errors?)\\b|^\\W*(?:\\w+ )?error:|\\binstall failed\\b`,
  'g',
)
/** Right before the claim. */
const wrong =
  /\b(?:fail(?:s|ed|ure)|crash(?:es|ed)|segfaults?|broken|rejected|refused|denied|aborted|timed out|thrown|worse|reverted)\b(?! \w+s\b)/g
const subordinate =
  /\b(?:if|when|whenever|instead of|remov\w+|handl\w+|catch\w*|reproduc\w+|report\w*|for|on|of|after|before|at first|initially|originally|the first)\b[^,;]*$/
const toCome =
  /\b(?:i|we|it|this|tests|they)(?: would|'d| will|'ll)\b(?! now\b)(?! (?:send|signal|print|report|mark|end|conclude)\b[^,]*$)|\b(?:would|will be) (?:done|complete|completed|finished|ready|pass|work)\b|^\W*(?:assuming|provided|supposing)\b|\b(?:let me|now) (?:continue|working|work|go)\b/
const failed = /(?<![\d.])[1-9]\d* (?:tests? )?(?:fail(?:ed|ing|ures?)?|errors?)\b|permission denied|^Traceback|\bnpm ERR!/im

/** "5 of 7 pass": the others do not. */
function isPart(clause: string): boolean {
  const count = /(?<![\d.])(\d{1,6})\s?(?:\/|of|out of)\s?(?:the\s)?(\d{1,6})(?![\d.])/.exec(clause)
  return count !== null && Number(count[1]) < Number(count[2]) && counted.test(clause)
}
const counted = new RegExp(`\\b(?:${finished}|progress|tasks?|stories|tests?)\\b`)

/** Right before the claim: it depends on something, is still to come, has a "but" without a good end, or is denied in another language. */
function isHeldBack(sentence: string, next: string | undefined): boolean {
  const but = /\b(?:but|however|unfortunately|sadly|sorry|though|although)\b/.exec(sentence)
  if (but !== null && !saysDone(sentence.slice(but.index + but[0].length))) return true
  return (
    toCome.test(sentence) ||
    /[✗✘❌](?!\s*(?:→|[-=]>))/u.test(sentence) ||
    isTroubled(sentence, next, wrong) ||
    isDeniedElsewhere(sentence)
  )
}

function saysDone(sentence: string): boolean {
  if (saysDoneElsewhere(sentence)) return true
  return [...sentence.matchAll(doneWords)].some(({ 0: word, index }) => {
    const end = index + word.length
    return !isDenied(sentence, index, end) && !attribute.test(sentence.slice(end, end + 40))
  })
}

const doneWords =
  /\b(?:done|complete|completed|finished|over|ready|pass|passes|passed|passing|green|works|met|satisfied|verified|tested|committed|implemented|added|created|fixed|corrected|wrote|written|updated|changed|refactored|removed|renamed|replaced|migrated|resolved|merged|improved|documented|built|behaves?|configured|reduced|caught|proves|cover(?:s|ed)?|ok|none)\b/g
const attribute =
  /^\s+(?:failure|disaster|mess|rewrite|nonsense|to \w+|(?:(?:my|the|an?) )?(?:plan|analysis|reading|review|research|exploration|planning|investigation))\b/
const harmless = [
  /\b(?:no|zero|0|without(?: any)?)(?: (?:more|open|remaining|further|other|failing|new|known|build|test|type|lint|lint\w+))*(?:,? (?:errors?|failures?|failed|failing|issues?|problems?|warnings?|regressions?))+(?: (?:remain|remains|remaining|left|open|found))?/g,
  /\bno (?:(?:more|open|remaining|further|other) )*(?:stor(?:y|ies)|tasks?|items?|work|tests?|actions?|changes?|steps?)(?: (?:is|are|was|were))?(?: (?:remain|remains|remaining|left|open|needed|required|necessary|to do|fail|fails|failed|failing))+/g,
  /\bnothing (?:else|more|further)(?: (?:is|was|needs?|has|to|be|left))* (?:left|needed|required|done|do|missing|remains)\b|\b(?:there is |there's )?nothing (?:is |was )?(?:left|missing|broken|open|outstanding|remains|to do|to fix)(?: to do)?/g,
  /\b(?:remaining(?: \w+)?|left|open|failed|failing|failures|errors|missing|pending|skipped)\s*[:=]\s*(?:none|nothing|0|no)\b/g,
  /\b(?:(?:not|n't)(?: \w+){0,2}|no longer) (?:needed|required|necessary|used|fail\w*|crash\w*|break\w*|broken|appears?|happens?|occurs?|leaks?|hangs?)(?: any ?more| any longer)?\b/g,
  /\b(?:none of [^,;]{0,40}|not (?:a|one) (?:single )?\w+) (?:fail(?:s|ed)?|is (?:red|broken))\b/g,
  /\bcould(?: not|n't) (?:find|see|detect|spot) (?:any|a|more|other)\b[^,;]*/g,
  /\bno (?:\w+ )?(?:is|are|was|were) (?:needed|required|necessary)\b|\bnot only\b|\bnothing broke\b|\bnot in scope\b/g,
]
