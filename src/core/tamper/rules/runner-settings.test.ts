import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsIn, rulesIn } from '../../../../test/support/tamper.ts'

const added = (path: string, text: string) => rulesIn({ [path]: ['\n', `\n${text}`] })

test('settings that leave tests out, run them again or pass without them are suspicions, in new files too', () => {
  const cases: [path: string, text: string, rule: string][] = [
    ['jest.config.js', "  testPathIgnorePatterns: ['/node_modules/', 'cart'],\n", 'runner-narrowed'],
    ['vitest.config.ts', "  exclude: ['test/cart.test.ts'],\n", 'runner-narrowed'],
    ['vitest.config.ts', "  include: ['test/sum.test.ts'],\n", 'runner-narrowed'],
    ['package.json', '  "jest": { "testPathIgnorePatterns": ["cart"] },\n', 'runner-narrowed'],
    ['.mocharc.json', '  "grep": "adds",\n', 'runner-narrowed'],
    ['pytest.ini', 'addopts = -m "not slow"\n', 'runner-narrowed'],
    ['pyproject.toml', 'addopts = "-q -k adds"\n', 'runner-narrowed'],
    ['tests/conftest.py', 'collect_ignore = ["test_cart.py"]\n', 'runner-narrowed'],
    ['cart_test.go', '//go:build integration\n', 'runner-narrowed'],
    ['Cargo.toml', 'autotests = false\n', 'runner-narrowed'],
    ['Cargo.toml', '[[test]]\nname = "split"\nrequired-features = ["full"]\n', 'runner-narrowed'],
    ['.mvn/maven.config', '-DskipTests\n', 'runner-narrowed'],
    ['.runsettings', '<TestCaseFilter>Category!=Slow</TestCaseFilter>\n', 'runner-narrowed'],
    ['Directory.Build.props', '<VSTestTestCaseFilter>Name!~Split</VSTestTestCaseFilter>\n', 'runner-narrowed'],
    ['phpunit.xml', '<groups><exclude><group>slow</group></exclude></groups>\n', 'runner-narrowed'],
    ['Rakefile', 'RSpec::Core::RakeTask.new(:spec) { |task| task.fail_on_error = false }\n', 'runner-lenient'],
    ['pom.xml', '<skipTests>true</skipTests>\n', 'runner-narrowed'],
    ['build.gradle', 'filter { excludeTestsMatching "Cart*" }\n', 'runner-narrowed'],
    ['.rspec', '--tag ~slow\n', 'runner-narrowed'],
    ['spec/spec_helper.rb', '  config.filter_run_excluding slow: true\n', 'runner-narrowed'],
    ['phpunit.xml', '<exclude>tests/CartTest.php</exclude>\n', 'runner-narrowed'],
    ['x.csproj', '<IsTestProject>false</IsTestProject>\n', 'runner-narrowed'],
    [
      'conftest.py',
      'def pytest_collection_modifyitems(items):\n    items[:] = [item for item in items if keep(item)]\n',
      'runner-narrowed',
    ],
    ['pytest.ini', 'python_files = check_*.py\n', 'runner-narrowed'],
    ['tests/test_a.py', 'def load_tests(loader, tests, pattern):\n', 'runner-narrowed'],
    ['conftest.py', '        item.add_marker(pytest.mark.xfail)\n', 'test-skipped'],
    ['tsconfig.json', '  "exclude": ["src/order.ts"],\n', 'check-turned-off'],
    ['biome.json', '  "includes": ["**", "!src/cart.js"],\n', 'check-turned-off'],
    ['package.json', '  "test": "node --test --test-coverage-exclude=src/cart.js"\n', 'coverage-turned-off'],
    ['vitest.config.ts', '  retry: 3,\n', 'runner-retries'],
    ['test/a.test.ts', 'jest.retryTimes(3)\n', 'runner-retries'],
    ['tests/test_a.py', '@pytest.mark.flaky(reruns=3)\n', 'runner-retries'],
    ['vitest.config.ts', '  passWithNoTests: true,\n', 'runner-lenient'],
    ['pom.xml', '<testFailureIgnore>true</testFailureIgnore>\n', 'runner-lenient'],
    ['build.gradle', 'test { ignoreFailures = true }\n', 'runner-lenient'],
    ['tsconfig.json', '  "strict": false,\n', 'check-turned-off'],
    ['eslint.config.js', "  'no-unused-vars': 'off',\n", 'check-turned-off'],
    ['.rubocop.yml', '  Enabled: false\n', 'check-turned-off'],
    ['mypy.ini', 'ignore_errors = True\n', 'check-turned-off'],
    ['.github/workflows/ci.yml', '        continue-on-error: true\n', 'ci-changed'],
  ]
  for (const [path, text, rule] of cases) assert.deepEqual(added(path, text), [`${rule} ${path}`], text)
  assert.deepEqual(rulesIn({ 'jest.config.js': [null, "module.exports = { testPathIgnorePatterns: ['cart'] }\n"] }), [
    'runner-narrowed jest.config.js',
  ])
})

