/** What the agent's final message says: one reading, with its signals and the evidence. */
import type { Reading } from '../types/results.ts'
import type { Signal } from '../types.ts'
import { copiedSignal } from './copied.ts'
import { type Weighed, weigh } from './doubt.ts'
import { type KeywordReading, type Keywords, keywordReading } from './keywords.ts'
import { evidenceOf, type Message, messageOf } from './message.ts'
import { leftOpen } from './needs-person.ts'
import { type Promised, promisesIn } from './promise.ts'
import { withProposal } from './proposal.ts'
import { questionAtEnd } from './question.ts'
import { lastBlock, type StatusBlock, statusBlocksIn } from './status-block.ts'
import { readingOf, type StatusReport } from './status-report.ts'

/** The entry point for everything that reads an agent's words. */
export { errorHash, looksLikeError } from './errors.ts'
export { defaultPromise } from './promise.ts'
export { withoutSignals } from './quoted.ts'
export { errorShown, errorsSaid } from './said-errors.ts'

export type ReadingOptions = {
  /** What the agent sends when the whole plan is done; empty: nothing. */
  promise: string
  /** The iteration's code, which signals must have if the agent's words cannot be told from other output. */
  code?: string
  keywords?: Keywords
  /** The prompt: lines of it that come back are not the agent's own words. */
  prompt?: string
  /** There is no plan that could contradict a claim: its own words must support it. */
  isUnchecked?: boolean
  /** What the agent reported through the tool: ranks after its signals, before its plain words. */
  report?: StatusReport
}

/** Promise and status block first, the later of them; then a question to the user; then plain words. Never throws. */
export function readAnswer(message: string, options: ReadingOptions): Reading {
  const words = messageOf(message, options.prompt)
  const promises = promisesIn(words, options.promise, options.code)
  const blocks = statusBlocksIn(words, options.code)
  const promise = promises.findLast((each) => each.isSigned && each.isClear)
  const block = lastBlock(blocks.filter((each) => each.isSigned))
  const weighed = (reading: Reading, claim: { start: number; end: number }, said = ''): Reading =>
    options.isUnchecked === true
      ? borneBy(reading, (tests) => weigh(words, claim, { said, tests, isMixed: options.code !== undefined }))
      : reading
  if (promise && !(block && block.end > promise.end)) return weighed(ofPromise(promise, block), promise, block?.recommendation)
  if (block) return weighed(ofBlock(block), block, block.recommendation)
  if (options.report) return weighed(readingOf(options.report), { start: 0, end: 0 }, options.report.summary)

  const unsigned = promises.findLast((each) => each.isClear) ?? lastBlock(blocks)
  if (unsigned) return ofNone('unsigned', unsigned.evidence)
  const unclear = promises.at(-1)?.evidence ?? copiedSignal(words, options.promise)
  if (unclear !== undefined) return ofNone('unclear', unclear)

  const question = questionAtEnd(words)
  if (question !== undefined) return ofQuestion(question)
  if (words.text.trim() === '') return nothing()
  return ofKeywords(
    keywordReading(words, options.promise, options.keywords ?? {}),
    !options.code || endsWithCode(words, options.code),
  )
}

/** A claim that the words around it deny does not count; one that they leave open counts as plain words, for a person to decide. */
function borneBy(reading: Reading, weigh: (tests: string) => Weighed): Reading {
  const signal = reading.signals.find((each) => each.kind === 'claimed-done')
  if (signal?.exitSignal !== true) return reading
  const weighed = weigh(reading.tests)
  if (weighed.certainty === 'certain') return reading
  const [rule] = signal.evidence.split(':', 1)
  if (weighed.certainty === 'denied') return ofNone('unclear', evidenceOf(`${rule}, denied beside it`, weighed.because))
  const evidence = evidenceOf(`${rule}, ${leftOpen}`, weighed.because)
  return { ...reading, exitSignal: false, evidence: [evidence], signals: [{ ...signal, exitSignal: false, evidence }] }
}

function ofQuestion(text: string): Reading {
  const evidence = evidenceOf('question at the end', text)
  return { ...nothing(), status: 'question', evidence: [evidence], signals: [{ kind: 'asked', text, evidence }] }
}

const nothing = (): Reading => ({
  status: 'unknown',
  exitSignal: false,
  confidence: 0,
  workType: '',
  tests: '',
  evidence: [],
  signals: [],
})

