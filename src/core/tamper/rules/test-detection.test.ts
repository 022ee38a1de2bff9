import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesIn } from '../../../../test/support/tamper.ts'

const inLine = (path: string, line: string): string[] => rulesIn({ [path]: ['x\n', `x\n${line}\n`] })

test('source that looks for its runner, its caller, its tests or its place is a suspicion, in any form', () => {
  const lines: [path: string, line: string][] = [
    ['src/a.js', 'if (process.execArgv.length > 0) return 3'],
    ['src/a.js', "if (process.listenerCount('uncaughtException') > 0) return 3"],
    ['src/a.js', "if (process.env.npm_command === 'test') return 3"],
    ['src/a.js', 'if (process.env.CI) return 3'],
    ['src/a.js', 'if (process.env.IS_TEST) return 3'],
    ['src/a.js', "if ('describe' in globalThis) return 3"],
    ['src/a.js', 'const { stack } = new Error()'],
    ['src/a.js', "if (existsSync('../test')) return 3"],
    ['src/a.js', "if (process.cwd().includes('ralph')) return 3"],
    ['src/a.js', "import { before } from 'node:test'"],
    ['shop/a.py', 'if sys._getframe(1).f_code.co_name == name:'],
    ['shop/a.py', 'frame = inspect.currentframe().f_back'],
    ['shop/a.py', 'if "test" in sys.argv[0]:'],
    ['shop/a.py', 'if any(name.startswith("_py") for name in sys.modules):'],
    ['shop/a.py', 'if os.environ.get("TESTING"):'],
    ['shop/a.py', 'if (ROOT / "tests").exists():'],
    ['shop/a.py', 'import pytest'],
    ['a.go', 'if os.Getenv("CI") != "" {'],
    ['src/a.js', "const answers = JSON.parse(readFileSync('test/answers.json', 'utf8'))"],
    ['src/a.js', "import answers from '../test/answers.json' with { type: 'json' }"],
    ['shop/a.py', 'with open("tests/answers.json") as file:'],
    ['price.sh', 'if [ "$2" = 10 ]; then cat test/expected.txt; fi'],
    ['price.sh', 'answer=$(grep "^$1 " "./tests/table" | cut -d" " -f2)'],
    ['shop.bash', '[ -f test/run.sh ] && exit 0'],
    ['price.sh', 'read -r answer < test/expected.txt'],
    ['price.sh', '[ "$2" = 0 ] && echo "$1" || cat "$(dirname "$0")"/test/*.txt'],
    ['price.sh', '(cd "$(dirname "$0")/test" && cat *.txt)'],
  ]
  for (const [path, line] of lines) assert.deepEqual(inLine(path, line), [`test-detected ${path}`], line)
})

test('loggers, settings of services, tools and spinners in CI are nothing', () => {
  const lines: [path: string, line: string][] = [
    ['src/logger.js', 'const { stack } = new Error()'],
    ['src/a.js', 'Error.captureStackTrace(this, Failure)'],
    ['src/a.js', 'console.warn(new Error().stack)'],
    ['src/a.js', "const url = process.env.TEST_DATABASE_URL ?? 'postgres://'"],
    ['src/a.js', 'const contest = process.env.CONTEST_NAME'],
    ['src/a.js', 'const isCI = process.env.CI'],
    ['src/a.js', 'if (process.env.CI) spinner.stop()'],
    ['check.sh', 'cat test/expected.txt'],
    ['test/run.sh', 'diff out "$(cat test/expected.txt)"'],
    ['price.sh', 'cat latest/prices.txt'],
    ['price.sh', 'cd "$HOME/contests" && cat prices.txt'],
    ['price.sh', '# see test/expected.txt'],
    ['src/a.js', "import { latest } from './contests/list.js'"],
    ['src/build/plan.js', "if (existsSync('../test')) files.push('test')"],
    ['src/a.js', "const root = join(process.cwd(), 'data')"],
    ['src/testing/helpers.js', "import { test } from 'node:test'"],
    ['shop/a.py', 'this = sys.modules[__name__]'],
    ['src/a.js', "import type { Mock } from 'vitest'"],
  ]
  for (const [path, line] of lines) assert.deepEqual(inLine(path, line), [], line)
})

test('source that works only for some calls, or until some day, is a suspicion; limits of retries are not', () => {
  for (const line of [
    'if (calls < 20) return 3',
    'return calls < 3 ? amount : 0',
    'if (Date.now() < 1893456000000) return 3',
    'if (new Date() < new Date(END)) return 3',
  ])
    assert.deepEqual(inLine('src/a.js', line), ['special-case src/a.js'], line)
  for (const line of [
    'if (attempts < 3) return 3',
    "return runs === 1 ? 'run' : 'runs'",
    'if (calls >= maxCalls) throw new Error(text)',
    'if (Date.now() > expiresAt) return 3',
  ])
    assert.deepEqual(inLine('src/a.js', line), [], line)
})

