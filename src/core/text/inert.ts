/** Words of agents and strangers, made safe for a page where words do things: they notify nobody, close nothing, and run no command. */
import { plain } from './plain.ts'

/** Shown by nobody; keeps a sign from the word that it would work on. */
const APART = '\u200b'

/** For titles: one line, without markup of its own. */
export function inert(text: string, most = 200): string {
  const line = plain(text)
    .replace(/[\s\u0085\u2028\u2029]+/g, ' ')
    .trim()
  const short = line.length > most ? `${line.slice(0, most - 1).trimEnd()}…` : line
  return (
    short
      // @people, #7, !7, GH-7, and what GitLab calls by other signs: $snippets, %milestones, ~labels, &epics.
      .replace(/[@#!$%~&](?=[\p{L}\p{N}_"({])/gu, (sign) => sign + APART)
      .replace(/\bGH-(?=\d)/gi, (word) => word + APART)
      // Addresses of issues and pull requests are as good as their numbers, and keys of trackers close through integrations.
      .replace(/\/(issues|pull|pulls|merge_requests|work_items|discussions|browse|issue)\/(?=[\w-])/gi, (path) => path + APART)
      .replace(closing, (word) => word.slice(0, 1) + APART + word.slice(1))
      .replace(/\[(?=(?:skip|no|ci|actions)\b)/gi, (sign) => sign + APART)
      // Commands of bots and of GitLab stand at the beginning of a line.
      .replace(/^\//, `${APART}/`)
  )
}

const closing = /\b(?:clos(?:e|es|ed|ing)|fix(?:e[sd]|ing)?|resolv(?:e|es|ed|ing)|implement(?:s|ed|ing)?)(?=\b)/gi

/** For the text of a page in Markdown: nothing of it is markup. */
export const inertMarkdown = (text: string, most = 500): string =>
  inert(text, most).replace(/[\\`*_[\]<>|{}()]/g, (sign) => `\\${sign}`)
