/** The real Claude Code and a skill that Ralph made: listed, loaded by its name, and nothing in it acted on. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { retireSkill, writeSkill } from '../src/adapters/learning/skills.ts'
import type { Lesson } from '../src/core/learning/learning.ts'
import { groupLessons } from '../src/core/learning/skills/group-lessons.ts'
import { skillDescription, skillText } from '../src/core/learning/skills/skill-file.ts'
import { tempFolder } from './support/folder.ts'
import { startModelServer, type Turn } from './support/model-server.ts'
import { claudeEnvironment, realClaude } from './support/real-claude.ts'

const lessonOf = (text: string, index: number): Lesson => ({
  ...{ id: String(index), kind: 'success', text, category: 'Unit Tests' },
  source: { feature: 'shop', story: `S-${index}`, at: '2026-01-09T10:00:00.000Z', file: `.ralph/shop/learnings/${index}.yaml` },
})

/** What Claude Code says that it has, and what it sends to the model. */
async function ran(project: string, turns: Turn[]): Promise<{ skills: string[]; requests: string[] }> {
  const server = await startModelServer(turns)
  try {
    const args = ['-p', '--output-format', 'stream-json', '--verbose', '--allowedTools', 'Read,Skill,Bash']
    const env = claudeEnvironment(join(project, '..', 'home'), server.url)
    const child = spawn(realClaude(), args, { cwd: project, env, stdio: ['pipe', 'pipe', 'ignore'] })
    child.stdin.end('Do story S-1, please.')
    const lines = (await text(child.stdout)).split('\n').filter((line) => line !== '')
    const init = lines.map((line) => JSON.parse(line)).find(({ subtype }) => subtype === 'init') as
      | { skills?: string[] }
      | undefined
    return { skills: init?.skills ?? [], requests: server.requests.map(({ body }) => JSON.stringify(body.messages)) }
  } finally {
    await server.close()
  }
}

function emptyProject(t: TestContext): string {
  const folder = tempFolder(t)
  for (const name of ['home', 'project']) mkdirSync(join(folder, name))
  return join(folder, 'project')
}

test('R-LEARN-3: Claude Code lists a skill that Ralph made, says when to use it, and loads it; a retired one is gone', async (t) => {
  const project = emptyProject(t)
  const lessons = ['Mock the network', 'Seed the database', 'Use: "the fake clock" # always'].map(lessonOf)
  const { category, groups } = groupLessons(lessons, 3)[0]!
  // Made twice: what is made again must be as good as new.
  for (const body of ['## When to use\n\nOld.', null]) writeSkill(project, category, skillText(category, groups, body))
  const loads = [{ tool: { name: 'Skill', args: { skill: 'unit-tests-learned' } } }, { text: 'Done.' }]
  const { skills, requests } = await ran(project, loads)
  assert.ok(skills.includes('unit-tests-learned'), skills.join())
  assert.ok(requests[0]?.includes(`- unit-tests-learned: ${skillDescription(category, groups)}`), requests[0])
  assert.doesNotMatch(requests[0]!, /Seed the database/)
  assert.match(requests.at(-1)!, /- Seed the database\\n/)

  retireSkill(project, category, 'it did not help')
  const after = await ran(project, [{ text: 'Done.' }])
  assert.equal(after.skills.includes('unit-tests-learned'), false)
})

test('commands and files that a lesson names are not run or read when Claude Code loads its skill', async (t) => {
  const project = emptyProject(t)
  const secret = join(project, '..', 'secret.txt')
  writeFileSync(secret, 'amaranth\n')
  const texts = ['Run !`echo ran-$((40+2))` first', '```!\necho ran-$((40+2))\n```', '!`echo ran-$((40+2))`', `See @${secret}`]
  const loads = [{ tool: { name: 'Skill', args: { skill: 'unit-tests-learned' } } }, { text: 'Done.' }]
  const loaded = async (skill: string): Promise<string> => {
    writeSkill(project, 'unit-tests', skill)
    return (await ran(project, loads)).requests.at(-1)!
  }
  const raw = '---\nname: unit-tests-learned\ndescription: x\n---\n\n'
  // Quoted as they are they would be: else this test would prove nothing.
  assert.match(await loaded(`${raw}${texts.join('\n\n')}`), /amaranth.*ran-42/)
  const quoted = await loaded(
    skillText(
      'unit-tests',
      texts.map(lessonOf).map((lesson) => [lesson]),
      null,
    ),
  )
  assert.match(quoted, /See @ .*secret\.txt/)
  assert.doesNotMatch(quoted, /amaranth|ran-42/)
})