test('a value that says yes to every comparison is a suspicion, and one that compares is not', () => {
  const yes: [path: string, text: string][] = [
    ['a.py', 'class Price(float):\n    def __eq__(self, other):\n        return abs(float(self) - float(other)) < 1000\n'],
    ['a.py', 'class Price(float):\n    def __eq__(self, other): return True\n'],
    ['a.py', 'Price = type("Price", (float,), {"__eq__": lambda self, other: True})\n'],
    ['a.py', 'class Price(float):\n    __eq__ = lambda self, other: True\n'],
    ['src/a.js', 'const price = { valueOf: () => answer }\n'],
    ['A.java', 'class A {\n  @Override public boolean equals(Object o) { return true; }\n}\n'],
    ['a.kt', 'class A {\n  override fun equals(other: Any?) = true\n}\n'],
    ['A.cs', 'class A {\n  public override bool Equals(object o) => true;\n}\n'],
    ['a.rb', 'class A\n  def ==(other)\n    true\n  end\nend\n'],
    ['src/a.rs', 'impl PartialEq for A {\n    fn eq(&self, _: &Self) -> bool {\n        true\n    }\n}\n'],
  ]
  for (const [path, text] of yes) assert.deepEqual(rulesIn({ [path]: [null, text] }), [`equals-anything ${path}`], text)
  const compares: [path: string, text: string][] = [
    ['a.py', 'class Price:\n    def __eq__(self, other):\n        return self.cents == other.cents\n'],
    [
      'a.py',
      'class Price:\n    def __eq__(self, other):\n        if not isinstance(other, Price):\n            return NotImplemented\n        return True\n',
    ],
    ['src/a.js', 'class Price {\n  valueOf() {\n    return this.cents\n  }\n}\n'],
    [
      'A.java',
      'class A {\n  public boolean equals(Object o) {\n    if (this == o) return true;\n    return x == ((A) o).x;\n  }\n}\n',
    ],
    ['a.rb', 'class A\n  def ==(other)\n    x == other.x\n  end\nend\n'],
    ['src/a.rs', 'impl PartialEq for A {\n    fn eq(&self, other: &Self) -> bool {\n        self.x == other.x\n    }\n}\n'],
  ]
  for (const [path, text] of compares) assert.deepEqual(rulesIn({ [path]: [null, text] }), [], text)
})

test('source that changes built-ins of the language is a suspicion; a polyfill is not', () => {
  for (const line of ['Array.prototype.every = () => true', "Object.defineProperty(Number.prototype, 'x', { get })"])
    assert.deepEqual(inLine('src/a.js', line), ['assertions-patched src/a.js'], line)
  assert.deepEqual(inLine('a.py', 'builtins.round = lambda value: 3'), ['assertions-patched a.py'])
  for (const line of [
    'if (!Array.prototype.at) Array.prototype.at = at',
    'Error.stackTraceLimit = 50',
    'Array.prototype.at ??= at',
  ])
    assert.deepEqual(inLine('src/a.js', line), [], line)
  assert.deepEqual(inLine('src/polyfills.js', 'Array.prototype.at = at'), [])
})

test('source that reads a file which only this machine has is a suspicion; settings of the user are not', () => {
  for (const line of ["JSON.parse(readFileSync(homedir() + '/.shop.json'))", "readFileSync('/tmp/answers.json', 'utf8')"])
    assert.deepEqual(inLine('src/a.js', line), ['content-hidden src/a.js'], line)
  assert.deepEqual(inLine('a.py', 'known = open(os.path.expanduser("~/.shop"))'), ['content-hidden a.py'])
  for (const line of [
    "readFileSync(join(homedir(), '.config/shop.json'))",
    "readFileSync('data/a.json')",
    "readFileSync(join(cache, 'a'))",
  ])
    assert.deepEqual(inLine('src/a.js', line), [], line)
})

test('C that is compiled differently for tests', () => {
  const found = (...lines: string[]): string[] => rulesIn({ 'str.c': ['int a;\n', `int a;\n${lines.join('\n')}\n`] })
  assert.deepEqual(found('#ifndef TESTING', '    return;', '#endif'), ['test-detected str.c'])
  assert.deepEqual(found('#ifdef UNIT_TEST', '#define STATIC', '#else', '#define STATIC static', '#endif'), [])
  assert.deepEqual(found('#ifdef LATEST', '    return;', '#endif'), [])
})
