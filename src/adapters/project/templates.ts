/** Prompt templates: the project's, the user's, and those that come with Ralph. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { EXIT, Failure } from '../../core/failure.ts'
import { didYouMean } from '../../core/text/nearest.ts'
import { readIfThere } from '../files/files.ts'
import { projectTemplates } from './layout.ts'

/** The first that exists: the project's, the user's, the shipped one. `exit` says whose mistake an unknown name is: a flag's or a file's. */
export function templatePath(root: string, home: string, name: string, exit: number = EXIT.config): string {
  const folders = ownFolders(root, home)
  const isPlain = /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)
  const paths = [...folders.map((folder) => join(folder, `${name}.md`)), shippedPath(`templates/prompt-${name}.md`)]
  const found = isPlain ? paths.find((path) => existsSync(path)) : undefined
  if (found !== undefined) return found
  const names = [...new Set([...folders.flatMap(namesIn), ...shippedNames()])].filter((each) => !isOfAnotherRole(each)).sort()
  throw new Failure(exit, `No prompt template "${name}".${didYouMean(name, names)} Templates: ${names.join(', ')}`)
}

const roles = ['review-spec', 'review-quality', 'review-final', 'learner', 'skill'] as const
export type RoleTemplate = (typeof roles)[number]

/** What reviewers and learners are told: the user's file comes before Ralph's. Read once, because an implementer can write to the project's. */
export function roleTemplates(root: string, home: string): Record<RoleTemplate, string> {
  const textOf = (name: RoleTemplate): string => {
    const own = ownFolders(root, home).map((folder) => join(folder, `${name}.md`))
    return readIfThere(own.find((path) => existsSync(path)) ?? shippedPath(`templates/${name}.md`)) ?? ''
  }
  return Object.fromEntries(roles.map((name) => [name, textOf(name)])) as Record<RoleTemplate, string>
}

/** A file that comes with Ralph: next to dist/ in a build, next to src/ from source. */
export function shippedPath(path: string): string {
  const above = (up: string): string => fileURLToPath(new URL(`${up}/${path}`, import.meta.url))
  return above(['..', '../..', '../../..'].find((up) => existsSync(above(up))) ?? '..')
}

/** The project's and the user's, which agents must not change. */
export const ownTemplates = (root: string, home: string): string[] =>
  ownFolders(root, home).flatMap((folder) => namesIn(folder).map((name) => join(folder, `${name}.md`)))

const ownFolders = (root: string, home: string): string[] => [projectTemplates(root), join(home, 'templates')]

const namesIn = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).flatMap((file) => /^(.+)\.md$/.exec(file)?.[1] ?? []) : []

const isOfAnotherRole = (name: string): boolean => roles.some((role) => role === name)

const shippedNames = (): string[] =>
  namesIn(shippedPath('templates')).flatMap((name) => (name.startsWith('prompt-') ? [name.slice('prompt-'.length)] : []))
