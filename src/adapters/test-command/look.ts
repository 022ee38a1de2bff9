/** What the search for a test command may look at: names and texts of files in one folder. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { tried } from '../../core/failure.ts'
import { readIfThere } from '../files/files.ts'

export type TestCommand = { command: string /** where it was found */; from: string }

export type ProjectLook = {
  has(name: string): boolean
  /** Empty: there is no such file, or no name. */
  text(name: string | undefined): string
  /** The first of these that is there. */
  first(...names: string[]): string | undefined
  names(folder: string): string[]
  /** The name of an entry of a folder ('' is the project's own) that fits. */
  entry(folder: string, like: RegExp): string | undefined
  /** The same in this folder and the folders in it, two levels deep, as a path. */
  below(folder: string, like: RegExp): string | undefined
}

/** Finds one kind of set-up. */
export type Finder = (look: ProjectLook) => TestCommand | undefined

export function lookInto(root: string): ProjectLook {
  const entries = (folder: string): string[] => tried(() => readdirSync(join(root, folder)).sort(), [])
  const has = (name: string): boolean => existsSync(join(root, name))
  const below = (folder: string, like: RegExp, depth = 2): string | undefined => {
    const inside = entries(folder)
    const name = inside.find((entry) => like.test(entry))
    if (name !== undefined) return join(folder, name)
    if (depth === 0) return undefined
    for (const entry of inside) {
      if (/^\.|\.\w+$|^(?:node_modules|vendor|target|build|dist)$/.test(entry)) continue
      const found = below(join(folder, entry), like, depth - 1)
      if (found !== undefined) return found
    }
    return undefined
  }
  return {
    has,
    text: (name) => (name === undefined ? '' : tried(() => readIfThere(join(root, name)) ?? '', '')),
    first: (...names) => names.find(has),
    names: entries,
    entry: (folder, like) => entries(folder).find((name) => like.test(name)),
    below: (folder, like) => below(folder, like),
  }
}

/** `command` where `from` is there. */
export const where = (from: string | undefined, command: string): TestCommand | undefined =>
  from === undefined ? undefined : { command, from }
