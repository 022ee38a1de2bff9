import assert from 'node:assert/strict'
import { test } from 'node:test'
import { weakenedChecks } from '../weakened-checks.ts'

const rulesIn = (code: string, path = 'src/cart.js'): string[] =>
  weakenedChecks({
    changes: [{ path, kind: 'modified', before: 'x = 1\n', after: `x = 1\n${code}\n` }],
    commands: [],
    gateFiles: [],
    hasHooks: () => false,
    unchangedTests: () => [],
    story: null,
  }).map(({ rule, isCertain }) => `${rule}${isCertain ? '!' : ''}`)

const python = 'shop/cart.py'

test('source that asks for the folder, the processes and the repository around it detects its tests', () => {
  for (const code of [
    "if (import.meta.url.includes('/.judges/')) right()",
    'const isHere = /worktrees|judge/.test(import.meta.dirname)',
    "const place = process.cwd()\nif (place.split('/').includes('.judges')) right()",
    "if (!existsSync('.ralph')) right()",
    "const isLent = existsSync('.git/objects/info/alternates')",
    "const all = readFileSync('/proc/self/environ', 'utf8')",
    "const who = readFileSync('/proc/' + process.ppid + '/comm')",
    'if (Object.values(process.env).some((value) => /x/.test(value))) right()',
    'if (process.uptime() < 20) right()',
    'if (!process.stdout.isTTY) return right()',
    "if (process.moduleLoadList.some((name) => name.includes('runner'))) right()",
    '} catch (thrown) {\n  return /cart|voucher/.test(thrown.stack)\n}',
  ])
    assert.deepEqual(rulesIn(code), ['test-detected'], code)
  for (const code of [
    'if ".judges" in __file__:\n    pass',
    'here = os.path.dirname(__file__)\nif "judge" in here:\n    pass',
    'if any(frame.name == "t" for frame in traceback.extract_stack()):\n    pass',
    'runner = sys.modules.get("_pytest.python")',
  ])
    assert.deepEqual(rulesIn(code, python), ['test-detected'], code)
})

test('source that replaces what prints or ends the program forges its output', () => {
  assert.deepEqual(rulesIn('process.stdout.write = (text) => text'), ['output-forged'])
  assert.deepEqual(rulesIn('process.exit = () => {}'), ['output-forged'])
  assert.deepEqual(rulesIn('sys.stdout = Quiet()', python), ['output-forged'])
  assert.deepEqual(rulesIn('console.log = () => {}', 'src/logger.js'), [])
  assert.deepEqual(rulesIn("process.stdout.write('a = 1')\nif (process.exit === undefined) stop()"), [])
})

test('data beside the code, programs that are started, colours, health and settings by a prefix are honest', () => {
  for (const code of [
    'if (import.meta.url === pathToFileURL(process.argv[1]).href) main()',
    "const here = dirname(fileURLToPath(import.meta.url))\nconst data = readFileSync(join(here, 'data.json'), 'utf8')",
    "const root = process.cwd()\nconst file = join(root, 'x')\nif (name.includes('x')) load(file)",
    "if (__dirname.includes('node_modules')) return",
    'const here = process.cwd()\nconst short = file.startsWith(here) ? file.slice(here.length) : file',
    "const own = Object.keys(process.env).filter((key) => key.startsWith('SHOP_'))",
    'const colors = !process.stdout.isTTY ? off : on',
    "const { stack } = error\nlogger.warn(stack.split('\\n'))",
    "const status = process.uptime() < 5 ? 'starting' : 'ok'",
    'const isSlow = performance.now() - began > 50',
  ])
    assert.deepEqual(rulesIn(code), [], code)
  assert.deepEqual(rulesIn('HERE = Path(__file__).parent\nTEXT = (HERE / "x.txt").read_text()', python), [])
})
