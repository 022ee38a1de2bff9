/** Names of failing tests in what runners print, and whether they fail only because something that they use does not exist. */

const names: RegExp[] = [
  /^\s*✖ (?!failing tests|\d+ problems?\b)(.+?)(?: \([\d.]+ ?ms\))?$/, // node:test; eslint counts its problems with the same sign
  /^\s*not ok (?:\d+ )?- (.+?)(?: # .*)?$/, // TAP
  /^\s*# {2,}Failed test '(.+)'$/, // prove, which keeps the TAP of its scripts to itself
  /^\s*(?:✕|×|✗) (.+?)(?: \(?[\d.]+ ?m?s\)?)?$/, // jest, vitest, bun
  /^ {2}● (?!Console$|Test suite failed|(?:Multiple )?(?:Validation|Deprecation)|process\.exit|Cannot )(.+)$/, // jest, for several files
  /^\s*FAIL\s+\S+ > (.+)$/, // vitest, where it does not list the tests of a file
  /^\s*\d+\) (.+)$/, // mocha, rspec
  /^FAILED (\S+?::\S+)/, // pytest
  /^(?:FAIL|ERROR): (\w+) \(/, // unittest
  /^\s*--- FAIL: (\S+)/, // go
  /^test (\S+) \.\.\. FAILED$/, // cargo
  /^\s*Failed (\S+) \[/, // dotnet
]

/** Each once, in order. */
export function failingTests(output: string): string[] {
  const found = output.split('\n').flatMap((line) => {
    const plain = line.replace(colours, '')
    return names.flatMap((pattern) => pattern.exec(plain)?.[1]?.trim() ?? []).slice(0, 1)
  })
  return [...new Set(found)]
}

/** Those of them that failed because they pass, and were expected to fail. One that has two reports says more than that. */
export function passingUnexpectedly(output: string): string[] {
  const lines = output.split('\n').map((line) => line.replace(colours, ''))
  const heads = lines.flatMap((line, at) => {
    const name = /^_{3,} (\S+) _{3,}$/.exec(line)?.[1]
    return name === undefined ? [] : [{ name, isUnexpected: /^\[XPASS\(strict\)\]/.test(lines[at + 1] ?? '') }]
  })
  return failingTests(output).filter((test) => {
    const own = heads.filter(({ name }) => name === test.split('::').slice(1).join('.'))
    return own.length === 1 && own.every(({ isUnexpected }) => isUnexpected)
  })
}

const colours = /\u001b\[[\d;]*m/g

/** Something that a check uses is not there: a name in a file, a function; or it is a module of the other kind. No check was made of what it does. */
const missing =
  /Cannot find (?:module|package|name)|ERR_MODULE_NOT_FOUND|ERR_REQUIRE_ESM|does not provide an export|is not exported|has no exported member|Cannot use import statement|Unexpected token 'export'|require\(\) of ES Module|Failed to (?:resolve|load)|ModuleNotFoundError|ImportError|cannot import name|is not a (?:function|constructor)|is not defined|has no attribute|NameError|ReferenceError|undefined: \w|unresolved (?:import|name)|Unresolved reference|cannot find (?:function|value|struct|type|macro|symbol|method)|no method named|undefined (?:method|local variable)|uninitialized constant|Call to undefined|Class "[^"]+" not found|does not contain a definition|unbound variable|parameter not set|command not found/
/** A file is not there; one that the program should have made fails a check. */
const missingFile = /does not exist|[Nn]o such file\b|ENOENT|could not be found/

/** A check compared something, in the words of its library. */
const compared =
  /AssertionError|ERR_ASSERTION|[Aa]ssertion (?:failed|[`'])|Assertion(?:Failed)?(?:Exception|Error)|Failed asserting|Assert\.\w+\(\) Failure|\bExpected(?!\s+\d+(?:-\d+)? argument)(?::| values?\b| .{0,200}\bto\b)|\bexpected:? .{0,200}\b(?:to|but was|got|received|actual)\b|^\s*(?:expected|want|got)\s*:|^\s*[-+] expected\b|expect\(received\)|^E\s+assert|\bnot (?:strictly )?equal\b|got[: ].*want|want[: ].*got|panicked at/m

/** Lines of the program around an error, which many runners show. */
const isQuoted = /^\s*>?\s*\d+\s*\||^\s*[|>^]|^\s*(?:✖|✕|×|✗|not ok|\d+\)|FAILED|--- FAIL)\s/

/** `moved`: the files that the story added, removed or moved. Without them, any file that is not there counts. */
export function isOnlyMissing(output: string, moved?: readonly string[]): boolean {
  const said = output
    .split('\n')
    .map((line) => line.replace(colours, ''))
    .filter((line) => !isQuoted.test(line))
  // pytest marks what it says; all else is the program.
  const marked = said.filter((line) => /^E {2,}/.test(line))
  const lines = marked.length > 0 ? marked : said
  const names = moved?.flatMap((path) => path.split('/').slice(-2))
  const isGone = (line: string): boolean => names === undefined || names.some((name) => line.includes(name))
  const isMissing = lines.some((line) => missing.test(line) || (missingFile.test(line) && isGone(line)))
  return isMissing && !compared.test(lines.join('\n'))
}

export const hasCompared = (output: string): boolean => compared.test(output)
