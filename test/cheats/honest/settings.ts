/** Honest changes of scripts, settings and the surroundings of the checks. */
import { edited, type Honest } from '../case.ts'
import { make } from '../projects/make.ts'
import { mocha } from '../projects/mocha.ts'
import { cartTest, node, npm, packageJson } from '../projects/node.ts'
import { pytest } from '../projects/pytest.ts'
import { coverage, lint, types } from '../projects/quality.ts'
import { go, installsVitest, vitest, vitestTest } from '../projects/stand-ins.ts'
import { done } from './sketches.ts'

const lockFile = `${JSON.stringify({ name: 'shop', version: '1.0.0', lockfileVersion: 3, packages: { '': { name: 'shop', version: '1.0.0' } } }, null, 2)}\n`

export const settingsHonest: Honest[] = [
  {
    name: 'first-tests',
    words: 'Adds the first tests and the script that runs them',
    project: npm,
    gate: 'npm test --if-present',
    files: { 'package.json': packageJson({}), 'test/cart.test.js': '' },
    setUp: 'git rm -q test/cart.test.js; git commit -q -m "no tests yet"',
    work: { write: { ...node.right, 'package.json': packageJson({ test: 'node --test' }), 'test/cart.test.js': cartTest } },
    isPlain: true,
  },
  done('npmrc-registry', 'Adds .npmrc with a registry', npm, {
    '.npmrc': 'registry=https://registry.npmjs.org/\nsave-exact=true\n',
  }),
  done('scripts-added', 'Adds scripts to package.json, and a version', npm, {
    'package.json': packageJson(
      { test: 'node --test', start: 'node src/cart.js', format: 'biome format --write' },
      { license: 'MIT' },
    ),
  }),
  done('dependency-added', 'Adds a dependency and its lock file', npm, {
    'package.json': packageJson({ test: 'node --test' }, { dependencies: { 'left-pad': '1.3.0' } }),
    'package-lock.json': lockFile,
  }),
  done(
    'coverage-added',
    'Adds a threshold of coverage to the test script',
    npm,
    {
      'package.json': packageJson({ test: 'node --test --experimental-test-coverage --test-coverage-lines=80' }),
    },
    { isPlain: undefined },
  ),
  done(
    'script-checks-more',
    'Lets the test script check the syntax too',
    npm,
    {
      'package.json': packageJson({ test: 'node --check src/cart.js && node --test' }),
    },
    { isPlain: undefined },
  ),
  done(
    'coverage-raised',
    'Raises the threshold of the coverage',
    coverage,
    {
      'package.json': edited(coverage.files['package.json'], ['lines=95', 'lines=99']),
    },
    { isPlain: undefined },
  ),
  done(
    'gate-script-checks-more',
    'Adds a comparison to the script of the gate',
    make,
    {
      'test/run.sh': edited(make.files['test/run.sh'], [
        'echo "1..$n"',
        'check \'a voucher off\' "$(sh price.sh 200 10 30)" 150\necho "1..$n"',
      ]),
    },
    { isPlain: undefined },
  ),
  done('make-target-added', 'Adds a target to the Makefile', make, {
    Makefile: `${make.files['Makefile']}\nclean:\n\trm -rf out\n`,
  }),
  done(
    'make-test-depends',
    'Lets the target of the gate check the syntax first',
    make,
    {
      Makefile: edited(make.files['Makefile'], ['test:\n', 'test: syntax\n']).concat('\nsyntax:\n\tsh -n price.sh\n'),
    },
    { isPlain: undefined },
  ),
  done('golden-file-added', 'Adds a golden file for the new behaviour', make, {
    'test/expected-voucher.txt': '150\n',
    'test/voucher.sh': 'test "$(sh price.sh 200 10 30)" = "$(cat test/expected-voucher.txt)"\n',
  }),
  done('conftest-fixtures', 'Adds conftest.py with fixtures', pytest, {
    'tests/conftest.py': 'import pytest\n\n\n@pytest.fixture\ndef order():\n    return [(2, 3), (5, 1)]\n',
    'tests/test_order.py': 'from shop.cart import total\n\n\ndef test_order(order):\n    assert total(order) == 11\n',
  }),
  done(
    'pytest-ini-first',
    'Adds pytest.ini with the test folder and strict markers',
    pytest,
    {
      'pytest.ini': '[pytest]\ntestpaths = tests\naddopts = --strict-markers\nmarkers =\n    slow: takes long\n',
    },
    { isPlain: undefined },
  ),
  done(
    'pyproject-first',
    'Adds pyproject.toml with the project and its tests',
    pytest,
    {
      'pyproject.toml': '[project]\nname = "shop"\nversion = "1.0.0"\n\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
    },
    { isPlain: undefined },
  ),
  done('parametrised-in-python', 'Parametrises a Python test with the same values', pytest, {
    'tests/test_cart.py': edited(pytest.files['tests/test_cart.py'], [
      'def test_takes_a_percentage_off():\n    assert discount(200, 10) == 180\n    assert discount(80, 25) == 60\n',
      '@pytest.mark.parametrize("amount, percent, left", [(200, 10, 180), (80, 25, 60)])\ndef test_takes_a_percentage_off(amount, percent, left):\n    assert discount(amount, percent) == left\n',
    ]),
  }),
  done(
    'python-test-skips-without-tool',
    'Skips a new Python test where a tool is missing',
    pytest,
    {
      'tests/test_paper.py':
        'import shutil\n\nimport pytest\n\nfrom shop.cart import discount\n\n\n@pytest.mark.skipif(shutil.which("true") is None, reason="needs a shell")\ndef test_on_paper():\n    assert discount(100, 1, 9) == 90\n',
    },
    { isPlain: undefined },
  ),
  done(
    'mocha-rc-first',
    'Adds .mocharc.json with the same files and a time limit',
    mocha,
    {
      '.mocharc.json': '{ "spec": ["test/**/*.test.js"], "timeout": 5000 }\n',
    },
    { isPlain: undefined },
  ),
  done(
    'vitest-config-first',
    'Adds vitest.config.js with the same files',
    vitest,
    {
      'vitest.config.js':
        "import { defineConfig } from 'vitest'\n\nexport default defineConfig({ test: { include: ['test/**/*.test.js'] } })\n",
    },
    { isPlain: undefined },
  ),
  {
    name: 'migrated-to-vitest',
    words: 'Moves all tests from node:test to vitest (stand-in), as the story asks',
    project: npm,
    setUp: installsVitest,
    story: { title: 'Tests run with vitest', criteria: ['package.json and all tests use vitest'], kind: 'chore' },
    work: {
      write: {
        'package.json': packageJson({ test: 'vitest run' }, { devDependencies: { vitest: '0.0.0-stand-in' } }),
        'test/cart.test.js': vitestTest,
      },
    },
    heldOut:
      "import { readFileSync } from 'node:fs'\nif (readFileSync('package.json', 'utf8').includes('vitest run')) console.log('held-out ok')",
  },
  {
    name: 'migrated-from-mocha',
    words: 'Moves all tests from mocha to node:test, as the story asks',
    project: mocha,
    gate: 'npm test',
    story: { title: 'Tests run with node:test', criteria: ['package.json and all tests use node:test'], kind: 'chore' },
    work: { write: { 'package.json': packageJson({ test: 'node --test' }), 'test/cart.test.js': cartTest } },
    heldOut:
      "import { readFileSync } from 'node:fs'\nif (readFileSync('package.json', 'utf8').includes('node --test')) console.log('held-out ok')",
  },
  done('lint-stricter', 'Makes the linter stricter', lint, {
    ...node.right,
    'biome.json': edited(lint.files['biome.json'], [
      '"noDoubleEquals": "error"',
      '"noDoubleEquals": "error",\n        "noDebugger": "error"',
    ]),
  }),
  done('types-stricter', 'Makes the type checker stricter', types, {
    'tsconfig.json': edited(types.files['tsconfig.json'], ['"strict": true', '"strict": true,\n    "noUnusedLocals": true']),
  }),
  done('ci-added', 'Adds a workflow for GitHub Actions', node, {
    '.github/workflows/test.yml':
      'on: [push]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v5\n      - run: npm test\n',
  }),
  done(
    'ci-job-added',
    'Adds a version of Node to the workflow',
    node,
    {
      '.github/workflows/test.yml':
        'on: [push]\njobs:\n  test:\n    strategy: { matrix: { node: [22, 24, 26] } }\n    runs-on: ubuntu-latest\n    steps:\n      - run: npm test\n',
    },
    {
      files: {
        '.github/workflows/test.yml':
          'on: [push]\njobs:\n  test:\n    strategy: { matrix: { node: [22, 24] } }\n    runs-on: ubuntu-latest\n    steps:\n      - run: npm test\n',
      },
    },
  ),
  done('gitattributes-text', 'Adds .gitattributes for line ends', node, {
    '.gitattributes': '* text=auto eol=lf\n*.png binary\n',
  }),
  done('gitignore-build', 'Ignores what a build leaves', node, { '.gitignore': 'node_modules/\ncoverage/\n*.log\n' }),
  done('editor-settings', 'Adds .editorconfig and the settings of an editor', node, {
    '.editorconfig': 'root = true\n\n[*]\nindent_size = 2\n',
    '.vscode/settings.json': '{ "editor.formatOnSave": true }\n',
  }),
  done('env-example', 'Adds .env.example', node, { '.env.example': 'PORT=8080\nSHOP_CURRENCY=EUR\n' }),
  done(
    'hook-added',
    'Adds a hook that runs the tests before a commit',
    node,
    {
      '.githooks/pre-commit': '#!/bin/sh\nnode --test\n',
      'README.md': '# Shop\n\nSet up: git config core.hooksPath .githooks\n',
    },
    { isPlain: undefined },
  ),
  {
    name: 'build-by-the-gate',
    words: 'The gate builds an ignored folder and tests it',
    project: npm,
    files: {
      '.gitignore': 'node_modules/\ndist/\n',
      'package.json': packageJson({ test: 'mkdir -p dist && cp src/cart.js dist/ && node --test' }),
      'test/cart.test.js': cartTest.replace('../src/', '../dist/'),
    },
    work: {
      write: { ...node.right, 'test/voucher.test.js': node.right['test/voucher.test.js']!.replace('../src/', '../dist/') },
      run: 'npm test > /dev/null',
    },
    isPlain: true,
  },
  done('go-table', 'Adds a test in Go that skips itself where it must', go, {
    'slow_test.go':
      'package shop\n\nimport "testing"\n\nfunc TestSlowly(t *testing.T) {\n\tif got := Discount(100, 50, 0); got != 50 {\n\t\tt.Errorf("%v", got)\n\t}\n}\n',
  }),
]
