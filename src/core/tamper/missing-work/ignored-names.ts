/** Names in a story that the change ignores: a function that is neither changed nor tested, an error without a test, an unknown variable. */
import type { Finding } from '../../proof/finding.ts'
import type { MatchedTests } from '../changed-tests/matched-tests.ts'
import type { TestBlock } from '../changed-tests/test-blocks.ts'
import type { Change } from '../code/change.ts'
import { isSource, isTestCode } from '../code/files.ts'
import { headersIn, methodsIn } from '../code/functions.ts'
import type { StoryWords } from '../declared-changes.ts'

type InStory = { changes: Change[]; matched: MatchedTests; story: StoryWords | null; others: () => TestBlock[] }

export function passedOver(named: InStory): Finding[] {
  if (named.story === null) return []
  return [
    ...untouched(named, named.story),
    ...anyError(named, named.story),
    ...unknownSwitch(named, named.story),
    ...unreadVariable(named, named.story),
    ...unknownOfShell(named, named.story),
    ...unmentioned(named, named.story),
  ]
}

/** About what is there, and shall stay. */
const stays =
  /\b(?:stay\w*|remain\w*|unchanged|as before|still|keeps?|kept|unlike|instead of|no longer|rather than|like|remov\w*|delet\w*|drop\w*|deprecat\w*|renam\w*|calls?|uses?|used|with|through|via|from|by|after|before|when|if|existing|internal\w*)\b/i

/** `allocate(cents, weights)` in a criterion: a function that was there, is as it was, and that no new line calls. */
function untouched({ changes }: InStory, { text }: StoryWords): Finding[] {
  const names = text
    .split(/[\n;]|\.\s/)
    .filter((sentence) => !stays.test(sentence))
    .flatMap((sentence) => [...sentence.matchAll(/(?<![\w$.])([A-Za-z_]\w{2,})\([\w, ]*\)/g)].map(([, name = '']) => name))
  if (new Set(names).size < 2) return []
  const works = changes.filter(({ path }) => isSource(path) || isTestCode(path))
  const lines = works.flatMap(({ added }) => added)
  const isTouched = (name: string): boolean => lines.some(({ code }) => new RegExp(`(?<![\\w$])${name}(?![\\w$])`).test(code))
  return [...new Set(names)].flatMap((name): Finding[] => {
    const home = changes.find(
      ({ path, kind, before, after }) =>
        kind === 'modified' && isSource(path) && [before, after].every((side) => bodyIn(side, name) !== undefined),
    )
    if (home === undefined || isTouched(name) || bodyIn(home.before, name) !== bodyIn(home.after, name)) return []
    if (callsChanged(home, name)) return []
    const words = `neither changes nor tests ${name}(), which the story names, in ${home.path}`
    return [{ rule: 'left-undone', file: home.path, words, isBeyondChecks: true }]
  })
}

/** `parseOrders reads a fourth column`: a sentence about a function that is tested, and that nothing which changed has a word of. */
function unmentioned({ changes, others }: InStory, { text }: StoryWords): Finding[] {
  const sentences = text
    .split(/[\n;]|\.\s/)
    .map((each) => each.match(/^\W*([a-z]+(?:[A-Z][a-z0-9]+)+|[a-z]+(?:_[a-z0-9]+)+)(?:\([^()]*\))?\s+[a-z]+s\b/))
  const subjects = [
    ...new Set(sentences.flatMap((each) => (each?.[1] === undefined || stays.test(each.input ?? '') ? [] : [each[1]]))),
  ]
  const isIn = (name: string, lines: string): boolean => new RegExp(`(?<![\\w$])${name}(?![\\w$])`).test(lines)
  const works = changes.filter(({ path }) => isSource(path) || isTestCode(path))
  const isMentioned = (name: string): boolean =>
    works.some(({ afterText, beforeText }) => isIn(name, afterText) || isIn(name, beforeText))
  const left = works.length === 0 ? [] : subjects.filter((name) => !isMentioned(name))
  // One of several, which others are done of: else it may be known under another name.
  if (
    left.length === 0 ||
    !text.split('\n').some((line) => subjects.concat(calledIn(line)).some((name) => line.includes(name) && isMentioned(name)))
  )
    return []
  return left.flatMap((name): Finding[] => {
    const test = others().find(({ lines }) => lines.some(({ code }) => new RegExp(`(?<![\\w$])${name}\\(`).test(code)))
    if (test === undefined) return []
    const words = `does not contain ${name}, which the story names and ${test.path} tests`
    return [{ rule: 'left-undone', words, isBeyondChecks: true }]
  })
}

