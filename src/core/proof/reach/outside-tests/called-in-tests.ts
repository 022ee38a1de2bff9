/** Which calls tests make with values that they write out, and what they expect: the same calls can be made where no test runs. */
import { testBlocks } from '../../../tamper/changed-tests/test-blocks.ts'
import { languageOf } from '../../../tamper/code/languages.ts'
import { codeInPlace, sourceLines, syntaxOf } from '../../../tamper/code/source-lines.ts'
import { callsInJavaScript, importsInJavaScript } from './javascript.ts'
import { callsInPython, importsInPython } from './python.ts'
import type { Imported, TestedBlock, TestedCall } from './tested-call.ts'

export type SourceLanguage = 'javascript' | 'python'

type Dialect = {
  files: RegExp
  /** Whatever prepares something, or replaces it: outside of the tests it would be missing. */
  prepares: RegExp
  imports: (text: string) => Record<string, Imported>
  /** null: the test does something else too. */
  calls: (body: string) => TestedCall[] | null
}

const dialects: Record<SourceLanguage, Dialect> = {
  javascript: {
    files: /\.[cm]?[jt]sx?$/,
    prepares:
      /\b(?:before|after)(?:Each|All)?\s*\(|\b(?:suite)?(?:setup|teardown)\s*\(|\b(?:mock|vi|jest|sinon|nock|td|tk)\.|\bproxyquire\b|\bprocess\.(?:env|chdir|argv)\b|\bglobal(?:This)?\.|FakeTimers/i,
    imports: importsInJavaScript,
    calls: callsInJavaScript,
  },
  python: {
    files: /\.py$/,
    prepares: /\bmonkeypatch\b|\bmock\b|\bpatch\b|\bset_?up\w*\b|\btear_?down\w*\b|\bautouse\b|\benviron\b|\bfreez|\bfixture\b/i,
    imports: importsInPython,
    calls: callsInPython,
  },
}

const languages: SourceLanguage[] = ['javascript', 'python']
const most = 12

export const languageOfCalls = (path: string): SourceLanguage | undefined =>
  languages.find((language) => dialects[language].files.test(path))

/** What names of the project's own code stand for in a test file of this language. */
export const importsIn = (path: string, text: string, language: SourceLanguage): Record<string, Imported> =>
  dialects[language].files.test(path) ? dialects[language].imports(text) : {}

/** The file that a call in a test goes to, as its import says. `sources`: those of the project. */
export function sourceOf({ file, imports }: TestedBlock, { name }: TestedCall, sources: string[]): string {
  const { module = '', member = '' } = imports[name.split('.')[0] ?? ''] ?? {}
  const paths = module.startsWith('.') && !file.endsWith('.py') ? [joined(file, module)] : inPackages(module, member)
  return sources.find((path) => paths.some((wanted) => path === wanted || stem(path) === stem(wanted))) ?? file
}

/** `a.js` in an import may be `a.ts`. */
const stem = (path: string): string => path.replace(/\.(?:[cm]?[jt]sx?|py)$/, '')

const inPackages = (module: string, member: string): string[] =>
  [module, `${module}.${member}`, `${module}.__init__`].flatMap((dotted) =>
    ['', 'src/', 'lib/'].map((folder) => `${folder}${dotted.replaceAll('.', '/')}`),
  )

/** Relative to the folder of a file. */
function joined(file: string, way: string): string {
  const parts = file.split('/').slice(0, -1)
  for (const part of way.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.') parts.push(part)
  }
  return parts.join('/')
}

/** Of test files that prepare nothing. */
export function testedBlocks(files: { path: string; text: string }[], language: SourceLanguage): TestedBlock[] {
  const { files: own, prepares, imports, calls } = dialects[language]
  return files
    .filter(({ path, text }) => own.test(path) && !prepares.test(codeInPlace(text, syntaxOf(path))))
    .flatMap(({ path, text }): TestedBlock[] => {
      const known = languageOf(path)
      if (known === undefined) return []
      const names = imports(text)
      return testBlocks({ path, lines: sourceLines(text, syntaxOf(path)), language: known }).flatMap((block) => {
        const found = calls(block.lines.map(({ bare }) => bare).join('\n'))
        const isOwn = found?.every(({ name }) => names[name.split('.')[0] ?? ''] !== undefined)
        return found === null || found.length === 0 || !isOwn
          ? []
          : [{ test: block.name, file: path, line: block.at, imports: names, calls: found }]
      })
    })
    .slice(0, most)
}
