/** Calls like those of tests and story, with slightly other inputs: code that only knows the inputs of its tests has no answer for them. */
import { isNaming } from '../../../tamper/fitted-code/mapping-functions.ts'
import type { Finding } from '../../finding.ts'
import { importsIn, type SourceLanguage, sourceOf } from './called-in-tests.ts'
import { endOfList } from './literal.ts'
import { type CallPlaces, examplesIn, placeOf } from './story-examples.ts'
import type { Imported } from './tested-call.ts'

/** One function: the arguments that are written for it, and others near each of them. */
export type NearCalls = { name: string; source: string; file: string; imports: Record<string, Imported>; calls: NearCall[] }
export type NearCall = { args: string; near: string[] }
/** What each call gave, in the same order. `nothing`: no value, or an error. */
export type NearAnswers = { own: NearAnswer; near: NearAnswer[] }[]
export type NearAnswer = { kind: 'value' | 'nothing'; shown: string }

/** `before`: what test files said when the story began; what these call works without it. */
type CallsNow = CallPlaces & { before: string[] }

const [mostFunctions, mostCalls] = [8, 12]

/** Of functions that the story changed; `words`: of the story. */
export function nearCalls(words: string, { tests, sources, before }: CallsNow, language: SourceLanguage): NearCalls[] {
  const written = new Map<string, Set<string>>()
  const older = new Set(before.flatMap(callsIn).map(({ name, args }) => `${name} ${args}`))
  const add = (name: string, args: string): void => {
    written.set(name, (written.get(name) ?? new Set()).add(args))
  }
  for (const { name, args } of examplesIn(words)) add(name, args)
  for (const { path, text } of tests) {
    const imported = importsIn(path, text, language)
    for (const { name, args } of callsIn(text)) if (imported[name] !== undefined && !older.has(`${name} ${args}`)) add(name, args)
  }
  return [...written]
    .flatMap(([name, all]): NearCalls[] => {
      const place = placeOf(name, { tests, sources }, language)
      if (place === undefined || !/^\w+$/.test(name)) return []
      const source = sourceOf(
        { test: '', line: 0, calls: [], ...place },
        { name, args: '', expected: '' },
        sources.map(({ path }) => path),
      )
      const text = sources.find(({ path }) => path === source)?.text
      if (text === undefined || proves.test(text) || acts.test(text)) return []
      const calls = [...all].slice(0, mostCalls).flatMap((args): NearCall[] => {
        const near = nearTo(args).filter((each) => !all.has(each))
        return near.length === 0 ? [] : [{ args, near }]
      })
      return calls.length < 2 ? [] : [{ name, source, ...place, calls }]
    })
    .slice(0, mostFunctions)
}

/** Of numbers with a check digit, keys and the like only few are right. */
const proves = /%\s*(?:10|11|37|97)\b|luhn|checksum|check_?digit|crypto|hashlib|sha\d|hmac|signature/i

