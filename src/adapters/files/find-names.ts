/** For the prompt, when an error says that something is missing: the files in its trace, and where the missing names occur. */

import { type ExecFileException, execFile } from 'node:child_process'
import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { tried } from '../../core/failure.ts'
import type { Missing } from '../../core/prompt/missing-information.ts'
import { gitProgram, quietEnv } from '../git/run.ts'
import { STATE_FOLDER } from '../project/layout.ts'
import { readRegular } from './open.ts'

/** Markdown, at most 8 kB. Skips what it cannot read, and never throws. */
export async function missingContext(root: string, found: Missing, env: NodeJS.ProcessEnv): Promise<string> {
  const search = await searcher(root, env)
  const places: string[] = []
  for (const name of found.names) places.push(...sayPlaces(name, await search(name)))
  const names = places.length === 0 ? [] : fitting(['### Where the missing names occur', ...places], mostBytes / 2)
  const excerpts = found.files.map((file) => excerptOf(root, file)).filter((lines) => lines.length > 0)
  const files = excerpts.length === 0 ? [] : ['### Files named in the trace', ...excerpts.flat()]
  return [...fenced(fitting(files, mostBytes - bytesOf(names) - slack)), ...names].join('\n')
}

type FoundAt = { path: string /** absent: the file itself has this name */; line?: number; text?: string }
/** null: the search was cut off before it found anything. */
type Search = (name: string) => Promise<FoundAt[] | null>

const mostBytes = 8 * 1024
const slack = 16
const mostPlaces = 10
const longestLine = 160
const around = 15
const firstLines = 40
const largestFile = 1024 * 1024
const fence = '~~~'

function sayPlaces(name: string, places: FoundAt[] | null): string[] {
  if (places === null) return []
  if (places.length === 0) return [`\`${name}\` occurs nowhere in the project.`]
  return [`\`${name}\`:`, ...places.slice(0, mostPlaces).map(sayPlace)]
}

const sayPlace = ({ path, line, text }: FoundAt): string =>
  line === undefined ? `- the file ${path}` : `- ${path}:${line}: ${(text ?? '').trim().slice(0, longestLine)}`

/** As many whole lines as fit. */
function fitting(lines: string[], bytes: number): string[] {
  let room = bytes
  const end = lines.findIndex((line) => (room -= Buffer.byteLength(line) + 1) < 0)
  return end === -1 ? lines : lines.slice(0, end)
}

const bytesOf = (lines: string[]): number => lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)

/** Closes a block that was cut. */
function fenced(lines: string[]): string[] {
  const isOpen = lines.filter((line) => line.startsWith(fence)).length % 2 === 1
  return isOpen ? [...lines, fence] : lines
}

/** Numbered, so that no line of a file can end the block. */
function excerptOf(root: string, { path, line }: Missing['files'][number]): string[] {
  const text = textOf(root, path)
  if (text === null) return []
  const lines = text.split('\n')
  const first = line === undefined ? 1 : Math.max(1, Math.min(line, lines.length) - around)
  const last = line === undefined ? firstLines : first + 2 * around - 1
  const shown = lines.slice(first - 1, last).map((one, index) => `${first + index} | ${one.slice(0, longestLine)}`.trimEnd())
  return [`\`${path}\`${line === undefined ? '' : `, line ${line}`}:`, `${fence}text`, ...shown, fence]
}

/** null: outside the root (also through a link), not text, too large, or missing. */
function textOf(root: string, path: string): string | null {
  if (isOurs(path)) return null
  try {
    const real = realpathSync(join(root, path))
    if (!real.startsWith(`${realpathSync(root)}/`) || isOurs(real.slice(realpathSync(root).length + 1))) return null
    const stat = statSync(real)
    if (!stat.isFile() || stat.size > largestFile) return null
    const bytes = readRegular(real)
    return bytes.includes(0) ? null : bytes.toString('utf8')
  } catch {
    return null
  }
}

const isOurs = (path: string): boolean => path.split('/').includes(STATE_FOLDER)

