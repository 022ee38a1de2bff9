/** Skills and notes in the project's own files: Ralph writes between its markers, and leaves what people wrote. */
import { join } from 'node:path'
import type { Lesson } from '../../core/learning/learning.ts'
import { newestFirst } from '../../core/learning/skills/group-lessons.ts'
import { isHarmful, quotedLine } from '../../core/learning/skills/quoted.ts'
import { skillName } from '../../core/learning/skills/skill-file.ts'
import { sameWords } from '../../core/learning/skills/words.ts'
import { hasSection, htmlComment, type Sectioned, withoutSection, withSection, yamlComment } from '../files/marked-section.ts'
import { editFile, isThere, notesFile } from '../project/edit-files.ts'

/** Paths are relative to the project. If there is a problem, nothing was changed. */
export type SkillWritten = { path: string; problem?: string }

/** `text` as skillText gives it. */
export function writeSkill(root: string, category: string, text: string): SkillWritten & { isNew: boolean } {
  const path = skillPath(category)
  const isNew = !isThere(join(root, path))
  return { path, isNew, ...editFile(root, path, (old) => skillFile(old, text)) }
}

/** For agents that do not load skills. `when`: from skillDescription. An empty list removes the section. */
export function writeAgentsSection(root: string, skills: { path: string; when: string }[]): SkillWritten {
  const path = notesFile(root, 'AGENTS.md')
  const items = skills.map(({ path, when }) => `- \`${path}\`: ${quotedLine(when, 1024)}`)
  const head = ['## Learned skills', '', 'Lessons from earlier stories. Read a file before you work on its topic.', '']
  return { path, ...editFile(root, path, section('skills', head, items)) }
}

/** Only in CLAUDE.md if it exists, otherwise in AGENTS.md. */
export function writePatterns(root: string, lessons: Lesson[]): SkillWritten {
  const path = notesFile(root, isThere(join(root, 'CLAUDE.md')) ? 'CLAUDE.md' : 'AGENTS.md')
  const head = [
    '## Discovered patterns',
    '',
    'Learned from finished stories; written by Ralph. Write your own notes outside the markers.',
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

/** The file stays under a name that nobody loads; `because` is a sentence without its full stop. */
export function retireSkill(root: string, category: string, because: string): SkillWritten {
  const path = skillPath(category)
  const retired = freeName(root, `${path}.retired`)
  const note = htmlComment(`Retired by Ralph: ${quotedLine(because)}. To use it again, rename this file to SKILL.md.`)
  const { problem } = editFile(root, path, (old) => {
    if (old === null) return { ok: false, problem: 'does not exist: nothing was retired.' }
    if (!hasSection(old, 'skill'))
      return { ok: false, problem: 'was not written by Ralph and stays in use. Remove it yourself if you want.' }
    return { ok: true, text: '', copy: { path: retired, text: `${old}${old.endsWith('\n') ? '' : '\n'}\n${note}\n` } }
  })
  return problem === undefined ? { path: retired } : { path, problem }
}

/** Keeps one that was retired earlier too. */
function freeName(root: string, path: string): string {
  let name = path
  for (let number = 2; isThere(join(root, name)); number++) name = `${path}-${number}`
  return name
}

const mostLines = 40

const skillPath = (category: string): string => `.claude/skills/${skillName(category)}/SKILL.md`

/** Front matter must come first in the file, so it has its own markers inside. One without markers is a person's, and stays. */
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

/** A key that a person set outside the markers stays theirs: a duplicate key would be an error. */
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

/** How a file changes when it gets this section, or loses it if there is nothing to write. */
const section =
  (name: string, head: string[], items: string[]) =>
  (old: string | null): Sectioned =>
    items.length === 0 ? withoutSection(old ?? '', name) : withSection(old, name, [...head, ...items].join('\n'))

/** Newest first, each once, without what people have written down themselves. */
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
