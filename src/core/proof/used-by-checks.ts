/** Files that only checks use, wherever they are: data that tests read, helpers that compare for them, what the script of a gate loads. */

import { stemOf } from '../tamper/changed-tests/matched-tests.ts'
import { isCode } from '../tamper/code/files.ts'
import { bodyOf, headersIn } from '../tamper/code/functions.ts'
import { isTestFile } from '../tamper/code/languages.ts'
import { sourceLines, syntaxOf } from '../tamper/code/source-lines.ts'
import { inPattern } from '../text/escape.ts'

export type TextFile = { path: string; text: string }

/** `checks`: tests, and the files that gates run; `sources`: all other code, read only if a check uses one of the candidates. */
export type Users = { checks: TextFile[]; gates: TextFile[]; sources: () => Promise<TextFile[]> }

/** May be one, by its path: asked before anything is read. */
export const mayBeUsed = (path: string): boolean =>
  !notOfChecks.test(path) && (isData(path) || isCode(path) || isSourced(path) || tools.test(path))

export async function usedByChecks(candidates: TextFile[], { checks, gates, sources }: Users): Promise<string[]> {
  const isUsed = (one: TextFile): boolean =>
    (isData(one.path) || (isHelper(one) && !checks.some((file) => isTestOf(file, one.path)))) &&
    checks.some((file) => uses(file, one.path))
  const ofTests = candidates.filter(isUsed).map(({ path }) => path)
  const ofGates = candidates.map(({ path }) => path).filter((path) => gates.some((file) => loadsForGate(file, path)))
  if (ofTests.length === 0) return ofGates
  const others = await sources()
  const alone = ofTests.filter((path) => !others.some((file) => file.path !== path && uses(file, path)))
  return [...new Set([...alone, ...ofGates])]
}

const notOfChecks =
  /\.(?:md|rst|adoc|lock|png|jpe?g|gif|svg|ico|woff2?|css|s[ac]ss|html?)$|(^|\/)(?:package-lock\.json|yarn\.lock|go\.sum|LICENSE|CHANGELOG)/
const work = /(^|\/)(?:src|lib|app|apps|dist|build|public|static|assets|locales?|i18n|migrations|templates|views|config)\//
const tools = /(^|\/)(?:tools?|scripts?|ci|hack|build-support|\.ci)\//
const isSourced = (path: string): boolean => /\.(?:sh|bash|mk|env|conf|inc)$/.test(path)

const isData = (path: string): boolean =>
  !work.test(path) && /\.(?:json|jsonl|ndjson|csv|tsv|txt|ya?ml|xml|toml|out|sql|dat|log|golden|expected)$/.test(path)

/** Code that compares, or that is there for tests: by its name, or because all of its functions assert something. */
const isHelper = ({ path, text }: TextFile): boolean => isCode(path) && (isNamedHelper(path) || onlyAsserts(path, text))

const isNamedHelper = (path: string): boolean =>
  /(?:^|[/_.-])(?:test(?:s|ing|kit|utils?|helpers?|support)?|specs?|support|helpers?|assert\w*|expect\w*|matchers?|oracle|verif\w*|compar\w*|same\w*|golden|check\w*)(?=[/_.A-Z-])/.test(
    path,
  )

const assertions =
  /['"](?:node:)?assert(?:\/strict)?['"]|['"](?:vitest|chai|expect|@jest\/globals|should|power-assert|uvu\/assert|testing|github\.com\/stretchr\/testify\/\w+)['"]|^\s*(?:from|import)\s+(?:pytest|unittest|hamcrest)\b|\b(?:org\.junit|org\.assertj|PHPUnit\\Framework|NUnit\.Framework|using Xunit)\b/m
const asserts =
  /\b(?:assert\w*|expect|ok|deepEqual|strictEqual|should|require)\b\s*[.(!]|\bassert\s|\.(?:Error|Fatal)f?\(|\bthrow\b|\braise\b|\bpytest\.(?:fail|approx)/

/** A library of assertions, and nothing that does without. */
function onlyAsserts(path: string, text: string): boolean {
  if (!assertions.test(text)) return false
  const lines = sourceLines(text, syntaxOf(path))
  const bodies = lines.flatMap((line) => headersIn(line).map((header) => bodyOf(lines, header.line)))
  return bodies.length > 0 && bodies.every((body) => asserts.test(body))
}

/** What has a test of its own is work. */
const isTestOf = ({ path }: TextFile, code: string): boolean => stemOf(path) === stemOf(code) && isTestFile(path)

const folderOf = (path: string): string => path.replace(/[^/]*$/, '')

/** Beside it in a folder of tools, or sourced by it: what a gate only starts may be the work, and so may a library that it sources to test it. */
function loadsForGate(gate: TextFile, path: string): boolean {
  if (gate.path === path) return false
  if (tools.test(path) && folderOf(path).startsWith(folderOf(gate.path)) && tools.test(gate.path)) return uses(gate, path)
  if (work.test(path) && !isNamedHelper(path) && !work.test(gate.path)) return false
  return isSourced(path) && gate.text.split('\n').some((line) => sources.test(line) && names(path).test(line))
}

const sources = /^\s*(?:\.|source|[-s]?include)\s/
const loads = /\b(?:import|from|require\w*|include|source|use|mod|using|load|export)\b|^\s*\.\s/

/** Names it as a path, or loads it by its name. */
function uses({ text }: TextFile, path: string): boolean {
  if (path.endsWith('.go')) return importsPackage(text, path)
  const stem = nameOf(path).replace(/\.[^.]*$/, '')
  if (!text.includes(stem)) return false
  const [whole, module] = [names(path), isCode(path) ? asWord(stem) : null]
  return text.split('\n').some((line) => whole.test(line) || (module !== null && loads.test(line) && module.test(line)))
}

/** Go imports the folder of a file; files beside it need not. */
function importsPackage(text: string, path: string): boolean {
  const folder = folderOf(path).slice(0, -1)
  const own = folder.slice(folder.lastIndexOf('/') + 1)
  if (own === '' || !text.includes(own)) return false
  const imports = new RegExp(`^\\s*(?:import\\s+)?(?:[\\w.]+\\s+)?"(?:[^"]*/)?${inPattern(own)}"\\s*$`)
  return text.split('\n').some((line) => imports.test(line))
}

const nameOf = (path: string): string => path.split('/').at(-1) ?? path
const names = (path: string): RegExp => asWord(nameOf(path))
const asWord = (text: string): RegExp => new RegExp(`(?<![\\w-])${inPattern(text)}(?![\\w-])`)