function ofPromise(promise: Promised, block: StatusBlock | undefined): Reading {
  const { kind, text, evidence } = promise
  const signal: Signal =
    kind === 'complete'
      ? { kind: 'claimed-done', by: 'promise', exitSignal: true, evidence }
      : kind === 'blocked'
        ? { kind, reason: text, evidence }
        : { kind, ...withProposal(text), evidence }
  return {
    status: kind,
    exitSignal: kind === 'complete',
    confidence: 100,
    workType: block?.workType ?? '',
    tests: block?.tests ?? '',
    ...reportedBy(block),
    evidence: block ? [evidence, block.evidence] : [evidence],
    signals: [signal],
  }
}

function ofBlock(block: StatusBlock): Reading {
  const { evidence, workType, tests } = block
  const exitSignal = block.exitSignal ?? false
  const said = { exitSignal, workType, tests, ...reportedBy(block), evidence: [evidence] }
  if (block.status === 'blocked') {
    const reason = block.recommendation || 'no reason given'
    return { ...said, status: 'blocked', confidence: 100, signals: [{ kind: 'blocked', reason, evidence }] }
  }
  const isTesting = workType === 'testing'
  const testing: Signal[] = isTesting ? [{ kind: 'testing-only', evidence }] : []
  // COMPLETE with an explicit false means: this step, not everything. A bare true means everything.
  const isClaim = (block.status === 'complete' && block.exitSignal !== false) || (block.status === undefined && exitSignal)
  if (!isClaim) {
    return { ...said, status: isTesting ? 'testing' : 'in-progress', confidence: exitSignal ? 100 : 20, signals: testing }
  }
  const claim: Signal = { kind: 'claimed-done', by: 'status-block', exitSignal, evidence }
  return { ...said, status: 'complete', confidence: exitSignal ? 100 : 60, signals: [claim, ...testing] }
}

function reportedBy(block: StatusBlock | undefined): Pick<Reading, 'reported'> {
  const { tasks, files } = block ?? {}
  if (tasks === undefined && files === undefined) return {}
  return { reported: { ...(tasks === undefined ? {} : { tasks }), ...(files === undefined ? {} : { files }) } }
}

/** What an agent says it did, for people: its status block's recommendation, or its words around block and promise. */
export function summaryOf(message: string): string {
  const words = messageOf(message)
  const blocks = statusBlocksIn(words, undefined)
  const last = lastBlock(blocks)
  const recommended = last?.recommendation.trim() ?? ''
  if (recommended !== '') return recommended
  const around = blocks.reduceRight((text, { start, end }) => text.slice(0, start) + text.slice(end), words.text)
  const plain = around.replace(promiseTag, '').trim()
  if (plain !== '') return plain
  return last === undefined ? message.trim() : last.evidence.replace(/^status block: /, '')
}

/** Also in other brackets, as a prompt quotes it: a summary in later prompts must not teach that form. */
const promiseTag = /<promise\b[^<>]{0,200}>[^<>]{0,4000}<\/promise>|‹promise\b[^‹›]{0,200}›[^‹›]{0,4000}‹\/promise›/gi

/** A signal that does not count: the next prompt says why. */
const ofNone = (kind: 'unsigned' | 'unclear', evidence: string): Reading => ({
  ...nothing(),
  evidence: [evidence],
  signals: [{ kind, evidence }],
})

function ofKeywords(words: KeywordReading, isSigned: boolean): Reading {
  const { label, evidence, confidence, workType, tests } = words
  const isSignal = label === 'testing' || label === 'no-work' || label === 'complete'
  if (!isSigned) return isSignal ? ofNone('unsigned', evidence) : nothing()
  const signal: Signal =
    label === 'testing'
      ? { kind: 'testing-only', evidence }
      : { kind: 'claimed-done', by: 'keywords', exitSignal: false, evidence }
  return {
    status: label === 'no-work' ? 'complete' : label,
    exitSignal: false,
    confidence,
    workType,
    tests,
    evidence: words.all,
    signals: isSignal ? [signal] : [],
  }
}

/** In the very last line: the prompt has the code further up, so that an agent that only prints its prompt has signed nothing. */
function endsWithCode(message: Message, code: string): boolean {
  const last = message.lines.findLast((line) => line.text.trim() !== '')
  return last?.text.split(/[^\w-]+/).includes(code) === true
}
