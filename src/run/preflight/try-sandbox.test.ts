import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { loadSettings } from '../../config/sources.ts'
import { sandboxAdvice } from './try-sandbox.ts'

const isAllowed = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-pid', '--proc', '/proc', 'true']).status === 0

/** A machine with an agent, and a home folder that a sandbox does not show. */
async function advised(
  t: TestContext,
  gate: string,
  { version = 'echo 2.1.0', flags = {} }: { version?: string; flags?: Record<string, unknown> } = {},
) {
  const folder = tempFolder(t)
  const [root, home, bin] = ['project', 'home', 'bin'].map((name) => join(folder, name)) as [string, string, string]
  for (const path of [root, home, bin]) mkdirSync(path)
  if (version !== '') writeFileSync(join(bin, 'claude'), `#!/bin/sh\n${version}\n`, { mode: 0o755 })
  writeFileSync(join(home, 'secret'), 'x')
  const env = { HOME: home, PATH: `${bin}:${process.env['PATH']}` }
  const { settings } = await loadSettings({ root, home: join(home, '.ralph'), env: {}, flags })
  return sandboxAdvice({ root, settings, env, gate })
}
const where = isAllowed ? (words: string) => words : () => null

test('where agent and gate work in bwrap, a sandbox is proposed', async (t) => {
  const proposed = (ran: string): string =>
    `bwrap works here, and ${ran} ran in it. To isolate agents and gates: ralph config set sandbox.kind bwrap (see docs/sandbox.md).`
  assert.equal(await advised(t, 'echo tests'), where(proposed('claude --version and "echo tests"')))
  assert.equal(await advised(t, ''), where(proposed('claude --version')))
  // Red outside too: that says nothing about the sandbox.
  assert.equal(await advised(t, 'exit 1'), where(proposed('claude --version')))
})

test('what does not work in it is named', async (t) => {
  const gate = 'test -e "$HOME/secret" || { echo no secret; exit 1; }'
  const more = ' See sandbox.home and sandbox.env in docs/sandbox.md.'
  assert.equal(await advised(t, gate), where(`bwrap works here, but "${gate}" fails in it (no secret) and not outside.${more}`))
  const version = gate.replace('exit 1', 'exit 2')
  assert.equal(await advised(t, '', { version }), where(`bwrap works here, but claude --version fails in it (no secret).${more}`))
})

test('nothing is said where the agent is missing, or a sandbox is set', async (t) => {
  assert.equal(await advised(t, 'true', { version: '' }), null)
  assert.equal(await advised(t, 'true', { flags: { 'sandbox.kind': 'bwrap' } }), null)
})
