import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSince, versionIn, versionWarning } from './version.ts'

test('a version is found in what a program prints', () => {
  for (const [text, version] of [
    ['2.1.325 (Claude Code)', '2.1.325'],
    ['codex-cli 0.166.0', '0.166.0'],
    ['v1.2', '1.2'],
    ['GitHub Copilot CLI 1.0.102\nCommit: 12ab', '1.0.102'],
    ['no version', undefined],
    ['', undefined],
  ] as const)
    assert.equal(versionIn(text), version)
})

test('numbers are compared as numbers, and missing ones are 0', () => {
  for (const [version, since, isLater] of [
    ['2.1.325', '2.1.99', true],
    ['2.1.99', '2.1.325', false],
    ['2.1', '2.1.0', true],
    ['2.1.1', '2.1', true],
    ['0.9.9', '1.0.0', false],
  ] as const)
    assert.equal(isSince(version, since), isLater, `${version} ${since}`)
})

test('a version outside of those that were tested is told, and one among them is not', () => {
  const known = { tested: '2.1.325', oldest: '2.1.197' }
  for (const version of ['2.1.197', '2.1.300 (Claude Code)', '2.1.325', 'dev'])
    assert.equal(versionWarning('claude', version, known), null)
  assert.equal(
    versionWarning('claude', '2.2.0', known),
    'claude 2.2.0 is newer than 2.1.325, the newest tested version: if its output cannot be read, install 2.1.325',
  )
  assert.equal(
    versionWarning('claude', '1.0.128 (Claude Code)', known),
    'claude 1.0.128 is older than 2.1.197, the oldest tested version: update it',
  )
  assert.equal(versionWarning('mine', '9.9.9', {}), null)
})
