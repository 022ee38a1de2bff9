/** Hooks that are files of the project (core.hooksPath): a story may change them, but Ralph's commits run them as they were when the run began. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { tried } from '../../core/failure.ts'
import { readIfThere } from '../files/files.ts'
import { readRegular } from '../files/open.ts'
import type { RunGit } from './run.ts'

export type ProjectHooks = {
  /** For a commit in this work tree: a folder in its git directory with the original hooks, and the names of changed ones. null: none changed. */
  asBegun(where: { top: string; dir: string }): { from: string; changed: string[] } | null
  /** Those that git runs in this work tree now. */
  runIn(top: string): string[]
}

/** A folder with more files is not a hooks folder. */
const mostFiles = 500

/** null: the hooks are not in the project. */
export async function keepProjectHooks(run: RunGit, top: string, dir: string): Promise<ProjectHooks | null> {
  const { out } = await run(['config', '--show-scope', '--type=path', '-z', '--get-all', 'core.hooksPath'])
  const fields = out.toString().split('\0')
  const values = fields.filter((_, at) => at % 2 === 1 && fields[at - 1] !== 'command') // that one is our own
  const path = values.at(-1) ?? ''
  if (path === '') return null
  const way = relative(top, resolve(top, path))
  if (way === '' || way.startsWith('..') || isAbsolute(way) || !relative(dir, resolve(top, path)).startsWith('..')) return null
  // The file that husky sets there calls scripts one folder above.
  const folder = basename(way) === '_' && dirname(way) !== '.' ? dirname(way) : way
  const begun = filesIn(join(top, folder))
  if (begun === null) return null
  return {
    runIn: (at) => hooksIn(join(at, way)),
    asBegun(where) {
      const now = existsSync(join(where.top, way)) ? filesIn(join(where.top, folder)) : null
      if (now === null) return null // nothing runs
      const names = [...new Set([...begun.keys(), ...now.keys()])].filter((name) => begun.get(name)?.key !== now.get(name)?.key)
      if (names.length === 0) return null
      const copies = join(where.dir, 'ralph-hooks') // written each time, because others can write there too
      rmSync(copies, { recursive: true, force: true })
      mkdirSync(join(copies, relative(folder, way)), { recursive: true })
      for (const [name, file] of begun) writeTo(join(copies, name), file)
      return { from: join(copies, relative(folder, way)), changed: names.map((name) => join(folder, name)) }
    },
  }
}

/** By their names, as far as git may start them. */
export const hooksIn = (folder: string): string[] =>
  tried(() => readdirSync(folder), []).filter((name) => {
    const stat = statSync(join(folder, name), { throwIfNoEntry: false })
    return stat?.isFile() === true && (stat.mode & 0o111) !== 0
  })

/** Where projects keep hooks that a script of theirs installs. */
const homes = [
  '',
  '.githooks',
  'githooks',
  'git-hooks',
  '.hooks',
  'hooks',
  'scripts',
  'scripts/hooks',
  'scripts/git-hooks',
  'tools',
  'tools/hooks',
  'dev',
  'bin',
]

/** A hook of the repository that is the copy of a file of the project, or a link to one. `content`: as `.git/hooks` has it, a link with an arrow. */
export function isProjectHook(top: string, name: string, content: string): boolean {
  const link = /^→ (?:\.\.\/\.\.\/)?([^\n]+)\n$/.exec(content)?.[1]
  const files = homes.flatMap((home) => ['', '.sh'].map((ending) => join(home, basename(name) + ending)))
  if (link !== undefined) return files.includes(relative(top, resolve(top, link)))
  return files.some((file) => readIfThere(join(top, file)) === content)
}

type Kept = { key: string; mode: number; content: Buffer; link?: string }

/** Relative to the folder. null: too many. */
function filesIn(folder: string): Map<string, Kept> | null {
  const names = lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()
    ? (readdirSync(folder, { recursive: true }) as string[])
    : []
  if (names.length > mostFiles) return null
  const files = new Map<string, Kept>()
  for (const name of names) {
    const stat = lstatSync(join(folder, name), { throwIfNoEntry: false })
    if (stat?.isSymbolicLink()) {
      const link = readlinkSync(join(folder, name))
      files.set(name, { key: `→ ${link}`, mode: 0, content: Buffer.alloc(0), link })
    } else if (stat?.isFile()) {
      const content = readRegular(join(folder, name))
      files.set(name, { key: `${stat.mode & 0o111} ${content.toString('base64')}`, mode: stat.mode & 0o777, content })
    }
  }
  return files
}

function writeTo(path: string, { mode, content, link }: Kept): void {
  mkdirSync(dirname(path), { recursive: true })
  if (link !== undefined) return symlinkSync(link, path)
  writeFileSync(path, content)
  chmodSync(path, mode)
}
