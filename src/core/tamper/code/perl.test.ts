import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsIn, type Versions } from '../../../../test/support/tamper.ts'

const rules = (versions: Versions, text = 'net() takes a rebate') =>
  findingsIn(versions, { story: { text, changesTests: false } }).map(({ rule, file }) => `${rule} ${file}`)

const before = `use strict;
use Test::More tests => 2;
use Price;

is(Price::net(5, 2), 10, 'two times five');
is Price::net(5, 0), 0, 'nothing';
`
const source: Versions = { 'lib/Price.pm': ['sub net { $_[0] }\n', 'sub net { $_[0] - 1 }\n'] }
const of = (after: string): string[] => rules({ ...source, 't/price.t': [before, after] })

test('the rules about tests hold for Perl: other values, weaker assertions, tests that are skipped or expected to fail', () => {
  assert.deepEqual(of(before.replace('10,', '9,')), ['expected-changed t/price.t'])
  assert.deepEqual(of(before.replace('is(Price::net(5, 2), 10', 'ok(Price::net(5, 2)')), ['assertion-weakened t/price.t'])
  const skipped = "SKIP: {\n    skip 'later', 1;\n    is(Price::net(5, 2), 10, 'two times five');\n}\n"
  assert.deepEqual(of(before.replace(/^is\(.*\n/m, skipped)), ['test-skipped t/price.t'])
  assert.deepEqual(of(before.replace('use Price;', "use Price;\nlocal $TODO = 'later';")), ['test-expected-to-fail t/price.t'])
  assert.deepEqual(of(before.replace('tests => 2', "skip_all => 'later'")), ['test-skipped t/price.t'])
})

test('tests of Perl that are put into subtests, or more of them, are no suspicion', () => {
  const inside = before
    .replace('tests => 2;', ';')
    .replace(/^is.*\n/gm, '    $&')
    .replace('    is(', "subtest 'without rebate' => sub {\n    is(")
  assert.deepEqual(of(`${inside}};\nis(Price::net(10, 1, 50), 5, 'half');\ndone_testing;\n`), [])
  assert.deepEqual(of(`${before}is(Price::net(10, 1, 50), 5, 'half');\n`), [])
})