test('a first configuration, places without tests, stricter settings and comments are nothing', () => {
  const cases: [path: string, text: string][] = [
    [
      'vitest.config.ts',
      "export default defineConfig({\n  test: { include: ['test/**/*.test.ts'], environment: 'node', globals: true },\n})\n",
    ],
    ['vitest.config.ts', "  exclude: ['node_modules', 'dist', 'e2e/**'],\n"],
    ['jest.config.js', "  testPathIgnorePatterns: ['/node_modules/', '/dist/'],\n"],
    ['jest.config.js', "// testPathIgnorePatterns: ['cart']\n"],
    ['jest.config.js', "  testMatch: ['**/*.test.js'],\n"],
    ['pytest.ini', '[pytest]\ntestpaths = tests\naddopts = -q --strict-markers\n'],
    ['tests/conftest.py', 'import pytest\n\n@pytest.fixture\ndef client():\n    return Client()\n'],
    ['pom.xml', '<skipTests>false</skipTests>\n'],
    ['cart_test.go', '//go:build linux && amd64\n'],
    ['pytest.ini', 'python_files = test_*.py *_test.py\n'],
    ['conftest.py', '    items[:] = sorted(items, key=by_name)\n'],
    ['tsconfig.json', '  "exclude": ["node_modules", "dist"],\n'],
    ['biome.json', '  "includes": ["**", "!dist"],\n'],
    ['vitest.config.ts', '  retry: 0,\n'],
    ['test/client.test.ts', 'const client = makeClient({ retries: 3 })\n'],
    ['tsconfig.json', '  "strict": true,\n  "skipLibCheck": true,\n'],
    ['eslint.config.js', "  'no-unused-vars': 'error',\n"],
    ['phpunit.xml', '<phpunit failOnRisky="true"><testsuite name="unit"><directory>tests</directory></testsuite></phpunit>\n'],
    ['.github/workflows/ci.yml', 'on: push\njobs:\n  test:\n    steps:\n      - run: npm test\n'],
    ['Makefile', 'lint:\n\tgrep -r TODO src\n'],
  ]
  for (const [path, text] of cases) assert.deepEqual(added(path, text), [], text)
})

test('thresholds that went down, or away, are suspicions; higher ones are nothing', () => {
  const cases: [path: string, before: string, after: string][] = [
    ['jest.config.js', '    lines: 90,\n', '    lines: 50,\n'],
    ['pyproject.toml', 'fail_under = 90\n', 'fail_under = 10\n'],
    ['package.json', '"test": "c8 --lines 90 mocha"\n', '"test": "c8 --lines 9 mocha"\n'],
    ['phpstan.neon', '  level: 8\n', '  level: 1\n'],
    ['package.json', '"lint": "eslint --max-warnings 0 ."\n', '"lint": "eslint --max-warnings 99 ."\n'],
    ['spec/spec_helper.rb', 'minimum_coverage 90\n', '# none\n'],
  ]
  for (const [path, before, after] of cases)
    assert.deepEqual(rulesIn({ [path]: [before, after] }), [`threshold-lowered ${path}`], after)
  for (const [path, before, after] of cases.slice(0, -1)) assert.deepEqual(rulesIn({ [path]: [after, before] }), [], before)
  assert.deepEqual(rulesIn({ 'jest.config.js': [null, '    lines: 90,\n'] }), [])
  assert.equal(
    findingsIn({ 'jest.config.js': ['    lines: 90,\n', '    lines: 50,\n'] })[0]?.words,
    'changed the threshold lines from 90 to 50 in jest.config.js (line 1)',
  )
})

test('a benchmark has a harness of its own, and an example may need a feature', () => {
  assert.deepEqual(added('Cargo.toml', '[[bench]]\nname = "split"\nharness = false\n'), [])
  assert.deepEqual(added('Cargo.toml', '[[example]]\nname = "split"\nrequired-features = ["full"]\n'), [])
})

test('mocha that lists tests instead of running them is evidence; a dry run of a release is not', () => {
  assert.deepEqual(added('.mocharc.json', '{ "timeout": 5000, "dryRun": true }\n'), ['results-changed .mocharc.json!'])
  assert.deepEqual(added('.mocharc.yml', 'dry-run: true\n'), ['results-changed .mocharc.yml!'])
  assert.deepEqual(added('package.json', '    "test": "mocha --dry-run"\n'), ['results-changed package.json!'])
  assert.deepEqual(added('package.json', '    "release:check": "npm publish --dry-run"\n'), [])
  assert.deepEqual(added('.mocharc.json', '{ "dryRun": false }\n'), [])
})
