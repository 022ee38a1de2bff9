import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { parse } from 'yaml'
import { tempFolder } from '../../test/support/folder.ts'
import { keys } from './names.ts'
import { loadSettings } from './sources.ts'
import { configText, yamlValue } from './text.ts'
import { ensureUserConfig } from './user-file.ts'

const folder = tempFolder()

test('a value written as YAML is read back as itself', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      // YAML, like JSON, has no -0.
      const plain: unknown = JSON.parse(JSON.stringify(value))
      assert.deepEqual(parse(`key: ${yamlValue(plain)}`), { key: plain })
    }),
  )
  for (const text of ['', 'no', 'true', 'null', '1', 'a: b', '# a', 'npm test', "it's", 'a\nb', '-', '~'])
    assert.deepEqual(parse(`key: ${yamlValue(text)}`), { key: text })
})

test('a file to fill in explains each key, and sets only what has a value', () => {
  const text = configText('One.\nTwo.', ['model', 'defaults.max_iterations', 'defaults.pick', 'gates.tests'], {
    'gates.tests': 'npm test',
  })
  assert.equal(
    text,
    `# One.
# Two.

# The agent's model; empty: the agent's default.
# model: ""

defaults:
  # Maximum iterations per run.
  # max_iterations: 20
  # Who picks the next story. One of ralph, agent.
  # pick: ralph

gates:
  # The test command, a hard gate; empty: none.
  tests: "npm test"
`,
  )
})

test("the user's file is written once, names every key, sets nothing, and each line works with its mark taken away", async () => {
  const home = join(folder, 'new', '.ralph')
  const path = join(home, 'config.yaml')
  assert.equal(ensureUserConfig(home), undefined)
  const load = () => loadSettings({ root: folder, home, env: {}, flags: {} })
  assert.deepEqual(new Set(Object.values((await load()).sources)), new Set(['default']))

  const uncommented = readFileSync(path, 'utf8').replace(/^( *)# ([a-z_]+: \S.*)$/gm, '$1$2')
  writeFileSync(path, uncommented)
  assert.deepEqual((await load()).sources, Object.fromEntries(keys.map((key) => [key, 'user'])))
  assert.equal(ensureUserConfig(home), undefined)
  assert.equal(readFileSync(path, 'utf8'), uncommented)
})

test('a home that cannot be written is a warning', () => {
  const home = join(folder, 'a-file', '.ralph')
  writeFileSync(join(folder, 'a-file'), '')
  assert.equal(ensureUserConfig(home), `Cannot write ${home}/config.yaml (ENOTDIR): continuing without it.`)
  const locked = join(folder, 'locked')
  mkdirSync(locked)
  chmodSync(locked, 0o500)
  // Root may write everywhere: then there is nothing to warn of.
  assert.equal(ensureUserConfig(join(locked, '.ralph')) === undefined, existsSync(join(locked, '.ralph', 'config.yaml')))
})
