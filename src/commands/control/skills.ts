/** `ralph skills`: puts the skills with which agents drive Ralph where an agent of this project looks for them, and takes them away again. */
import { createHash } from 'node:crypto'
import { readdirSync, rmdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { realAgentNames, skillsFolder } from '../../adapters/agents/list.ts'
import { sharedSkills } from '../../adapters/agents/shared/choice.ts'
import { readIfThere } from '../../adapters/files/files.ts'
import { type Sectioned, withoutSection, withSection } from '../../adapters/files/marked-section.ts'
import { editFile, notesFile } from '../../adapters/project/edit-files.ts'
import { shippedPath } from '../../adapters/project/templates.ts'
import { EXIT, Failure, tried } from '../../core/failure.ts'
import { didYouMean } from '../../core/text/nearest.ts'
import type { Io } from '../../io.ts'
import { projectRoot, settingsOf } from '../../run/project.ts'

const actions = ['show', 'install', 'remove'] as const
type Action = (typeof actions)[number]

export async function runSkills(args: { action?: string; agent?: string }, io: Io): Promise<number> {
  const action = actions.find((known) => known === (args.action ?? 'show'))
  if (action === undefined)
    throw new Failure(
      EXIT.usage,
      `Unknown action "${args.action}". Use ralph skills to see what is there, ralph skills install or ralph skills remove.`,
    )
  const { root, home } = projectRoot(io)
  const names = args.agent?.split(',').map((name) => name.trim()) ?? [await usualAgent({ root, home }, io)]
  const folders = new Set(names.map(folderFor)) // many agents share one
  const done = [...folders].flatMap((folder) => shippedSkills().map((skill) => withSkill(action, { root, folder, skill })))
  if (names.includes(others)) done.push(withNotes(action, root))
  for (const { path, words } of done) io.out(`${path}: ${words}\n`)
  if (done.some(({ isRefused }) => isRefused)) return EXIT.data
  if (action === 'install') io.out('Commit them to share them. New sessions of your agent have them.\n')
  return 0
}

async function usualAgent(place: { root: string; home: string }, io: Io): Promise<string> {
  const { settings } = await settingsOf(io, place)
  const name = typeof settings.agent === 'string' ? settings.agent : settings.agent.name
  return skillsFolder(name) === undefined ? others : name
}

/** Agents that Ralph does not know, and that may know nothing of skills: AGENTS.md names them. */
const others = 'other'

function folderFor(agent: string): string {
  const folder = agent === others ? sharedSkills : skillsFolder(agent)
  if (folder !== undefined) return folder
  const known = [...realAgentNames, others]
  throw new Failure(EXIT.usage, `Unknown agent "${agent}": use one of ${known.join(', ')}.${didYouMean(agent, known)}`)
}

type Skill = { name: string; description: string; text: string }

function shippedSkills(): Skill[] {
  const folder = shippedPath('plugins/ralph/skills')
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const text = readIfThere(join(folder, name, 'SKILL.md')) ?? ''
      return { name, description: /^description: (.*)$/m.exec(text)?.[1] ?? '', text }
    })
}

type Done = { path: string; words: string; isRefused?: boolean }

/** A file without our mark, or changed since, is somebody's own. */
function withSkill(action: Action, { root, folder, skill }: { root: string; folder: string; skill: Skill }): Done {
  const path = `${folder}/${skill.name}/SKILL.md`
  const marked = withMark(skill.text)
  let words = ''
  const { problem } = editFile(root, path, (old) => {
    const isOwn = old !== null && !hasMark(old)
    words = isOwn ? ownWords[action] : wordsFor(action, old, marked)
    if (isOwn && action !== 'show') return { ok: false, problem: ownWords[action] }
    return { ok: true, text: action === 'install' ? marked : action === 'remove' ? '' : (old ?? '') }
  })
  if (problem !== undefined) return { path, words: problem.replace(`${path} `, ''), isRefused: true }
  if (action === 'remove') removeEmpty(root, dirname(path))
  return { path, words }
}

const ownWords: Record<Action, string> = {
  show: 'not from Ralph, or changed by you',
  install: 'is not from Ralph, or you changed it: left alone. To get the one of this version, move it away and install again.',
  remove: 'is not from Ralph, or you changed it: left alone. Delete it yourself if you want.',
}

function wordsFor(action: Action, old: string | null, marked: string): string {
  const isSame = old?.replaceAll('\r\n', '\n') === marked
  if (action === 'install') return old === null ? 'installed' : isSame ? 'up to date' : 'updated'
  if (old === null) return 'not installed'
  if (action === 'remove') return 'removed'
  return isSame ? 'installed' : 'installed by another version; update with: ralph skills install'
}

/** In a section of its own, beside whatever people wrote. */
function withNotes(action: Action, root: string): Done {
  const path = notesFile(root, 'AGENTS.md')
  const items = shippedSkills().map(({ name, description }) => `- \`${sharedSkills}/${name}/SKILL.md\`: ${description}`)
  const body = ['## Ralph', '', notesHead, '', ...items].join('\n')
  let isChanged = false
  const { problem } = editFile(root, path, (old): Sectioned => {
    const section = action === 'remove' ? withoutSection(old ?? '', sectionName) : withSection(old, sectionName, body)
    isChanged = section.ok && section.text !== (old ?? '')
    return action === 'show' ? { ok: true, text: old ?? '' } : section
  })
  if (problem !== undefined) return { path, words: problem.replace(`${path} `, ''), isRefused: true }
  const words: Record<Action, string> = {
    show: isChanged ? 'does not name the skills of this version' : 'names the skills',
    install: isChanged ? 'names the skills now' : 'up to date',
    remove: isChanged ? 'section removed' : 'has no such section',
  }
  return { path, words: words[action] }
}

const sectionName = 'drive'
const notesHead =
  'If Ralph started you (RALPH_RUN is set), ignore this section. Otherwise read a file before you do what it is for.'

const withMark = (text: string): string =>
  `${text}\n<!-- From "ralph skills install" (${hashOf(text)}). Ralph leaves this file alone once you change it. -->\n`

/** What Ralph wrote, whichever version, and nobody has changed. */
function hasMark(text: string): boolean {
  const unified = text.replaceAll('\r\n', '\n') // git may have written it so
  const mark = /\n<!-- From "ralph skills install" \(([0-9a-f]{16})\)\.[^\n]*-->\n$/.exec(unified)
  return mark !== null && mark[1] === hashOf(unified.slice(0, mark.index))
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

/** The folder and those above it, up to the project's. */
function removeEmpty(root: string, folder: string): void {
  if (folder === '.') return
  const isGone = tried(() => {
    rmdirSync(join(root, folder))
    return true
  }, false)
  if (isGone) removeEmpty(root, dirname(folder))
}
