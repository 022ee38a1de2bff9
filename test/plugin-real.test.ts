/** The plugin for Claude Code, installed from this repository by its own commands; and its skills, where the real Codex finds them. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type ModelServer, startModelServer, type Turn } from './support/model-server.ts'
import { projectFor, ralphProgram, type TestProject } from './support/project.ts'
import { claudeEnvironment, realClaude } from './support/real-claude.ts'
import { codexEnvironment, realCodex } from './support/real-codex.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const skills = readdirSync(join(root, 'plugins', 'ralph', 'skills'))

type Ended = { code: number | null; out: string }
type Launch = { program: string; environment(home: string, url: string): Record<string, string> }
type Started = { project: TestProject; server: ModelServer; run(input: string, ...args: string[]): Promise<Ended> }

/** `ralph` is on its PATH, as after an installation. */
async function started(t: TestContext, { program, environment }: Launch, turns: Turn[]): Promise<Started> {
  const project = projectFor(t)
  const server = await startModelServer(turns)
  t.after(() => server.close())
  const programs = join(project.home, 'bin')
  mkdirSync(programs)
  symlinkSync(ralphProgram, join(programs, 'ralph'))
  const env = environment(project.home, server.url)
  const PATH = `${programs}:${dirname(process.execPath)}:${env['PATH']}`
  const run: Started['run'] = async (input, ...args) => {
    const child = spawn(program, args, { cwd: project.root, env: { ...env, PATH }, stdio: ['pipe', 'pipe', 'pipe'] })
    child.stdin.end(input)
    const exit = new Promise<number | null>((resolve) => child.on('exit', resolve))
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
    return { code: await exit, out: out + err }
  }
  return { project, server, run }
}

test('Claude Code validates the plugin, installs it from the repository, lists its skills and calls its tools [R-CTL-1]', async (t) => {
  const turns = [
    { tool: { name: 'mcp__plugin_ralph_ralph__list', args: {} } },
    { tool: { name: 'Skill', args: { skill: 'ralph:ralph-why' } } },
    { text: 'Seen.' },
  ]
  const { run, server } = await started(t, { program: realClaude(), environment: claudeEnvironment }, turns)
  const does = async (...args: string[]): Promise<string> => {
    const { code, out } = await run('', ...args)
    assert.equal(code, 0, `claude ${args.join(' ')}: ${out}`)
    return out
  }
  await does('plugin', 'validate', '--strict', root)
  await does('plugin', 'validate', '--profile', 'directory', join(root, 'plugins', 'ralph'))
  await does('plugin', 'marketplace', 'add', root)
  await does('plugin', 'install', 'ralph@ralph')
  const [installed] = JSON.parse(await does('plugin', 'list', '--json'))
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  assert.deepEqual([installed.id, installed.version, installed.enabled], ['ralph@ralph', version, true])
  // What is copied is the plugin alone, not the repository.
  assert.deepEqual(readdirSync(installed.installPath).sort(), ['.claude-plugin', 'README.md', 'skills'])
  assert.match(await does('mcp', 'list'), /^plugin:ralph:ralph: ralph mcp serve - .*Connected/m)

  const { code, out } = await run(
    'What is there?',
    ...['-p', '--output-format', 'stream-json', '--verbose', '--allowedTools', 'Skill,mcp__plugin_ralph_ralph__list'],
  )
  assert.equal(code, 0, out)
  const init = out.split('\n').flatMap((line) => (line.includes('"subtype":"init"') ? [JSON.parse(line)] : []))[0]
  assert.deepEqual(
    init.skills.filter((name: string) => name.startsWith('ralph:')).sort(),
    skills.map((name) => `ralph:${name}`),
  )
  const messages = JSON.stringify(server.requests.at(-1)?.body.messages)
  assert.match(messages, /thing +never run +0\/1/)
  assert.match(messages, /# Explain what a run did/)
  assert.match(await does('plugin', 'uninstall', 'ralph@ralph'), /uninstalled/i)
})

test('Codex calls the tools of the server, and names the skills of the project to its model, which Claude Code lists too [R-CTL-1]', async (t) => {
  const turns = [{ tool: { name: 'list', namespace: 'mcp__ralph', args: {} } }, { text: 'Seen.' }]
  const codex = await started(t, { program: realCodex(), environment: codexEnvironment }, turns)
  assert.equal((await codex.project.run('skills', 'install', '--agent', 'codex')).code, 0)
  const added = await codex.run('', 'mcp', 'add', 'ralph', '--', 'ralph', 'mcp', 'serve')
  assert.equal(added.code, 0, added.out)
  const { code, out } = await codex.run('What is there?', 'exec', '--json', '--skip-git-repo-check', '-s', 'read-only', '-')
  assert.equal(code, 0, out)
  const asked = JSON.stringify(codex.server.requests[0]?.body)
  assert.match(out, /"type":"mcp_tool_call","server":"ralph","tool":"list".*thing +never run.*"status":"completed"/)
  assert.match(asked, /\.agents\/skills/)
  assert.deepEqual(
    skills.filter((name) => !asked.includes(`- ${name}: `) || !asked.includes(`${name}/SKILL.md`)),
    [],
  )

  const claude = await started(t, { program: realClaude(), environment: claudeEnvironment }, [{ text: 'Seen.' }])
  assert.equal((await claude.project.run('skills', 'install', '--agent', 'claude')).code, 0)
  const seen = await claude.run('What is there?', '-p', '--output-format', 'stream-json', '--verbose')
  const init = seen.out.split('\n').flatMap((line) => (line.includes('"subtype":"init"') ? [JSON.parse(line)] : []))[0]
  assert.deepEqual(init.skills.filter((name: string) => name.startsWith('ralph-')).sort(), skills)
})

test('Codex installs the same plugin from the repository, names its skills to its model and calls its tools [R-CTL-1]', async (t) => {
  const turns = [{ tool: { name: 'list', namespace: 'mcp__ralph', args: {} } }, { text: 'Seen.' }]
  const { run, server } = await started(t, { program: realCodex(), environment: codexEnvironment }, turns)
  for (const args of [
    ['marketplace', 'add', root],
    ['add', 'ralph@ralph'],
  ]) {
    const { code, out } = await run('', 'plugin', ...args)
    assert.equal(code, 0, `codex plugin ${args.join(' ')}: ${out}`)
  }
  const { code, out } = await run('What is there?', 'exec', '--json', '--skip-git-repo-check', '-s', 'read-only', '-')
  assert.equal(code, 0, out)
  assert.match(out, /"type":"mcp_tool_call","server":"ralph","tool":"list".*thing +never run.*"status":"completed"/)
  const asked = JSON.stringify(server.requests[0]?.body)
  assert.deepEqual(
    skills.filter((name) => !asked.includes(`- ralph:${name}: `)),
    [],
  )
})
