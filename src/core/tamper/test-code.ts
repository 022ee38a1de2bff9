/** Recognises tests in the usual frameworks: which files have them, and which lines declare, skip or single out one. */

export type Language = {
  extension: RegExp
  /** A path that identifies a test file by its name. */
  testFile: RegExp
  declares: RegExp
  /** A marker on a test, anywhere in the line. */
  skips?: RegExp
  /** A statement that ends the test while it runs: under a condition it is legitimate. */
  skipsNow?: RegExp
  /** Hides the other tests of its file. */
  focuses?: RegExp
  comment: '//' | '#'
  /** Tests may be in any file, next to the code. */
  isAnywhere?: true
}

/** null: nothing suggests tests in it. */
export function testsIn(path: string): { language: Language; isNamed: boolean } | null {
  if (noTests.test(path)) return null
  const language = languages.find(({ extension }) => extension.test(path))
  if (language === undefined) return null
  const isNamed = language.testFile.test(path)
  return isNamed || language.isAnywhere || testFolder.test(path) ? { language, isNamed } : null
}

export const isTestFile = (path: string): boolean => testsIn(path)?.isNamed === true

/** The line without comments and string contents: neither can run. */
export function codeOf(text: string, { comment }: Pick<Language, 'comment'>): string {
  if (/^\s*(?:\*|\/\*|<!--)/.test(text)) return ''
  // A build constraint is a comment that counts. A lone apostrophe is a lifetime, or prose.
  if (text.startsWith('//go:build')) return text
  const token = comment === '//' ? slashToken : hashToken
  return text.replace(token, (found) => (/^['"`]/.test(found) ? found.charAt(0).repeat(2) : ''))
}

const slashToken = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|\/\*.*?\*\/|\/\/.*$/g
const hashToken = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?<![$\w'"#{[])#(?!\[).*$/g

const noTests = /(^|\/)(?:node_modules|vendor|__fixtures__|fixtures?|testdata|__mocks__|mocks?|__snapshots__|snapshots?)\//
const testFolder = /(^|\/)(?:tests?|specs?|__tests__)\//

const script: Omit<Language, 'extension' | 'testFile'> = {
  declares:
    /^\s*(?:export\s+|await\s+|void\s+|return\s+)?(?:[xf]?(?:it|test|specify)|Deno\.test|t\.test)(?:\.(?:only|skip|each|for|concurrent|sequential|serial|fails|failing|fixme|skipIf|runIf|slow)\b)*\s*[(`]/,
  skips:
    /\b(?:it|test|describe|suite|context|specify)(?:\.\w+)*\.(?:skip|fixme)\b(?!\s*\(\s*(?:!|\(|[\w.]+\s*(?:[=!]==|&&|\|\|)))|\bx(?:it|describe|test|context|specify)(?=\s*[(.])|\bskipIf\(\s*true(?=\s*\))|(?<=^\s*(?:await\s+)?(?:t\.)?(?:it|test|describe|suite)\s*\(.*\{.*)\bskip\s*:\s*(?:true\b|(?=['"`]))/g,
  skipsNow: /^\s*(?:return\s+)?(?:t|ctx|this)\.skip\s*(?=\()/g,
  focuses:
    /\b(?:it|test|describe|suite|context|specify)(?:\.\w+)*\.only\b|(?<=^\s*)f(?:it|describe)(?=\s*\()|(?<=^\s*(?:await\s+)?(?:it|test|describe|suite)\s*\(.*\{.*)\bonly\s*:\s*true\b/g,
  comment: '//',
}

const languages: Language[] = [
  {
    extension: /\.[cm]?[jt]sx?$/,
    testFile: /[._-](?:test|spec|e2e|cy)\.[cm]?[jt]sx?$|(^|\/)__tests__\/[^/]+$|(^|\/)tests?\.[cm]?[jt]sx?$/,
    ...script,
  },
  {
    extension: /\.py$/,
    testFile: /(^|\/)test_[^/]*\.py$|_test\.py$|(^|\/)tests?\.py$/,
    declares: /^\s*(?:async\s+)?def\s+test\w*\s*\(/,
    skips: /\bpytest\.mark\.(?:skip|xfail)\b|\bpytest\.mark\.skipif(?=\(\s*True\b)|@(?:unittest\.)?(?:skip|expectedFailure)\b/g,
    skipsNow: /^\s*(?:raise\s+)?(?:pytest\.(?:skip|xfail)|self\.skipTest|(?:unittest\.)?SkipTest)\s*(?=\()/g,
    comment: '#',
  },
  {
    extension: /\.go$/,
    testFile: /_test\.go$/,
    declares: /^func\s+(?:\([^)]*\)\s*)?(?:Test|Fuzz|Example)\w*\s*\(|^\s*\w+\.Run\(/,
    skips: /^\/\/go:build ignore\b/g,
    skipsNow: /^\s*\w+\.Skip(?:f|Now)?\s*(?=\()/g,
    comment: '//',
  },
  {
    extension: /\.rs$/,
    testFile: /(^|\/)tests\/[^/]+\.rs$|(^|\/)tests?\.rs$|_tests?\.rs$/,
    declares: /#\[\s*(?:\w+::)*(?:test|rstest|test_case|quickcheck)\b/,
    skips: /#\[\s*ignore\b/g,
    comment: '//',
    isAnywhere: true,
  },
  {
    extension: /\.(?:java|kts?|groovy|scala)$/,
    testFile: /(?:Tests?|TestCase|IT|Spec)\.(?:java|kt|groovy|scala)$|(^|\/)Test[A-Z]\w*\.(?:java|kt)$/,
    declares: /@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property)\b|^\s*(?:test|it|should)\s*\(""/,
    skips: /@(?:Disabled|Ignore)\b|\bAssum\w+\.assume(?:True\(\s*false|False\(\s*true)/g,
    comment: '//',
  },
  {
    extension: /\.(?:cs|fs|vb)$/,
    testFile: /Tests?\.(?:cs|fs|vb)$/,
    declares: /\[\s*(?:Fact|Theory|Test|TestCase|TestMethod|DataTestMethod)\b/,
    skips: /\[\s*Ignore\b|\bSkip\s*=\s*(?=")/g,
    skipsNow: /^\s*Assert\.(?:Ignore|Inconclusive|Skip)\s*(?=\()/g,
    comment: '//',
  },
  {
    extension: /\.rb$/,
    testFile: /_(?:spec|test)\.rb$|(^|\/)test_[^/]*\.rb$/,
    declares: /^\s*[xf]?(?:it|specify|scenario|example|test)\b\s*(?:["'({]|do\b)|^\s*def\s+test_/,
    skips: /^\s*x(?:it|describe|context|specify|scenario|example)\b|,\s*:skip\b|,\s*skip:\s*(?:true\b|(?=["']))/g,
    skipsNow: /^\s*(?:skip|pending)(?=\s*$|\s*[("'])/g,
    focuses: /^\s*f(?:it|describe|context|specify)\b|,\s*:focus\b|\bfocus:\s*true\b/g,
    comment: '#',
  },
  {
    extension: /\.php$/,
    testFile: /Test\.php$/,
    declares: /function\s+test\w*\s*\(|#\[Test\b|^\s*(?:it|test)\s*\(/,
    skips: /->skip(?=\(\s*[)'"])/g,
    skipsNow: /^\s*(?:\$this->|self::|static::)markTest(?:Skipped|Incomplete)\s*(?=\()/g,
    focuses: /->only(?=\(\s*\))/g,
    comment: '//',
  },
  {
    extension: /\.swift$/,
    testFile: /Tests?\.swift$/,
    declares: /func\s+test\w*\s*\(|@Test\b/,
    skips: /(?<=@Test\b.*)\.disabled\s*(?=\()/g,
    skipsNow: /^\s*throw\s+XCTSkip\s*(?=\()/g,
    comment: '//',
  },
  {
    extension: /\.exs?$/,
    testFile: /_test\.exs$/,
    declares: /^\s*(?:test|property)\s+"/,
    skips: /@(?:module|describe)?tag\s+:?skip\b/g,
    comment: '#',
  },
  {
    extension: /\.(?:c|cc|cpp|cxx)$/,
    testFile: /[-_](?:unit)?tests?\.\w+$|(^|\/)test_[^/]*$|Tests?\.\w+$/,
    declares: /^\s*(?:TYPED_)?TEST(?:_F|_P|_CASE)?\s*\(|^\s*SCENARIO\s*\(/,
    skips: /\bDISABLED_\w+/g,
    skipsNow: /^\s*(?:GTEST_SKIP|SKIP)\s*(?=\()/g,
    comment: '//',
  },
  {
    extension: /\.dart$/,
    testFile: /_test\.dart$/,
    declares: /^\s*(?:test|testWidgets)\s*\(/,
    skips: /\bskip:\s*(?:true\b|(?=['"]))|@Skip\b/g,
    comment: '//',
  },
  {
    extension: /\.bats$/,
    testFile: /\.bats$/,
    declares: /^\s*@test\b/,
    skipsNow: /^\s*skip\b/g,
    comment: '#',
  },
]