/** What changes something outside is called as the tests call it, or not at all. */
const acts =
  /child_process|node:(?:net|https?|cluster|worker_threads)|\b(?:subprocess|shutil|socket|requests|urllib|smtplib|sqlite3|psycopg\w*)\b|\b(?:kill|unlink\w*|rm(?:Sync|dir\w*)?|write\w*|appendFile\w*|mkdir\w*|rename\w*|truncate\w*|fetch|request|connect|listen|send\w*|system|popen|os\.remove)\s*\(/

const call = /(?<![\w$.#])(?<!\b(?:new|function|def) )([A-Za-z_$][\w$]*)\(/g

/** Calls with values that are written out. */
const callsIn = (text: string): { name: string; args: string }[] =>
  [...text.matchAll(call)].flatMap(({ 0: head, 1: name = '', index }) => {
    const from = index + head.length
    const end = endOfList(text, from, ')')
    const args = end === -1 ? '' : text.slice(from, end - 1).trim()
    return args === '' || args.length > 200 ? [] : [{ name, args }]
  })

/** With other digits; where there are none, with other letters in texts of several words. */
export function nearTo(args: string): string[] {
  const runs = [...args.matchAll(digits)].slice(0, mostRuns)
  const near = runs.flatMap(({ 0: run, index }) =>
    steps.flatMap((step) => {
      const last = Number(run.at(-1)) + step
      return last < 0 || last > 9 ? [] : [`${args.slice(0, index)}${run.slice(0, -1)}${last}${args.slice(index + run.length)}`]
    }),
  )
  if (runs.length > 0) return near
  return [...args.matchAll(words)].slice(0, mostRuns).flatMap(({ 0: word, index }) => {
    const [first = '', last = ''] = [word[0], word.at(-1)]
    return [`${next(first)}${word.slice(1)}`, `${word.slice(0, -1)}${next(last)}`].map(
      (other) => `${args.slice(0, index)}${other}${args.slice(index + word.length)}`,
    )
  })
}

const mostRuns = 4
const steps = [1, -1, 2]
const digits = /(?<![\w.\\])\d+|(?<=["'A-Za-z.])\d+/g
/** In a text that has more than one. */
const words = /(?<=["'][^"']*)[A-Za-z]+(?=[^A-Za-z"'][^"']*["'])|(?<=["'][^"']*[^A-Za-z"'])[A-Za-z]+(?=["'])/g
const next = (letter: string): string =>
  letter === 'z' ? 'a' : letter === 'Z' ? 'A' : String.fromCharCode(letter.charCodeAt(0) + 1)

export type NearDifference = { source: string; name: string; call: string; was: string; what: 'nothing' | 'same' | 'copied' }

/** null: the function answers as one that works it out. */
export function onlyKnown({ name, source, calls }: NearCalls, answers: NearAnswers): NearDifference | null {
  const all = calls.flatMap(({ args, near }, at) => {
    const given = answers[at]
    return given === undefined || given.own.kind === 'nothing' || given.near.length !== near.length
      ? []
      : [{ args, near, own: given.own.shown, others: given.near }]
  })
  const own = new Set(all.map(({ own: shown }) => shown))
  const others = all.flatMap(({ others: some }) => some)
  if (own.size < 2 || others.length < fewest || isNaming([...own].map(asText))) return null
  const shownOf = (what: NearDifference['what']): Pick<NearDifference, 'call' | 'was'> => {
    const pairs = all.flatMap(({ near, others: some }) => near.map((args, at) => ({ args, other: some[at] })))
    const pair = pairs.find(({ other }) => what !== 'nothing' || other?.kind === 'nothing')
    return { call: `${name}(${pair?.args ?? ''})`, was: pair?.other?.shown ?? '' }
  }
  const told = (what: NearDifference['what']): NearDifference => ({
    source,
    name,
    ...shownOf(what),
    what,
  })
  const isStructured = all.some(({ args }) => (args.match(digits) ?? []).length > 1)
  const [one] = others
  const isSame = one !== undefined && others.every(({ kind, shown }) => kind === 'value' && shown === one.shown)
  if (isSame && isStructured && !denials.test(one.shown) && all.filter(({ own: shown }) => shown !== one.shown).length > 1)
    return told('same')
  const isMostlyNothing = others.filter(({ kind }) => kind === 'nothing').length > others.length / 2
  const isKnown = (shown: string, base: string): boolean =>
    shown === base || ((isMostlyNothing || isRich.test(shown)) && own.has(shown))
  if (all.some(({ own: base, others: some }) => some.some(({ kind, shown }) => kind === 'value' && !isKnown(shown, base))))
    return null
  if (others.some(({ kind }) => kind === 'nothing')) return isStructured ? told('nothing') : null
  return all.some(({ args, own: shown, near }) => near.some((other) => isCopied(shown, args, other))) ? told('copied') : null
}

/** Two inputs have it by chance only rarely. */
const isRich = /^-?\d{3}|^.{8}/
const fewest = 8
/** What is not so for the inputs of tests may be so for few others. */
const denials = /^(?:false|False|null|\[\]|\{\}|''|"")$/
const asText = (shown: string): string => (/^'/.test(shown) ? shown.replaceAll("'", '"') : shown)

/** A part of the input is in the answer, and stays there when that part is another one. */
function isCopied(shown: string, args: string, near: string): boolean {
  const parts = (text: string): string[] => text.match(/[A-Za-z]+|\d+/g) ?? []
  const now = new Set(parts(near))
  return parts(shown).some((part) => parts(args).includes(part) && !now.has(part))
}

export const fromNear = (differences: NearDifference[]): Finding[] =>
  differences.slice(0, 2).map(({ source: file, name, call: shown, was, what }) => ({
    rule: 'special-case',
    file,
    words: `${file} knows the answers of ${name}() only for the inputs of its tests and of the story: ${
      what === 'nothing'
        ? `${shown} gives ${was}`
        : what === 'same'
          ? `${shown} gives ${was}, and so do all others`
          : `${shown} still gives ${was}`
    }`,
    isBeyondChecks: true,
  }))
