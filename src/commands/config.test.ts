import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../test/support/folder.ts'
import { jsonSchema } from '../config/json-schema.ts'
import { loadSettings } from '../config/sources.ts'
import { Failure } from '../core/failure.ts'
import { runConfig } from './config.ts'

function world(config: string, env: Record<string, string> = {}) {
  const root = tempFolder()
  const path = join(root, '.ralph', 'config.yaml')
  mkdirSync(join(root, '.ralph'))
  writeFileSync(path, config)
  const said = { out: '', err: '' }
  const io = {
    cwd: root,
    env: { HOME: join(root, 'home'), ...env },
    out: (text: string) => void (said.out += text),
    raw: (text: string) => void (said.out += text),
    err: (text: string) => void (said.err += text),
    isTerminal: false,
    isAttended: false,
  }
  const load = (loadEnv: Record<string, string>) =>
    loadSettings({ root, home: join(root, 'home', '.ralph'), env: loadEnv, flags: {} })
  return { io, said, path, load }
}

test('config show prints every value with its source', async () => {
  const { io, said, path } = world('defaults: { timeout_minutes: 90s }\n', { RALPH_GATES_TESTS: 'npm test', RALPH_WIGGUM: 'x' })
  assert.equal(await runConfig({ action: 'show' }, io), 0)
  const lines = said.out.split('\n').map((line) => line.replace(/ +# /, '  # '))
  assert.equal(lines[0], `# ${path}`)
  for (const line of [
    'agent: claude  # default',
    'defaults:',
    '  timeout_minutes: 1.5  # project',
    '  tests: "npm test"  # RALPH_GATES_TESTS',
    '    url: ""  # default',
  ])
    assert.ok(lines.includes(line), line)
  // One column for all sources; a value that is longer pushes its own.
  const columns = new Set(said.out.split('\n').flatMap((line) => / {2}# \w+$/.exec(line)?.index ?? []))
  assert.equal(Math.min(...columns), 58)
  assert.equal([...columns].filter((column) => column > 58).length, 1)
  assert.equal(said.err, 'Unknown variable RALPH_WIGGUM; "ralph config show" lists all settings\n')
})

test('what config show prints is a config.yaml that gives the same settings', async () => {
  const { io, said, path, load } = world(
    `
agent: { name: mine, command: [prog, "-x y", "#1"], env: { A: "b: c" } }
completion: { promise: "a # \\"b\\"\\nc", keywords: { done: [fertig, "yes"] } }
quality_checks: { "lint all": "npm run lint && echo 'x: y'" }
prices: { m-1: { input: 0.5, output: 1e-3 } }
gates: { tests_minutes: [90s, 2m] }
`,
    { RALPH_MAX_ITERATIONS: '7', RALPH_PROCESS_KEEP: 'a,b' },
  )
  const before = (await load({ RALPH_MAX_ITERATIONS: '7', RALPH_PROCESS_KEEP: 'a,b' })).settings
  await runConfig({ action: 'show' }, io)
  writeFileSync(path, said.out)
  assert.deepEqual((await load({})).settings, before)
})

test('config show --json has the same for programs', async () => {
  const { io, said, path } = world('model: "m"\n')
  await runConfig({ action: 'show', json: true }, io)
  const { files, settings } = JSON.parse(said.out)
  assert.deepEqual(files, [path])
  assert.deepEqual(settings['model'], { value: 'm', source: 'project' })
  assert.deepEqual(settings['budget.cost_usd'], { value: null, source: 'default' })
})

test("R-FILE-3 keys in the agent's variables are not shown", async () => {
  const { io, said } = world('agent: { name: mine, command: [x], env: { API_KEY: "hush-hush", MODE: "fast" } }\n')
  await runConfig({ action: 'show' }, io)
  await runConfig({ action: 'show', json: true }, io)
  assert.doesNotMatch(said.out, /hush/)
  assert.match(said.out, /^agent: \{ name: mine, command: \[x\], env: \{ API_KEY: "\*\*\*", MODE: fast \} \}/m)
})

test('config schema prints the schema, and needs no valid settings for it', async () => {
  const { io, said } = world('nonsense: 1\n')
  assert.equal(await runConfig({ action: 'schema' }, io), 0)
  assert.deepEqual(JSON.parse(said.out), JSON.parse(JSON.stringify(jsonSchema())))
  await assert.rejects(runConfig({ action: 'show' }, io), (error) => error instanceof Failure && error.exit === 78)
})

test('anything else is wrong usage', async () => {
  await assert.rejects(
    runConfig({ action: 'put' }, world('').io),
    new Failure(64, 'Unknown action "put"; use show, get, set or schema.'),
  )
})
