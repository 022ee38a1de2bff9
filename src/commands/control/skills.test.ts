import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { runSkills } from './skills.ts'

const names = ['ralph-answer', 'ralph-plan', 'ralph-run', 'ralph-why']

function project(t: TestContext, agent = 'claude') {
  const cwd = tempFolder(t)
  const path = (name: string): string => join(cwd, name)
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(path(name)), { recursive: true })
    writeFileSync(path(name), text)
  }
  write('.ralph/config.yaml', `agent: ${agent}\n`)
  const skills = async (action: string, names?: string): Promise<{ exit: number; lines: string[] }> => {
    let said = ''
    const out = (text: string): void => void (said += text)
    const io = { cwd, env: { HOME: path('home') }, out, err: out, raw: out, isTerminal: false, isAttended: false }
    const exit = await runSkills({ action, ...(names === undefined ? {} : { agent: names }) }, io)
    return { exit, lines: said.trim().split('\n') }
  }
  return { path, write, read: (name: string) => readFileSync(path(name), 'utf8'), skills }
}

const each = (folder: string, words: string): string[] => names.map((name) => `${folder}/${name}/SKILL.md: ${words}`)
const commit = 'Commit them to share them. New sessions of your agent have them.'

test('skills go where the agent of the settings looks, once, and are gone after removal [R-CTL-1]', async (t) => {
  const { skills, read, path } = project(t)
  assert.deepEqual((await skills('show')).lines, each('.claude/skills', 'not installed'))
  assert.deepEqual(await skills('install'), { exit: 0, lines: [...each('.claude/skills', 'installed'), commit] })
  const text = read('.claude/skills/ralph-run/SKILL.md')
  assert.match(text, /^---\nname: ralph-run\ndescription: .+\n---\n/)
  assert.deepEqual((await skills('install')).lines, [...each('.claude/skills', 'up to date'), commit])
  assert.equal(read('.claude/skills/ralph-run/SKILL.md'), text)
  assert.deepEqual((await skills('remove')).lines, each('.claude/skills', 'removed'))
  assert.equal(existsSync(path('.claude')), false)
})

test('agents that share a folder get them once, and an agent that is not known by name is told of them in AGENTS.md [R-CTL-1]', async (t) => {
  const { skills, read, write, path } = project(t)
  assert.deepEqual((await skills('install', 'codex, gemini,qwen')).lines, [
    ...each('.agents/skills', 'installed'),
    ...each('.qwen/skills', 'installed'),
    commit,
  ])
  write('AGENTS.md', '# Mine\n')
  assert.deepEqual((await skills('install', 'other')).lines.at(-2), 'AGENTS.md: names the skills now')
  assert.match(
    read('AGENTS.md'),
    /^# Mine\n\n<!-- ralph:drive:begin -->\n[\s\S]*`\.agents\/skills\/ralph-why\/SKILL\.md`: Explain/,
  )
  assert.deepEqual((await skills('install', 'other')).lines.at(-2), 'AGENTS.md: up to date')
  assert.deepEqual((await skills('remove', 'other')).lines.at(-1), 'AGENTS.md: section removed')
  assert.equal(read('AGENTS.md'), '# Mine\n')
  assert.deepEqual(readdirSync(path('.')).sort(), ['.qwen', '.ralph', 'AGENTS.md'])
})

test("a file that is not Ralph's, or that somebody changed, is neither written nor removed [R-CTL-1]", async (t) => {
  const { skills, read, write } = project(t)
  await skills('install')
  const changed = `${read('.claude/skills/ralph-why/SKILL.md')}More of mine.\n`
  write('.claude/skills/ralph-why/SKILL.md', changed)
  write('.claude/skills/ralph-run/SKILL.md', '# My own\n')
  const { exit, lines } = await skills('install')
  assert.equal(exit, 65)
  assert.deepEqual(lines.slice(0, 2), each('.claude/skills', 'up to date').slice(0, 2))
  for (const line of lines.slice(2)) assert.match(line, /SKILL\.md: is not from Ralph, or you changed it: left alone\. To get/)
  assert.equal((await skills('remove')).exit, 65)
  assert.deepEqual(
    [read('.claude/skills/ralph-why/SKILL.md'), read('.claude/skills/ralph-run/SKILL.md')],
    [changed, '# My own\n'],
  )
})

test('one of another version is replaced, also after git has given it other line ends [R-CTL-1]', async (t) => {
  const { skills, read, write } = project(t)
  await skills('install')
  const text = read('.claude/skills/ralph-why/SKILL.md')
  const older = '---\nname: ralph-why\n---\n\nOld.\n\n<!-- From "ralph skills install" (910777a8d782e378). Other words. -->\n'
  write('.claude/skills/ralph-why/SKILL.md', text.replaceAll('\n', '\r\n'))
  assert.equal((await skills('show')).lines[3], '.claude/skills/ralph-why/SKILL.md: installed')
  write('.claude/skills/ralph-why/SKILL.md', older)
  assert.match((await skills('show')).lines[3]!, /installed by another version; update with: ralph skills install$/)
  assert.equal((await skills('install')).lines[3], '.claude/skills/ralph-why/SKILL.md: updated')
  assert.equal(read('.claude/skills/ralph-why/SKILL.md'), text)
})

test('an unknown agent or action is refused with the known ones [R-CTL-1]', async (t) => {
  const { skills } = project(t)
  await assert.rejects(skills('install', 'codx'), /Unknown agent "codx": use one of claude, .*, other\. Did you mean codex\?/)
  await assert.rejects(skills('add'), /Unknown action "add"\. Use ralph skills/)
})
