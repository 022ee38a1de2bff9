/** A script that runs tests, before and after a change: whether it decides anew what becomes of a result. */

/** It counts, or ends with, what tests gave: a helper that only makes values does not. */
export const runsTests = (text: string): boolean => /\b(?:exit|exitCode|passed|failed|failures|results)\b/.test(text)

/** A line is gone, or a new one steers: a variable that new tests need does not. */
export function decidesAnew(before: string, after: string): boolean {
  const [was, is] = [linesOf(before), linesOf(after)]
  return [...was].some((line) => !is.has(line)) || [...is].some((line) => !was.has(line) && steers.test(line))
}

const linesOf = (text: string): Set<string> =>
  new Set(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  )

const steers =
  /^(?:if|elif|elsif|unless|case|continue|break|exit|return|next|skip\w*|true)\b|\|\||&&|^[^#\s(]+\)|\bexit\b|\bcatch\b|\bexcept\b|\bfilter\b/
