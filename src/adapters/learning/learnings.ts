/** The learnings of a project: one YAML file each in the feature's folder, which people may read, mark and edit. */

import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Document, YAMLMap } from 'yaml'
import { compare } from '../../core/learning/choose.ts'
import type { Lesson, Mark, StoryLearnings } from '../../core/learning/learning.ts'
import { failureText, lessonsOf } from '../../core/learning/lessons.ts'
import { editedText, storedLearning } from '../../core/learning/read.ts'
import { oneLine, shortened, slugOf } from '../../core/learning/text.ts'
import { epochMs, instantOf } from '../../core/text/time.ts'
import type { Instant } from '../../core/types.ts'
import { isMissing, readIfThere, replaceFile } from '../files/files.ts'
import { listFeatures } from '../project/find.ts'
import { archiveFolder, featureLabel, learningsFolder } from '../project/layout.ts'
import { parsedDocument } from './text.ts'

/** `dir` is the feature's folder. Returns the path of the new file; one with the same timestamp is from a call that a kill cut short, and is replaced. */
export function writeLearning(dir: string, learning: StoryLearnings, mask: (text: string) => string): string {
  const stamp = stampOf(learning.timestamp)
  const base = join(learningsFolder(dir), `learning-${fileNameOf(learning.task_id)}-${stamp}`)
  for (let n = 1; ; n++) {
    const path = n === 1 ? `${base}.yaml` : `${base}-${n}.yaml`
    const before = readIfThere(path)
    if (before !== null && !before.startsWith(`${headOf(learning).join('\n')}\n`)) continue
    replaceFile(path, yamlOf(learning, mask))
    return path
  }
}

const headOf = (learning: StoryLearnings): string[] => [
  '---',
  ...(['task_id', 'outcome', 'timestamp'] as const).map((key) => `${key}: ${JSON.stringify(learning[key])}`),
]

/** `file`: from the project root. */
export type StoredLearning = { feature: string; file: string; learning: StoryLearnings }

/** Of all features and the archive, newest first. Unreadable ones are named and skipped. */
export async function readLearnings(root: string): Promise<{ learnings: StoredLearning[]; problems: string[] }> {
  const { files, problems } = filesIn(root)
  const learnings: StoredLearning[] = []
  for (const { feature, file } of files) {
    const opened = await openFile(root, file)
    const reading = opened.ok ? storedLearning(opened.value) : opened
    if (reading.ok) {
      learnings.push({ feature, file, learning: reading.learning })
      problems.push(...reading.flagged.map((flag) => `${file}: ${flag}`))
    } else problems.push(`${file}: ${reading.problem} It is ignored: fix it or delete it.`)
  }
  return { learnings, problems }
}

/** How many stories were learned from since a time; '': ever. */
export const learnedSince = (root: string, at: Instant | ''): number =>
  filesIn(root).files.filter(({ time }) => at === '' || time > stampOf(at)).length

/** Marks the lesson wherever it was learned; undefined removes a mark. Returns the files with the lesson. */
export async function markLesson(root: string, id: string, mark: Mark | undefined): Promise<string[]> {
  return changeEntries(root, id, ({ set }) => set('mark', mark))
}

/** The lesson then has another id: with other words it must prove itself again. */
export async function editLesson(
  root: string,
  id: string,
  text: string,
): Promise<{ ok: true; id: string; files: string[] } | { ok: false; problem: string }> {
  const edited = editedText(text)
  if (!edited.ok) return edited
  let newId = id
  const files = await changeEntries(root, id, ({ learning, lesson, set }) => {
    const failure = learning()?.failures[0]
    if (failure !== undefined) {
      const start = failureText(failure.pattern, '')
      const isSameStart = start !== '' && edited.text.startsWith(start)
      if (!isSameStart) set('pattern', undefined)
      set('lesson', isSameStart ? edited.text.slice(start.length) : edited.text)
    } else set(lesson()?.kind === 'discovery' ? 'description' : 'pattern', edited.text)
    newId = lesson()?.id ?? id
  })
  if (files.length === 0) return { ok: false, problem: `No lesson ${id}. See them all with: ralph learn` }
  return { ok: true, id: newId, files }
}

const stampOf = (at: Instant): string => instantOf(epochMs(at)).slice(0, 19).replace(/[-:]/g, '').replace('T', '-')

/** An id may contain anything; a file name has letters, digits and a few signs, and starts with none of those signs. */
const fileNameOf = (story: string): string =>
  story
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '')
    .slice(0, 60) || 'story'

