/** Skills and notes in the project's own files: what Ralph learned goes between its marks, what people wrote stays. */
import { join } from 'node:path'
import type { Lesson } from '../../core/learning/learning.ts'
import { isHarmful, quotedLine } from '../../core/learning/skills/quoted.ts'
import { newestFirst } from '../../core/learning/skills/skills.ts'
import { skillName } from '../../core/learning/skills/text.ts'
import { sameWords } from '../../core/learning/skills/words.ts'
import { hasSection, htmlComment, type Sectioned, withoutSection, withSection, yamlComment } from '../files/marked-section.ts'
import { editFile, isThere, notesFile } from '../project/edit-files.ts'

/** Paths are from the project root. With a problem nothing was changed. */
export type SkillWritten = { path: string; problem?: string }

/** `text` as skillText gives it. */
export function writeSkill(root: string, category: string, text: string): SkillWritten & { isNew: boolean } {
  const path = skillPath(category)
  const isNew = !isThere(join(root, path))
  return { path, isNew, ...editFile(root, path, (old) => skillFile(old, text)) }
}

/** For agents that load no skills. `when`: as skillDescription gives it. An empty list takes the section out. */
export function writeAgentsSection(root: string, skills: { path: string; when: string }[]): SkillWritten {
  const path = notesFile(root, 'AGENTS.md')
  const items = skills.map(({ path, when }) => `- \`${path}\`: ${quotedLine(when, 1024)}`)
  const head = ['## Learned skills', '', 'What earlier stories taught. Read the file before you work on what it is about.', '']
  return { path, ...editFile(root, path, section('skills', head, items)) }
}

/** In CLAUDE.md if there is one, else in AGENTS.md; only there. */
export function writePatterns(root: string, lessons: Lesson[]): SkillWritten {
  const path = notesFile(root, isThere(join(root, 'CLAUDE.md')) ? 'CLAUDE.md' : 'AGENTS.md')
  const head = [
    '## Discovered patterns',
    '',
    'Learned from finished stories; written by Ralph. Notes of your own go outside its marks.',
    '',
  ]
  const written = editFile(root, path, (old) => {
    const outside = withoutSection(old ?? '', 'patterns')
    if (!outside.ok) return outside
    return section('patterns', head, patternLines(lessons, outside.text).slice(0, mostLines - head.length - 2))(old)
  })
  if (written.problem === undefined && path !== 'AGENTS.md') editFile(root, 'AGENTS.md', section('patterns', head, []))
  return { path, ...written }
}

/** The file goes on under a name that nobody loads; `because` is a sentence without its full stop. */
export function retireSkill(root: string, category: string, because: string): SkillWritten {
  const path = skillPath(category)
  const retired = freeName(root, `${path}.retired`)
  const note = htmlComment(`Retired by Ralph: ${quotedLine(because)}. To use it again, rename this file to SKILL.md.`)
  const { problem } = editFile(root, path, (old) => {
    if (old === null) return { ok: false, problem: 'is not there: nothing was retired.' }
    if (!hasSection(old, 'skill'))
      return { ok: false, problem: 'was not written by Ralph: it stays in use. Remove it yourself if it should go.' }
    return { ok: true, text: '', copy: { path: retired, text: `${old}${old.endsWith('\n') ? '' : '\n'}\n${note}\n` } }
  })
  return problem === undefined ? { path: retired } : { path, problem }
}

/** An earlier one that was retired stays too. */
function freeName(root: string, path: string): string {
  let name = path
  for (let number = 2; isThere(join(root, name)); number++) name = `${path}-${number}`
  return name
}

const mostLines = 40

const skillPath = (category: string): string => `.claude/skills/${skillName(category)}/SKILL.md`

/** Front matter must come first in the file, so it has marks of its own inside. One without them is a person's, and stays. */
function skillFile(old: string | null, text: string): Sectioned {
  const made = frontMatterOf(text)
  const whole = withSection(old, 'skill', made.rest.trim())
  if (!whole.ok) return whole
  const there = frontMatterOf(whole.text).inner
  if (there === null) {
    const front = withSection(null, 'skill', made.inner ?? '', yamlComment)
    return front.ok ? { ok: true, text: `---\n${front.text}---\n\n${whole.text}` } : front
  }
  if (!hasSection(there, 'skill', yamlComment)) return whole
  return withSection(whole.text, 'skill', keysLeft(there, made.inner ?? ''), yamlComment)
}

/** A key that a person has set outside the marks is theirs: twice in one front matter it would be an error. */
function keysLeft(there: string, made: string): string {
  const outside = withoutSection(there, 'skill', yamlComment)
  const taken = new Set((outside.ok ? outside.text : '').split(/\r?\n/).map(keyOf))
  return made
    .split('\n')
    .filter((line) => !taken.has(keyOf(line)))
    .join('\n')
}

const keyOf = (line: string): string | undefined => /^([\w-]+)\s*:/.exec(line)?.[1]

/** `inner` null: there is none. */
function frontMatterOf(text: string): { inner: string | null; rest: string } {
  const found = /^\uFEFF?---[ \t]*\r?\n((?:(?!---[ \t]*(?:\r?\n|$))[^\n]*\n)*)---[ \t]*(?:\r?\n|$)/.exec(text)
  return { inner: found?.[1] ?? null, rest: text.slice(found?.[0].length ?? 0) }
}

/** How a file changes that gets this section, or loses it where there is nothing to say. */
const section =
  (name: string, head: string[], items: string[]) =>
  (old: string | null): Sectioned =>
    items.length === 0 ? withoutSection(old ?? '', name) : withSection(old, name, [...head, ...items].join('\n'))

/** Newest first, each once, none that people have written down themselves. */
function patternLines(lessons: Lesson[], outside: string): string[] {
  const seen = new Set(blocksOf(outside).map(sameWords))
  const lines: string[] = []
  for (const { text, mark } of lessons.toSorted(newestFirst)) {
    const line = quotedLine(text)
    if (mark === 'dropped' || mark === 'retired' || line === '' || isHarmful(text) || seen.has(sameWords(line))) continue
    seen.add(sameWords(line))
    lines.push(`- ${line}`)
  }
  return lines
}

/** Paragraphs and list items, each with the lines that it is wrapped onto. */
const blocksOf = (text: string): string[] =>
  text.split(/\n(?=\s*\r?\n|\s*(?:[-*+]|\d+[.)]|#+)\s)/).map((block) => block.replace(/^\s*(?:[-*+#]+|\d+[.)])\s+/, ''))
