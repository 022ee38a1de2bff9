/** Answers for the tests of reading, and short queries on the result. */
import { defaultPromise, type ReadingOptions, readAnswer } from '../../src/core/reading/reading.ts'

export const options: ReadingOptions = { promise: defaultPromise }
export const coded: ReadingOptions = { promise: defaultPromise, code: 'k7f3' }
export const read = (text: string, with_: ReadingOptions = options) => readAnswer(text, with_)
export const kinds = (text: string, with_: ReadingOptions = options) => read(text, with_).signals.map((signal) => signal.kind)
export const claims = (text: string, with_: ReadingOptions = options) => kinds(text, with_).includes('claimed-done')
export const statusBlock = (...lines: string[]) => ['---RALPH_STATUS---', ...lines, '---END_RALPH_STATUS---'].join('\n')
export const tag = (text: string) => `<promise>${text}</promise>`
/** A reviewer's answer that lets a story pass. */
export const passingReview = '{"missing": [], "extra": [], "reason": "", "verdict": "pass"}'
