/** Recognises tests in the usual frameworks: which files have them, and which lines declare, skip, single out or check something. All patterns are for code. */

export type Language = {
  extension: RegExp
  /** A path that identifies a test file by its name. */
  testFile: RegExp
  declares: RegExp
  /** A marker on a test, anywhere in the line. */
  skips?: RegExp
  /** A statement that ends the test while it runs: under a condition it is legitimate. */
  skipsNow?: RegExp
  /** The test is expected to fail. */
  fails?: RegExp
  /** Hides the other tests of its file. */
  focuses?: RegExp
  /** Begins an assertion; which of them say little about a value. */
  asserts: RegExp
  weak: RegExp
  /** Tests may be in any file, next to the code. */
  isAnywhere?: true
}

/** Where the marker is in a longer match: what a declaration begins with is not part of it. */
export const markOf = (found: string): string =>
  found
    .replace(/^.*\{\s*/, '')
    .replace(/^@Test.*(?=\.)/, '')
    .trim()

/** null: nothing suggests tests in it. */
export function testsIn(path: string): { language: Language; isNamed: boolean } | null {
  if (noTests.test(path)) return null
  const language = languageOf(path)
  if (language === undefined) return null
  const isNamed = language.testFile.test(path)
  return isNamed || language.isAnywhere || testFolder.test(path) ? { language, isNamed } : null
}

export const languageOf = (path: string): Language | undefined => languages.find(({ extension }) => extension.test(path))

export const isTestFile = (path: string): boolean => testsIn(path)?.isNamed === true

const noTests = /(^|\/)(?:node_modules|vendor|__fixtures__|fixtures?|testdata|__mocks__|mocks?|__snapshots__|snapshots?)\//
const testFolder =
  /(^|\/)(?:[tT]ests?|[sS]pecs?|__tests__|[\w.]+\.\w*(?:Tests?|Specs?)|(?:common|jvm|js|native|android|unit|integration)Test)\//

const script: Omit<Language, 'extension' | 'testFile'> = {
  asserts:
    /(?<![\w$.])(?:(?:assert|expect|verify)\w*|ok|equal|deepEqual|strictEqual|deepStrictEqual|rejects|throws)\b(?:\.\w+)*\s*\(|(?<![\w$.])(?:t|is)\.(?:is|not|deepEqual|like|true|false|truthy|falsy|throws\w*|notThrows\w*|regex|snapshot|equal|same|strictSame|match|ok|assert\.\w+|pass|fail)\s*\(|\.should\b|\.expect\s*\(/,
  weak: /\bassert\s*\(|\btypeof\b|\.(?:ok|isOk|exists|isDefined|isNotNull|notEqual|notStrictEqual|notDeepStrictEqual|doesNotThrow|match|include|isTrue|isObject|isString|isNumber|isFunction|isArray|toBeDefined|toBeTruthy|toBeFalsy|toBeInstanceOf|toHaveBeenCalled|toMatch|toMatchObject|toContain|toHaveProperty|toBeGreaterThan\w*|toBeLessThan\w*|truthy|falsy|not|notThrows\w*|pass|resolves\.not)\b|\.not\.|\b(?:anything|any|objectContaining|stringContaining|arrayContaining)\s*\(/,
  declares:
    /^\s*(?:export\s+|await\s+|void\s+|return\s+)?(?:[xf]?(?:it|test|specify)|Deno\.test|t\.test)(?:\.(?:only|skip|each|for|concurrent|sequential|serial|fails|failing|fixme|skipIf|runIf|slow)\b)*\s*[(`]/,
  skips:
    /\b(?:it|test|describe|suite|context|specify)(?:\.\w+)*\.(?:skip|fixme)\b(?!\s*\(\s*(?:!|\(|[\w.]+\s*(?:[=!]==|&&|\|\|)))|\bx(?:it|describe|test|context|specify)(?=\s*[(.])|\bskipIf\(\s*true(?=\s*\))|^\s*(?:await\s+)?(?:t\.)?(?:it|test|describe|suite)\s*\([^{]*\{[^}]*?\bskip\s*:\s*(?:true\b|(?=['"`]))/g,
  fails: /\b(?:it|test)(?:\.\w+)*\.(?:fails|failing)\b|\b(?:expectFailure|todo)\s*:\s*(?:true\b|(?=['"`]))/g,
  skipsNow: /^\s*(?:return\s+)?(?:t|ctx|this)\.skip\s*(?=\()/g,
  focuses:
    /\b(?:it|test|describe|suite|context|specify)(?:\.\w+)*\.only\b|^\s*f(?:it|describe)(?=\s*\()|^\s*(?:await\s+)?(?:it|test|describe|suite)\s*\([^{]*\{[^}]*?\bonly\s*:\s*true\b/g,
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
    asserts:
      /^\s*assert\b|\bself\.(?:assert\w*|fail\w*)\s*\(|\bpytest\.(?:raises|warns|fail)\s*\(|\b(?:np|numpy|pd|torch)(?:\.\w+)*\.assert_\w+\s*\(|\bassert_\w+\s*\(/,
    weak: /^\s*assert\s+(?:not\s+)?[\w.[\]()]+(?:\s*,\s*f?["'].*)?$|\bis\s+not\s+None\b|^\s*assert\b(?!.*(?:==|<=|>=)).*\s(?:not\s+)?in\s|\bisinstance\s*\(|\b(?:hasattr|callable)\s*\(|!=|\.assert(?:True|False|IsNotNone|In|IsInstance|NotEqual|Greater\w*|Less\w*|Regex)\b/,
    skips: /\bpytest\.mark\.skip\b|\bpytest\.mark\.skipif(?=\(\s*True\b)|@(?:unittest\.)?skip\b|^__test__\s*=\s*False\b/g,
    fails: /\bpytest\.mark\.xfail\b|@(?:unittest\.)?expectedFailure\b/g,
    skipsNow: /^\s*(?:raise\s+)?(?:pytest\.(?:skip|xfail)|self\.skipTest|(?:unittest\.)?SkipTest)\s*(?=\()/g,
  },
  {
    extension: /\.go$/,
    testFile: /_test\.go$/,
    declares: /^func\s+(?:\([^)]*\)\s*)?(?:Test|Fuzz|Example)\w*\s*\(|^\s*\w+\.Run\(/,
    asserts:
      /^\s*\w+\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\s*\(|\b(?:assert|require|is|qt|check)\.\w+\s*\(|\bcmp\.Diff\s*\(|^\s*[a-z]\w*\(t, .+, .+\)$/,
    weak: /\b(?:assert|require)\.(?:NotNil|NotEmpty|True|False|Contains|NotEqual|NotPanics|IsType|Len)\b/,
    skips: /^\/\/go:build ignore\b/g,
    skipsNow: /^\s*\w+\.Skip(?:f|Now)?\s*(?=\()/g,
  },
  {
    extension: /\.rs$/,
    testFile: /(^|\/)tests\/[^/]+\.rs$|(^|\/)tests?\.rs$|_tests?\.rs$/,
    declares: /#\[\s*(?:\w+::)*(?:test|rstest|test_case|quickcheck)\b/,
    asserts: /\b(?:debug_)?assert\w*!\s*[([{]|\bpanic!\s*\(|#\[\s*should_panic|\binsta::\w+!|\bprop_assert\w*!/,
    weak: /\bassert!\s*\(|\bassert_ne!|\bmatches!/,
    skips: /#\[\s*(?:ignore\b|cfg_attr\([^\]]*\bignore\b)/g,
    isAnywhere: true,
  },
  {
    extension: /\.(?:java|kts?|groovy|scala)$/,
    testFile: /(?:Tests?|TestCase|IT|Spec)\.(?:java|kt|groovy|scala)$|(^|\/)Test[A-Z]\w*\.(?:java|kt)$/,
    declares: /@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property)\b|^\s*(?:test|it|should)\s*\(""/,
    asserts:
      /\b(?:assert\w*|verify\w*|fail|expectThrows|expectThat)\s*[({]|\bshould(?:Be|Throw|Equal|Contain|Have)\w*\b|\b(?:expect|check)\s*\(/,
    weak: /\bassert(?:NotNull|True|False|NotEquals|DoesNotThrow|InstanceOf)\b|\.(?:isNotNull|isNotEmpty|isTrue|isFalse|contains|isInstanceOf|hasSize\w*|isNotEqualTo|startsWith)\s*\(/,
    skips: /@(?:Disabled(?:If\w*|Unless\w*)?|Ignore|EnabledIf\w*)\b|\bAssum\w+\.assume(?:True\(\s*false|False\(\s*true)/g,
  },
  {
    extension: /\.(?:cs|fs|vb)$/,
    testFile: /Tests?\.(?:cs|fs|vb)$/,
    declares: /\[\s*(?:Fact|Theory|Test|TestCase|TestMethod|DataTestMethod)\b/,
    asserts:
      /\b(?:Assert|CollectionAssert|StringAssert)\.\w+|\.Should(?:[A-Z]\w*\s*[<(]|\(\))|\bShould\.\w+|\.(?:Received|DidNotReceive|Verify)\b/,
    weak: /\bAssert\.(?:NotNull|IsNotNull|True|IsTrue|False|IsFalse|NotEqual|AreNotEqual|Contains|NotEmpty|IsType|IsInstanceOf\w*)\b|\.(?:NotBeNull|BeTrue|BeFalse|Contain|NotBe|BeOfType)\b|\.Should(?:Not\w*|BeTrue|BeFalse|BeOfType\w*|Contain\w*)\b|\bShould\.NotThrow/,
    skips: /\[\s*Ignore\b|\bSkip\s*=\s*(?=")/g,
    skipsNow: /^\s*Assert\.(?:Ignore|Inconclusive|Skip)\s*(?=\()/g,
  },
  {
    extension: /\.rb$/,
    testFile: /_(?:spec|test)\.rb$|(^|\/)test_[^/]*\.rb$/,
    declares: /^\s*[xf]?(?:it|specify|scenario|example|test)\b\s*(?:["'({]|do\b)|^\s*def\s+test_/,
    asserts: /\b(?:expect|is_expected)\b|^\s*(?:assert|refute)\w*\b|\.(?:must|wont)_\w+|\bshould(?:_not)?\b|^\s*flunk\b/,
    weak: /^\s*assert(?:_not_nil|_includes|_match|_instance_of|_kind_of|_respond_to|\s|\()|^\s*refute|\bto_not\b|\bnot_to\b|\bbe_(?:truthy|falsy|present|a|an|kind_of)\b|\b(?:include|match|respond_to)\b\s*[( ]/,
    skips: /^\s*x(?:it|describe|context|specify|scenario|example)\b|,\s*:skip\b|,\s*skip:\s*(?:true\b|(?=["']))/g,
    skipsNow: /^\s*(?:skip|pending)(?=\s*$|\s*[("'])/g,
    focuses: /^\s*f(?:it|describe|context|specify)\b|,\s*:focus\b|\bfocus:\s*true\b/g,
  },
  {
    extension: /\.php$/,
    testFile: /Test\.php$/,
    declares: /function\s+test\w*\s*\(|#\[Test\b|^\s*(?:it|test)\s*\(/,
    asserts: /(?:->|::)(?:assert\w*|fail|expectException\w*)\s*\(|\bexpect\s*\(|->should\w*\(/,
    weak: /(?:->|::)assert(?:NotNull|True|False|NotEmpty|NotEquals|NotSame|InstanceOf|Contains|Is\w+|StringContains\w*)\b|->(?:not|toBeTruthy|toBeFalsy|toContain|toBeInstanceOf|toMatch\w*)\b/,
    skips: /->skip(?=\(\s*[)'"])/g,
    skipsNow: /^\s*(?:\$this->|self::|static::)markTest(?:Skipped|Incomplete)\s*(?=\()/g,
    focuses: /->only(?=\(\s*\))/g,
  },
  {
    extension: /\.(?:t|p[lm])$/,
    testFile: /\.t$|(^|\/)t\/.+\.p[lm]$/,
    declares: /^\s*subtest\b/,
    asserts:
      /^\s*(?:is|isnt|ok|nok|like|unlike|is_deeply|is_deep\w*|cmp_\w+|isa_ok|can_ok|new_ok|pass|fail|eq_or_diff\w*|is_string\w*|\w+_ok|\w+_like)\b\s*[({$@%&\w"']/,
    weak: /^\s*(?:ok|nok|isnt|like|unlike|isa_ok|can_ok|new_ok|pass|use_ok|require_ok|lives_ok|dies_ok)\b/,
    skips: /\bplan\s*\(?\s*skip_all\b|^\s*use\s+Test::\w+.*\bskip_all\b/g,
    fails: /\blocal\s+\$(?:\w+::)*TODO\b/g,
    skipsNow: /^\s*(?:skip|todo_skip)\b(?=[\s(])/g,
  },
  {
    extension: /\.swift$/,
    testFile: /Tests?\.swift$/,
    declares: /func\s+test\w*\s*\(|@Test\b/,
    asserts: /\bXCTAssert\w*\s*\(|\bXCTFail\s*\(|#(?:expect|require)\b/,
    weak: /\bXCTAssert(?:NotNil|True|False|NotEqual|NoThrow)?\s*\(/,
    skips: /@Test\b[^@]*?\.disabled\s*(?=\()/g,
    skipsNow: /^\s*throw\s+XCTSkip\s*(?=\()/g,
  },
  {
    extension: /\.exs?$/,
    testFile: /_test\.exs$/,
    declares: /^\s*(?:test|property)\s+"/,
    asserts: /^\s*(?:assert|refute)\w*\b/,
    weak: /^\s*(?:refute|assert_receive)\b|^\s*assert\s+\w+\s*$|=~|!=|\bin\b/,
    skips: /@(?:module|describe)?tag\s+:?skip\b/g,
  },
  {
    extension: /\.(?:c|cc|cpp|cxx)$/,
    testFile: /[-_](?:unit)?tests?\.\w+$|(^|\/)test_[^/]*$|Tests?\.\w+$/,
    declares: /^\s*(?:TYPED_)?TEST(?:_F|_P|_CASE)?\s*\(|^\s*SCENARIO\s*\(/,
    asserts: /\b(?:EXPECT|ASSERT|CHECK|REQUIRE)(?:_\w+)?\s*\(|^\s*assert\s*\(/,
    weak: /\b(?:EXPECT|ASSERT)_(?:TRUE|FALSE|NE|NO_THROW)\b/,
    skips: /\bDISABLED_\w+/g,
    skipsNow: /^\s*(?:GTEST_SKIP|SKIP)\s*(?=\()/g,
  },
  {
    extension: /\.dart$/,
    testFile: /_test\.dart$/,
    declares: /^\s*(?:test|testWidgets)\s*\(/,
    asserts: /\bexpect(?:Later)?\s*\(|\bfail\s*\(/,
    weak: /\b(?:isNotNull|isNot|isTrue|isFalse|contains|isA|anything|isNotEmpty)\b/,
    skips: /\bskip:\s*(?:true\b|(?=['"]))|@Skip\b/g,
  },
  {
    extension: /\.bats$/,
    testFile: /\.bats$/,
    declares: /^\s*@test\b/,
    asserts: /^\s*(?:\[\[? |assert\w*\b|refute\w*\b|run\b)/,
    weak: /!=|=~|\*/,
    skipsNow: /^\s*skip\b/g,
  },
]