/** Git knows which files belong to the project; without git, a limited walk must do. */
async function searcher(root: string, env: NodeJS.ProcessEnv): Promise<Search> {
  const git = (...args: string[]) => gitOutput(root, env, args)
  if ((await git('rev-parse', '--is-inside-work-tree')) === 'true\n') return (name) => gitSearch(git, root, name)
  const paths = pathsUnder(root)
  return async (name) => walkSearch(root, paths, name)
}

type GitOutput = (...args: string[]) => Promise<string | null>

async function gitSearch(git: GitOutput, root: string, name: string): Promise<FoundAt[] | null> {
  const base = name.replaceAll(/[\\*?[\]]/g, '\\$&')
  const notOurs = ':(exclude,glob)**/.ralph/**'
  const called = await git(
    'ls-files',
    '-z',
    '-co',
    '--exclude-standard',
    '--',
    `:(glob)**/${base}`,
    `:(glob)**/${base}.*`,
    notOurs,
  )
  const grep = ['grep', '-z', '-n', '-w', '-F', '-I', '--untracked', '--no-color', '-e', name, '--', '.', notOurs]
  const lines = await git('-c', 'grep.fullName=false', '-c', 'grep.column=false', ...grep)
  const files = (called ?? '').split('\0').filter((path) => path !== '' && exists(join(root, path)))
  const named = [...new Set(files)].slice(0, mostPlaces / 2).map((path): FoundAt => ({ path }))
  return lines === null && named.length === 0 ? null : [...named, ...(lines ?? '').split('\n').flatMap(placeIn)]
}

/** `<path>`, zero, `<line>`, zero, `<text>`. The last one may be cut. */
function placeIn(text: string): FoundAt[] {
  const [path, line, ...rest] = text.split('\0')
  return path === undefined || rest.length === 0 ? [] : [{ path, line: Number(line), text: rest.join('') }]
}

/** Git's output, or as much as needed; null if git is missing, fails, or takes too long. */
function gitOutput(cwd: string, env: NodeJS.ProcessEnv, args: string[]): Promise<string | null> {
  const options = { cwd, env: { ...quietEnv(env), LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0' }, maxBuffer: 256 * 1024, timeout: 20_000 }
  return new Promise((resolve) => {
    try {
      // grep exits with 1 when it finds nothing.
      const isAnswer = (error: ExecFileException | null) =>
        error === null || error.code === 1 || String(error.code) === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER'
      execFile(gitProgram(env), args, options, (error, out) => resolve(isAnswer(error) ? out : null))
    } catch {
      resolve(null)
    }
  })
}

const mostWalked = 5000
const mostRead = 20 * 1024 * 1024
const skipped = new Set(['node_modules', '.git', STATE_FOLDER, '.venv', 'venv', 'dist', 'build', 'target', '__pycache__'])

function pathsUnder(root: string): string[] {
  const paths: string[] = []
  const folders = ['']
  for (let folder = folders.shift(); folder !== undefined && paths.length < mostWalked; folder = folders.shift()) {
    for (const entry of entriesOf(join(root, folder))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (skipped.has(entry.name) || entry.name.startsWith('.env')) continue
      if (entry.isDirectory()) folders.push(path)
      else if (entry.isFile()) paths.push(path)
    }
  }
  return paths.slice(0, mostWalked)
}

function walkSearch(root: string, paths: string[], name: string): FoundAt[] | null {
  const isCalledSo = (path: string): boolean => `${path.split('/').at(-1)}.`.startsWith(`${name}.`)
  const word = new RegExp(`(?<!\\w)${name.replace(/[^\w]/g, '\\$&')}(?!\\w)`)
  const places = paths
    .filter(isCalledSo)
    .slice(0, mostPlaces / 2)
    .map((path): FoundAt => ({ path }))
  let read = 0
  for (const path of paths) {
    if (places.length >= mostPlaces || read > mostRead) break
    const text = textOf(root, path) ?? ''
    read += text.length
    if (!text.includes(name)) continue
    for (const [index, line] of text.split('\n').entries())
      if (word.test(line)) places.push({ path, line: index + 1, text: line })
  }
  const isWhole = read <= mostRead && paths.length < mostWalked
  return places.length > 0 || isWhole ? places : null
}

const exists = (path: string): boolean => tried(() => lstatSync(path).isFile(), false)

const entriesOf = (folder: string) =>
  tried(() => readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1)), [])
