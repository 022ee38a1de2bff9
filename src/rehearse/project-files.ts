/** The project's own files that plays work on: source, tests, and settings, as they are in the last commit; without git, in the folder. */
import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { readIfThere } from '../adapters/files/files.ts'
import type { Git } from '../adapters/git/git.ts'
import { stateFolder } from '../adapters/project/layout.ts'
import { tried } from '../core/failure.ts'
import { isDependency } from '../core/proof/hidden-files.ts'
import { type TestBlock, testBlocks } from '../core/tamper/changed-tests/test-blocks.ts'
import { isCode, isSettings, isSource } from '../core/tamper/code/files.ts'
import { languageOf, testsIn } from '../core/tamper/code/languages.ts'
import { sourceLines, syntaxOf } from '../core/tamper/code/source-lines.ts'

/** `path` is relative to the project's folder. */
export type ProjectFile = { path: string; text: string }
export type TestFile = ProjectFile & { blocks: TestBlock[] }
export type ProjectFiles = { all: ProjectFile[]; sources: ProjectFile[]; tests: TestFile[] }

const isOfUse = (path: string): boolean =>
  isCode(path) || isSettings(path) || /(^|\/)(?:[Mm]akefile|GNUmakefile)$|\.(?:sh|bats)$/.test(path)

/** In a project of nothing else, shell scripts are the code; beside other code they are tools. Those that are named after checks are checks. */
const isShellSource = (path: string): boolean =>
  path.endsWith('.sh') && !/(^|[/_.-])(?:tests?|specs?|checks?)(?=[/_.-])/.test(path)

export async function projectFiles(root: string, git: Git | null): Promise<ProjectFiles> {
  const found = git === null ? inFolder(root) : await committed(root, git)
  const all = found.filter(({ text }) => text.length < mostChars)
  const withText = all.filter(({ text }) => text.trim() !== '')
  const inLanguages = withText.filter(({ path }) => isSource(path) && languageOf(path) !== undefined)
  const sources = inLanguages.length > 0 ? inLanguages : withText.filter(({ path }) => isShellSource(path))
  const tests = all.flatMap((file) => {
    const language = testsIn(file.path)?.language
    if (language === undefined) return []
    const blocks = testBlocks({ path: file.path, lines: sourceLines(file.text, syntaxOf(file.path)), language })
    return blocks.length === 0 ? [] : [{ ...file, blocks }]
  })
  return { all, sources, tests }
}

const mostChars = 300_000
const mostFiles = 5000

async function committed(root: string, git: Git): Promise<ProjectFile[]> {
  const folder = relative(git.top, root)
  const inRoot = (path: string): string | null =>
    folder === '' ? path : path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : null
  const files = await git.committedFiles((path) => isOfUse(path) && inRoot(path) !== null)
  return files.flatMap(({ path, text }) => {
    const own = inRoot(path)
    return own === null ? [] : [{ path: own, text }]
  })
}

function inFolder(root: string): ProjectFile[] {
  const found: ProjectFile[] = []
  const look = (folder: string): void => {
    for (const entry of tried(() => readdirSync(join(root, folder), { withFileTypes: true }), [])) {
      const path = join(folder, entry.name)
      if (found.length > mostFiles || isDependency(path) || join(root, path) === stateFolder(root)) continue
      if (entry.isDirectory()) look(path)
      else if (entry.isFile() && isOfUse(path)) found.push({ path, text: readIfThere(join(root, path)) ?? '' })
    }
  }
  look('')
  return found
}