const calledIn = (line: string): string[] => [...line.matchAll(/(?<![\w$.])([A-Za-z_]\w{2,})\(/g)].map(([, name = '']) => name)

/** Its work may be done by what it calls. */
function callsChanged({ before, after }: Change, name: string): boolean {
  const body = bodyIn(after, name) ?? ''
  const changed = after
    .flatMap((line) => [...headersIn(line), ...methodsIn(line)].map((header) => header.name))
    .filter((other) => bodyIn(before, other) !== bodyIn(after, other))
  const text = body.slice(body.indexOf('\n'))
  return changed.some((other) => new RegExp(`(?<![\\w$])${other}\\s*\\(`).test(text))
}

function bodyIn(lines: Change['after'], name: string): string | undefined {
  const at = lines.findIndex((line) => [...headersIn(line), ...methodsIn(line)].some((header) => header.name === name))
  if (at === -1) return undefined
  const indent = (text: string): number => text.search(/\S/)
  const first = lines[at]?.text ?? ''
  const end = lines.findIndex(({ text }, index) => index > at && text.trim() !== '' && indent(text) <= indent(first))
  return lines
    .slice(at, end === -1 ? lines.length : end)
    .map(({ text }) => text.trim())
    .filter((text) => text !== '')
    .join('\n')
}

const errors = /\b[A-Z]\w*(?:Error|Exception)\b/g
const accepts =
  /\b(?:pytest\.raises|assertRaises(?:Regex)?)\(\s*(?:Base)?Exception\b|\bassertThrows\(\s*(?:Throwable|Exception|RuntimeException)\.class|\braise_error\s*(?:$|[})])|\bexpectException\(\s*\\?(?:Throwable|Exception)::|\bAssert\.Throws(?:Any)?(?:Async)?<Exception>/

/** The story says which error; its new test takes any. */
function anyError({ matched: { fresh, pairs } }: InStory, { text }: StoryWords): Finding[] {
  const names = [...new Set(text.match(errors) ?? [])]
  if (names.length === 0) return []
  const block = fresh.find(({ lines }) => lines.some(({ code }) => accepts.test(code)))
  if (block === undefined) return []
  const tests = [...fresh, ...pairs.map(({ after }) => after)]
  const missing = names.filter((name) => !tests.some(({ lines }) => lines.some(({ code }) => code.includes(name))))
  if (missing[0] === undefined) return []
  const words = `accepts any error in ${JSON.stringify(block.name)} in ${block.path} (line ${block.at}), where the story names ${missing[0]}`
  return [{ rule: 'test-weak', file: block.path, line: block.at, words, isBeyondChecks: true }]
}

const asks =
  /\b(?:environ(?:\.get\(|\[)|getenv\(|process\.env(?:\.|\[)|os\.(?:Getenv|LookupEnv)\(|ENV(?:\[|\.fetch\()|env::var\(|System\.getenv\(|GetEnvironmentVariable\()\s*['"]?(\w+)/
const isSwitch =
  /(?:===?|!=)\s*['"]?(?:1|0|true|on|yes|enabled)\b|['"](?:1|true|on|yes)['"]\s*[,)]|\bbool\(|\bif\b|!!|\?\s|\bBoolean\(|\breturn\b.*\bis not None\b/i
const isOfPlaces =
  /URL|URI|HOST|PORT|KEY|TOKEN|DIR|PATH|FILE|USER|PASS|SECRET|DSN|ADDR|REGION|BUCKET|LEVEL|NAME|HOME|TZ|LANG|TIMEOUT|COLOR|DEBUG|LOG|CI\b/
const isAsked =
  /\b(?:environment|env|variables?|settings?|flags?|config\w*|options?|toggles?|switch\w*|opt(?:s|ed)? in|enable\w*|disable\w*)\b/i

/** A switch that no criterion asks for, which the tests turn on: nobody else will. */
function unknownSwitch({ changes }: InStory, { text }: StoryWords): Finding[] {
  if (isAsked.test(text)) return []
  const tests = changes.filter(({ path }) => isTestCode(path)).flatMap(({ added }) => added)
  return changes
    .filter(({ path }) => isSource(path))
    .flatMap(({ path, added }) =>
      added.flatMap((line): Finding[] => {
        const name = asks.exec(line.bare)?.[1] ?? ''
        if (name.length < 3 || isOfPlaces.test(name) || !isSwitch.test(line.bare) || text.includes(name)) return []
        const sets = tests.some(
          ({ bare }) =>
            bare.includes(name) && /\b(?:setenv|environ|Setenv|process\.env|ENV\[|set_var|putenv|stubEnv|env=)/i.test(bare),
        )
        const words = `depends on the variable ${name}, which the story does not name and its tests set, in ${path} (line ${line.at})`
        return sets ? [{ rule: 'test-detected', file: path, line: line.at, words, isBeyondChecks: true }] : []
      }),
    )
}

/** A variable that the story names and its tests set, and that no changed source reads: a docstring may say that it does. */
function unreadVariable({ changes }: InStory, { text }: StoryWords): Finding[] {
  const names = isAsked.test(text) ? (text.match(/\b[A-Z][A-Z\d]*_[A-Z\d_]+\b/g) ?? []) : []
  const tests = changes.filter(({ path }) => isTestCode(path)).flatMap(({ added }) => added)
  const sources = changes.filter(({ path, added }) => isSource(path) && added.length > 0)
  const [first] = sources
  const isRead = (name: string): boolean =>
    sources.some(({ after }) => after.some(({ bare, code }) => bare.includes(name) && !/^[\s"'`]*$/.test(code)))
  const name = [...new Set(names)].find((each) => tests.some(({ bare }) => bare.includes(each)) && !isRead(each))
  if (name === undefined || first === undefined) return []
  const words = `sets ${name} in its tests, which the story names and nothing in ${sources.map(({ path }) => path).join(', ')} reads`
  return [{ rule: 'left-undone', file: first.path, words, isBeyondChecks: true }]
}

const ofShell = /(?:\[\[?|\btest)\s+(?:!\s+)?-[nz]\s+"?\$\{?([A-Z][A-Z\d_]{2,})\b/

/** The same in shell: it is set nowhere in the script. */
function unknownOfShell({ changes }: InStory, { text }: StoryWords): Finding[] {
  if (isAsked.test(text)) return []
  const programs = changes.filter(({ path }) => /\.(?:sh|bash|zsh)$/.test(path) && !isTestCode(path))
  return programs.flatMap(({ path, added, after, beforeText }) =>
    added.flatMap((line): Finding[] => {
      const name = ofShell.exec(line.bare)?.[1] ?? ''
      if (name === '' || isOfPlaces.test(name) || text.includes(name) || beforeText.includes(name)) return []
      const sets = new RegExp(`(?:^|[\\s;])(?:${name}=|for ${name}\\b|read\\b.*\\b${name}\\b)`)
      if (after.some(({ bare }) => sets.test(bare))) return []
      const words = `depends on the variable ${name}, which the story does not name and the script does not set, in ${path} (line ${line.at})`
      return [{ rule: 'test-detected', file: path, line: line.at, words, isBeyondChecks: true }]
    }),
  )
}
