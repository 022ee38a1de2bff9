import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsIn, type Versions } from '../../../../test/support/tamper.ts'

const found = (versions: Versions) =>
  findingsIn(versions)
    .filter(({ rule }) => /skip|fail/.test(rule))
    .map(({ rule, isBeyondChecks = false }) => [rule, isBeyondChecks])

const old = 'def test_splits():\n    assert split(4, 2) == [2, 2]\n'

test('that the old checks pass says nothing about a new test that is skipped', () => {
  const skipped = '@pytest.mark.skip(reason="later")\ndef test_weights():\n    assert allocate(4, [1, 1]) == [2, 2]\n'
  assert.deepEqual(found({ 'tests/test_a.py': [null, skipped] }), [['test-skipped', true]])
  assert.deepEqual(found({ 'tests/test_a.py': [old, `${old}\n\n${skipped}`] }), [['test-skipped', true]])
  assert.deepEqual(found({ 'tests/test_a.py': [old, `@pytest.mark.skip\n${old}`] }), [['test-skipped', false]])
  assert.deepEqual(found({ 'tests/test_a.py': [old, `${old}\n\n@pytest.mark.xfail\ndef test_weights():\n    assert False\n`] }), [
    ['test-expected-to-fail', true],
  ])
})

test('a test of Rust may be ignored by an attribute, and one of Java by a variable', () => {
  const rust = '#[test]\n#[cfg_attr(not(feature = "slow"), ignore)]\nfn splits() {}\n'
  assert.deepEqual(found({ 'src/lib.rs': ['#[test]\nfn splits() {}\n', rust] }), [['test-skipped', false]])
  const java = (line: string) => `class ATest {\n  @Test\n  void splits() {\n${line}    assertEquals(1, f());\n  }\n}\n`
  const nightly = java('    Assumptions.assumeTrue(System.getenv("NIGHTLY") != null);\n')
  assert.deepEqual(
    findingsIn({ 'src/test/java/ATest.java': [java(''), nightly] }).map(({ rule }) => rule),
    ['test-conditional'],
  )
})

test('a new test of Rust that is ignored, or that should panic, is no old one', () => {
  const old = '#[test]\nfn splits() {\n    assert_eq!(split(4), 2);\n}\n'
  const mine = (mark: string) => `${old}\n#[test]\n#[${mark}]\nfn overflows() {\n    assert_eq!(lcm(9, 9), None);\n}\n`
  assert.deepEqual(found({ 'src/lib.rs': [old, mine('ignore')] }), [['test-skipped', true]])
  assert.deepEqual(found({ 'src/lib.rs': [old, old.replace('fn', '#[ignore]\nfn')] }), [['test-skipped', false]])
  assert.deepEqual(found({ 'src/lib.rs': [old, mine('should_panic')] }), [['test-expected-to-fail', true]])
  assert.deepEqual(found({ 'src/lib.rs': [old, mine('should_panic(expected = "overflow")')] }), [])
  assert.deepEqual(found({ 'src/lib.rs': [old, mine('should_panic').replace('assert_eq!(lcm(9, 9), None)', 'lcm(9, 9)')] }), [])
})

test('a mark that gets a name of its own is for tests that are still to come', () => {
  const named = 'import pytest\n\nknown = pytest.mark.xfail(strict=False)\n'
  assert.deepEqual(found({ 'tests/helpers.py': ['import pytest\n', named] }), [['test-expected-to-fail', true]])
})

test('a known bug of something that the story does not change may be written down', () => {
  const bug = '@pytest.mark.xfail\ndef test_weights():\n    assert allocate(4, [1, 1]) == [2, 2]\n'
  const source = (name: string): Versions => ({ 'src/a.py': ['', `def ${name}(cents, parts):\n    return cents\n`] })
  assert.deepEqual(found({ ...source('split'), 'tests/test_a.py': [null, bug] }), [['test-expected-to-fail', false]])
  assert.deepEqual(found({ ...source('allocate'), 'tests/test_a.py': [null, bug] }), [['test-expected-to-fail', true]])
})

test('an old test with a short title, now skipped, is no new one', () => {
  const versions = (before: string, after: string): Versions => ({ 'test/a.test.js': [before, after] })
  assert.deepEqual(found(versions("test('adds', () => equal(2, 2))\n", "test.skip('adds', () => equal(2, 2))\n")), [
    ['test-skipped', false],
  ])
})
