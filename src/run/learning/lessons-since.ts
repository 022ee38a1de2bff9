/** How much a project has learned since its lessons were last collected, in any of its features. */
import { readIfThere } from '../../adapters/files/files.ts'
import { LONGEST_TEXT } from '../../adapters/files/open.ts'
import { learnedSince } from '../../adapters/learning/learnings.ts'
import { isText, jsonIn, recordOf } from '../../core/text/json.ts'
import { logsBeside } from '../history/other-features.ts'

export const unlearnedIn = (root: string): number =>
  learnedSince(
    root,
    logsBeside(root, '')
      .map(lastGathering)
      .reduce((last, at) => (at > last ? at : last), ''),
  )

/** Searched from the end, as text: a long history need not be parsed at each start. */
function lastGathering(log: string): string {
  const text = readIfThere(log, LONGEST_TEXT) ?? ''
  for (let at = text.lastIndexOf(mark); at >= 0; at = at === 0 ? -1 : text.lastIndexOf(mark, at - 1)) {
    const end = text.indexOf('\n', at)
    const event = recordOf(jsonIn(text.slice(text.lastIndexOf('\n', at) + 1, end < 0 ? undefined : end)))
    if (event['kind'] === 'gathering.ended' && event['patterns'] !== true && isText(event['at'])) return event['at']
  }
  return ''
}

const mark = '"kind":"gathering.ended"'