function yamlOf(learning: StoryLearnings, mask: (text: string) => string): string {
  const text = (value: string): string => JSON.stringify(shortened(oneLine(mask(value)))) // as YAML wants it
  const rest = ({ category, mark }: { category: string; mark?: Mark }): string[] => [
    `category: ${JSON.stringify(slugOf(mask(category)))}`,
    ...(mark === undefined ? [] : [`mark: ${JSON.stringify(mark)}`]),
  ]
  const list = (name: string, entries: string[][]): string[] =>
    entries.length === 0 ? [`${name}: []`] : [`${name}:`, ...entries.map((lines) => `  - ${lines.join('\n    ')}`)]
  return [
    ...headOf(learning),
    ...list(
      'successes',
      learning.successes.map((entry) => [`pattern: ${text(entry.pattern)}`, ...rest(entry), `reusable: ${entry.reusable}`]),
    ),
    ...list(
      'failures',
      learning.failures.map((entry) => [`pattern: ${text(entry.pattern)}`, `lesson: ${text(entry.lesson)}`, ...rest(entry)]),
    ),
    ...list(
      'discoveries',
      learning.discoveries.map((entry) => [`description: ${text(entry.description)}`, ...rest(entry)]),
    ),
    '',
  ].join('\n')
}

type LearningFile = { feature: string; file: string; time: string }

const mostFiles = 500

/** The time in its name says how new a file is: in a fresh clone all files have the same date. */
function filesIn(root: string): { files: LearningFile[]; problems: string[] } {
  const problems: string[] = []
  const folders = [
    ...listFeatures(root).map((feature) => ({ feature, folder: learningsFolder(featureLabel(feature)) })),
    ...namesIn(root, archiveFolder(''), problems).map((name) => ({
      feature: name.replace(/^\d{4}-\d\d-\d\d-(?=.)/, ''),
      folder: learningsFolder(join(archiveFolder(''), name)),
    })),
  ]
  const files = folders.flatMap(({ feature, folder }) =>
    namesIn(root, folder, problems)
      .filter((name) => /^[^.].*\.ya?ml$/.test(name))
      .map((name) => ({ feature, file: `${folder}/${name}`, time: /(\d{8}-\d{6})(?:-\d+)?\.ya?ml$/.exec(name)?.[1] ?? '' })),
  )
  files.sort((a, b) => compare(b.time, a.time) || compare(a.file, b.file))
  if (files.length > mostFiles) problems.push(`There are ${files.length} learnings: only the newest ${mostFiles} are read.`)
  return { files: files.slice(0, mostFiles), problems }
}

function namesIn(root: string, folder: string, problems: string[]): string[] {
  try {
    return readdirSync(join(root, folder)).sort()
  } catch (error) {
    if (!isMissing(error)) problems.push(`${folder} cannot be read: ${(error as Error).message}`)
    return []
  }
}

async function openFile(root: string, file: string): Promise<Awaited<ReturnType<typeof parsedDocument>>> {
  try {
    const stat = lstatSync(join(root, file))
    if (!stat.isFile()) return { ok: false, problem: 'It is not an ordinary file.' } // a pipe would never end
    if (stat.size > mostBytes) return { ok: false, problem: `It has ${stat.size} bytes; at most ${mostBytes} are read.` }
    return await parsedDocument(readIfThere(join(root, file)) ?? '')
  } catch (error) {
    return { ok: false, problem: `It cannot be read: ${(error as Error).message}.` }
  }
}

const mostBytes = 256_000

/** An entry in its document, as it is now. */
type LearningEntry = {
  /** From the entry alone; undefined: not a valid one. */
  learning(): StoryLearnings | undefined
  lesson(): Lesson | undefined
  /** undefined removes the key. */
  set(key: string, text: string | undefined): void
}

/** Changes every entry with that lesson in place, keeping comments and layout. */
async function changeEntries(root: string, id: string, change: (entry: LearningEntry) => void): Promise<string[]> {
  const changed: string[] = []
  for (const { file, feature } of filesIn(root).files) {
    const opened = await openFile(root, file)
    const entries = opened.ok ? await entriesIn(opened.document, { feature, file }) : []
    const found = entries.filter((entry) => entry.lesson()?.id === id)
    if (!opened.ok || found.length === 0) continue
    for (const entry of found) change(entry)
    replaceFile(join(root, file), opened.document.toString({ lineWidth: 0 }))
    changed.push(file)
  }
  return changed
}

async function entriesIn(document: Document, source: { feature: string; file: string }): Promise<LearningEntry[]> {
  const { isMap, isSeq, isScalar } = await import('yaml')
  const { contents } = document
  if (!isMap(contents)) return []
  const head = { task_id: contents.get('task_id'), outcome: contents.get('outcome'), timestamp: contents.get('timestamp') }
  const entryAt = (list: string, map: YAMLMap): LearningEntry => {
    const learning = () => {
      const reading = storedLearning({ ...head, [list]: [map.toJS(document)] })
      return reading.ok ? reading.learning : undefined
    }
    return {
      learning,
      lesson: () => [learning()].flatMap((alone) => (alone === undefined ? [] : lessonsOf(alone, source)))[0],
      set(key, text) {
        const node = map.get(key, true) ?? document.createNode('')
        if (text === undefined) map.delete(key)
        else if (isScalar(node)) map.set(key, Object.assign(node, { value: text, type: 'QUOTE_DOUBLE' }))
      },
    }
  }
  return ['successes', 'failures', 'discoveries'].flatMap((list) => {
    const items = contents.get(list)
    return isSeq(items) ? items.items.filter(isMap).map((map) => entryAt(list, map)) : []
  })
}
