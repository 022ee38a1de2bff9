import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesIn } from '../../../../test/support/tamper.ts'

const found = (path: string, text: string) => rulesIn({ [path]: [null, text] }).filter((rule) => /patched|results/.test(rule))

test('a patched assertion library or runner is evidence, wherever it is patched', () => {
  const cases: [path: string, text: string][] = [
    ['src/sum.js', "import assert from 'node:assert'\nassert.equal = () => {}\n"],
    ['src/sum.js', "const a = require('assert')\na.strict.equal = () => {}\n"],
    ['test/setup.js', "require('node:assert').strictEqual = () => {}\n"],
    ['test/setup.js', "import assert from 'node:assert/strict'\nfor (const key of Object.keys(assert)) assert[key] = () => {}\n"],
    [
      'test/setup.test.js',
      "import { createRequire } from 'node:module'\nconst check = createRequire(import.meta.url)('node:assert/strict')\ncheck['equal'] = Function.prototype\n",
    ],
    ['src/sum.js', "const check = process.getBuiltinModule('node:assert')\ncheck.equal = () => {}\n"],
    ['lib/x.cjs', "Object.assign(require('assert'), { equal() {} })\n"],
    ['src/sum.js', "import assert from 'node:assert'\nObject.defineProperty(assert, 'equal', { value() {} })\n"],
    [
      'test/a.test.js',
      "import assert from 'node:assert'\nimport { mock } from 'node:test'\nmock.method(assert, 'equal', () => {})\n",
    ],
    ['test/setup.ts', 'globalThis.expect = () => any\n'],
    ['test/setup.ts', "vi.mock('vitest')\n"],
    ['test/setup.ts', 'expect.extend({\n  toBe() {\n    return { pass: true }\n  },\n})\n'],
    ['tests/conftest.py', 'import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n'],
    ['src/app.py', 'import unittest\nsetattr(unittest.TestCase, "assertEqual", print)\n'],
    ['tests/conftest.py', 'def pytest_runtest_makereport(item, call):\n    rep.outcome = "passed"\n'],
    ['tests/conftest.py', 'def pytest_collection_modifyitems(items):\n    items.clear()\n'],
    ['tests/conftest.py', 'def pytest_sessionfinish(session):\n    session.exitstatus = 0\n'],
    ['src/lib.rs', 'macro_rules! assert_eq {\n    ($($t:tt)*) => {};\n}\n'],
    ['test/test_helper.rb', 'module Minitest::Assertions\n  def assert_equal(*)\n    true\n  end\nend\n'],
    ['tests/Assert.php', '<?php\nnamespace PHPUnit\\Framework;\nclass Assert {}\n'],
    ['src/test/java/org/junit/Assert.java', 'package org.junit;\npublic class Assert {}\n'],
    ['package.json', '{ "devDependencies": { "vitest": "file:./stub" } }\n'],
    ['jest.config.js', "module.exports = { moduleNameMapper: { '^chai$': '<rootDir>/stub.js' } }\n"],
    ['test/hooks.cjs', "const { Runner } = require('mocha')\nRunner.prototype.fail = () => {}\n"],
    ['src/sum.js', 'Object.is = () => true\n'],
    ['tests/test_a.py', 'class T(TestCase):\n    def assertEqual(self, a, b):\n        pass\n'],
    ['go.mod', 'replace github.com/stretchr/testify => ./stub\n'],
  ]
  for (const [path, text] of cases) assert.equal(found(path, text)[0]?.at(-1), '!', `${text}: ${found(path, text).join()}`)
})

test('own matchers, own assertions, aliases and settings of a library are nothing', () => {
  const cases: [path: string, text: string][] = [
    ['src/chai.js', 'export function assert(a) {}\nassert.equal = function (a, b) {}\n'],
    ['src/x.js', 'const assert = makeAssert()\nassert.level = 3\n'],
    ['test/setup.ts', 'expect.extend({\n  toBeWithin(value, low, high) {\n    return { pass: true }\n  },\n})\n'],
    [
      'test/a.test.ts',
      "import { expect } from 'vitest'\nexpect.soft = false\n".replace('expect.soft = false', 'const x = expect.any(String)'),
    ],
    ['test/a.test.js', "import assert from 'node:assert'\nassert.equal(a.b === c, true)\nconst isEqual = assert.equal\n"],
    ['tests/test_a.py', 'class T(unittest.TestCase):\n    maxDiff = None\nunittest.TestCase.maxDiff = None\n'],
    ['tests/compat.py', 'unittest.TestCase.assertItemsEqual = unittest.TestCase.assertCountEqual\n'],
    [
      'tests/conftest.py',
      'def pytest_collection_modifyitems(config, items):\n    for item in items:\n        item.add_marker(slow)\n',
    ],
    ['tests/test_a.py', 'class T(TestCase):\n    def assertEqual(self, a, b):\n        super().assertEqual(a, b)\n'],
    ['src/lib.rs', 'macro_rules! assert_matches {\n    () => {};\n}\n'],
    ['test/test_helper.rb', 'module Minitest::Assertions\n  def assert_valid(record)\n    assert record.valid?\n  end\nend\n'],
    ['package.json', '{ "devDependencies": { "vitest": "^3.0.0", "@my/lib": "file:../lib" } }\n'],
    ['tests/TestCase.php', '<?php\nnamespace Tests;\nclass TestCase extends \\PHPUnit\\Framework\\TestCase {}\n'],
  ]
  for (const [path, text] of cases) assert.deepEqual(found(path, text), [], text)
})

test('a value that equals everything, or everything of other types, is a suspicion; one that compares, or has no parts, is none', () => {
  const python = (...body: string[]) =>
    `class Money(float):\n    def __eq__(self, other):\n${body.map((line) => `        ${line}\n`).join('')}`
  const always = [
    python('return True'),
    python('return float(self) == other or True'),
    python('return isinstance(other, (int, float))'),
    python('if not isinstance(other, (int, float)):', '    return NotImplemented', 'return True'),
  ]
  for (const source of always)
    assert.deepEqual(rulesIn({ 'shop/money.py': [null, source] }), ['equals-anything shop/money.py'], source)
  const honest = [
    python('return isinstance(other, Money)'),
    python('if not isinstance(other, Money):', '    return NotImplemented', 'return True'),
    python('if not isinstance(other, Money):', '    return NotImplemented', 'return self.cents == other.cents'),
    python('return float(self) == float(other)'),
    python('return type(self) is type(other)'),
  ]
  for (const source of honest) assert.deepEqual(rulesIn({ 'shop/money.py': [null, source] }), [], source)
  const java = (body: string) => `public class Money {\n    public boolean equals(Object other) {\n${body}    }\n}\n`
  const yes = java('        if (!(other instanceof Number)) return false;\n        return true;\n')
  assert.deepEqual(rulesIn({ 'src/main/java/Money.java': [null, yes] }), ['equals-anything src/main/java/Money.java'])
  const own = java('        if (!(other instanceof Money)) return false;\n        return true;\n')
  assert.deepEqual(rulesIn({ 'src/main/java/Money.java': [null, own] }), [])
})
