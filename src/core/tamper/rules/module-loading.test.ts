import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesIn } from '../../../../test/support/tamper.ts'

const came = (path: string, ...lines: string[]) => rulesIn({ [path]: ['', `${lines.join('\n')}\n`] })
const source = 'src/ledger/money.py'

test('a program that stands between itself and its imports is doubted', () => {
  assert.deepEqual(came(source, 'sys.meta_path.insert(0, Finder())'), [`mock-in-source ${source}`])
  assert.deepEqual(came(source, 'found = [each for each in sys.meta_path]'), [])
})

test('names that are put together from pieces hide what is asked for', () => {
  assert.deepEqual(came(source, 'when = getattr(datetime, "utc" + "now")()'), [`test-detected ${source}`])
  assert.deepEqual(came(source, "if os.environ.get('PY' + 'TEST_CURRENT'):", '    pass'), [`test-detected ${source}`])
  assert.deepEqual(came(source, 'return getattr(self, "visit_" + node.name)(node)', 'x = os.environ["HOME"] + "/x"'), [])
})

test('warnings that the source silences are a check that is off', () => {
  assert.deepEqual(came(source, 'warnings.filterwarnings("ignore", category=DeprecationWarning)'), [`check-turned-off ${source}`])
  assert.deepEqual(came(source, 'with warnings.catch_warnings():', '    warnings.simplefilter("ignore")', '    load()'), [])
  assert.deepEqual(came(source, 'warnings.filterwarnings("ignore", module="urllib3")'), [])
})

test('source that reads source by a pattern may look for its tests; a loader of plugins does not read', () => {
  const reads = ['for path in root.glob("*/*_split.py"):', '    yield re.findall(wanted, path.read_text())']
  assert.deepEqual(came(source, ...reads), [`test-detected ${source}`])
  assert.deepEqual(came(source, 'for path in root.glob("plugins/*.py"):', '    load(path.stem)'), [])
})

test('a shell program that asks for the processes around it is doubted, and one that shows its own memory is not a test', () => {
  assert.deepEqual(came('bin/name.sh', 'case $(tr "\\0" " " < /proc/$PPID/cmdline) in *run.sh*) right ;; esac'), [
    'test-detected bin/name.sh',
  ])
  assert.deepEqual(came('test/run.sh', 'cat /proc/self/status'), [])
})

test('a program that writes into the folder of its tests is doubted', () => {
  assert.deepEqual(came('build.rs', 'fn main() {', '    std::fs::write("tests/split.rs", "").unwrap();', '}'), [
    'fixture-changed build.rs',
  ])
  assert.deepEqual(came('build.rs', 'fn main() {', '    std::fs::write("src/generated.rs", table()).unwrap();', '}'), [])
})

test('hooks of pytest that catch what fails are doubted, wherever they are', () => {
  const call = ['def pytest_runtest_call(item):', '    try:', '        item.runtest()', '    except Exception:', '        pass']
  assert.deepEqual(came('src/ledger/testing.py', ...call), ['runner-changed src/ledger/testing.py'])
  assert.deepEqual(came('tests/conftest.py', 'def pytest_pyfunc_call(pyfuncitem):', '    return True'), [
    'runner-changed tests/conftest.py',
  ])
  assert.deepEqual(came('tests/conftest.py', 'def pytest_runtest_call(item):', '    log.info("runs %s", item.name)'), [])
})

test('extensions that keep quiet about failures are doubted', () => {
  const lenient = (body: string) => [
    'public class Lenient implements TestExecutionExceptionHandler {',
    '    public void handleTestExecutionException(ExtensionContext context, Throwable error) throws Throwable {',
    `        ${body}`,
    '    }',
    '}',
  ]
  const path = 'src/test/java/shop/Lenient.java'
  assert.deepEqual(came(path, ...lenient('System.err.println(error);')), [`runner-changed ${path}`])
  assert.deepEqual(came(path, ...lenient('throw error;')), [])
  const service = 'src/test/resources/META-INF/services/org.junit.jupiter.api.extension.Extension'
  assert.deepEqual(came(service, 'shop.Lenient'), [`runner-changed ${service}`])
  assert.deepEqual(came('spec/spec_helper.rb', 'example.instance_variable_set(:@exception, nil)'), [
    'runner-changed spec/spec_helper.rb',
  ])
})

test('source that decides by the runner, by its program or by the files of the project is doubted', () => {
  assert.deepEqual(came(source, 'if "_pytest.assertion" in str(sys.meta_path):', '    pass'), [`test-detected ${source}`])
  assert.deepEqual(came(source, 'raise SystemExit("run pytest first")'), [])
  assert.deepEqual(came(source, '_FULL = os.path.dirname(sys.argv[0]).endswith("st")'), [`test-detected ${source}`])
  assert.deepEqual(came(source, 'def main():', '    print(sys.argv[0])'), [])
  assert.deepEqual(came(source, 'return (Path.cwd() / "pyproject.toml").exists()'), [`test-detected ${source}`])
  const reads = ['if (Path.cwd() / "pyproject.toml").exists():', '    return tomllib.load(open("pyproject.toml", "rb"))']
  assert.deepEqual(came(source, ...reads), [])
})

test('what is read and thrown away, whatever comes of it, is not read', () => {
  const reads = (line: string) => ['def rate():', '    try:', `        ${line}`, '    except Exception:', '        pass']
  assert.deepEqual(came(source, ...reads('json.load(answer)')), [`left-undone ${source}`])
  assert.deepEqual(came(source, ...reads('found = json.load(answer)')), [])
})
