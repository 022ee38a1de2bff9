import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { aStart } from '../../../sim/builders.ts'
import { commitAll } from '../../../test/support/repository.ts'
import { aWorld, type TestWorld } from '../../../test/support/world.ts'
import { writeLearning } from '../../adapters/learning/learnings.ts'
import { writeSkill } from '../../adapters/learning/skills.ts'
import { commitLearned, gatherAll, groupsOf, lessonsIn, nameSkills } from './gather.ts'
import { learnedFor, skillsIn } from './notes-for-story.ts'
import { performLearning } from './perform.ts'

const plain = (text: string): string => text
/** What a story taught about migrations. */
function learn({ world }: Pick<TestWorld, 'world'>, story: string, text = 'Migrations run twice: make them idempotent.'): void {
  const learning = {
    task_id: story,
    timestamp: `2026-01-05T08:0${story.length}:00.000Z`,
    outcome: 'success' as const,
    successes: [{ category: 'database', pattern: text, reusable: true }],
    failures: [],
    discoveries: [],
  }
  writeLearning(world.dir, learning, plain)
}
const skillOf = ({ world }: TestWorld, category: string): string =>
  join(world.root, '.claude', 'skills', `${category}-learned`, 'SKILL.md')

test('what stories taught is found in all of them, the same thing once', async () => {
  const test = await aWorld()
  learn(test, 'S-1')
  learn(test, 'S-22')
  const { lessons, problems } = await lessonsIn(test.world.root)
  assert.deepEqual(problems, [])
  assert.deepEqual(
    lessons.map(({ category }) => category),
    ['database'],
  )
})

test('a file that nobody can read is named, and the others are read', async () => {
  const test = await aWorld()
  learn(test, 'S-1')
  writeFileSync(join(test.world.dir, 'learnings', 'learning-broken-20260105-080000.yaml'), 'task_id: [\n')
  const { lessons, problems } = await lessonsIn(test.world.root)
  assert.deepEqual([lessons.length, problems.length], [1, 1])
  assert.match(problems[0] ?? '', /learning-broken.*fix it or delete it/)
})

test('a category deserves a skill once its lesson was learned often enough', async () => {
  const test = await aWorld({ settings: { 'learn.skill_threshold': 2 } })
  learn(test, 'S-1')
  assert.deepEqual((await gatherAll(test.world)).due, [])
  learn(test, 'S-22')
  assert.deepEqual((await gatherAll(test.world)).due, ['database'])
  assert.equal((await groupsOf(test.world.root, 2)).groups.length, 1)
})

test('a skill that is newer than its lessons is not due; one that was retired stays so', async () => {
  const test = await aWorld({ settings: { 'learn.skill_threshold': 1 } })
  learn(test, 'S-1')
  const path = skillOf(test, 'database')
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, '# database\n')
  assert.deepEqual((await gatherAll(test.world)).due, [])
  utimesSync(path, 0, 0)
  assert.deepEqual((await gatherAll(test.world)).due, ['database'])
  writeFileSync(`${path}.retired`, '')
  assert.deepEqual((await gatherAll(test.world)).due, [])
})

test('skills are named to agents that do not load them by themselves', async () => {
  const test = await aWorld({ settings: { 'learn.skill_threshold': 1 }, files: { 'AGENTS.md': '# Agents\n' } })
  learn(test, 'S-1')
  mkdirSync(join(skillOf(test, 'database'), '..'), { recursive: true })
  writeFileSync(skillOf(test, 'database'), '# database\n')
  assert.deepEqual(await nameSkills(test.world.root, 1), [])
  assert.match(
    readFileSync(join(test.place.top, 'AGENTS.md'), 'utf8'),
    /# Agents[\s\S]*\.claude\/skills\/database-learned\/SKILL\.md/,
  )
  assert.deepEqual(skillsIn(test.world.root), ['database'])
})

test('what was learned is committed as Ralph’s, and nobody else’s work with it', async () => {
  const test = await aWorld({ files: { 'a.txt': 'a\n' } })
  test.place.write({ 'AGENTS.md': '# Agents\n', 'a.txt': 'the agent’s\n' })
  const { head } = await commitLearned(test.world, [], test.deed().report)
  assert.equal(test.place.sh('log', '-1', '--format=%s'), 'chore(ralph): add lessons')
  assert.equal(head, test.place.sh('rev-parse', 'HEAD'))
  assert.equal(test.place.sh('status', '--porcelain'), 'M a.txt'.padStart(8))
})

test('an AGENTS.md that the user is at work on is not committed', async () => {
  const test = await aWorld({ files: { 'AGENTS.md': '# Mine\n' } })
  test.place.write({ 'AGENTS.md': '# Mine, and more\n' })
  await commitLearned(test.world, ['AGENTS.md'], test.deed().report)
  assert.match(test.place.sh('status', '--porcelain'), /AGENTS\.md/)
})

test('a story’s prompt gets the lessons that fit it, and not those that were retired', async () => {
  const test = await aWorld({
    stories: [{ id: 'S-1', title: 'A migration for users', description: 'Write the database migration' }],
  })
  learn(test, 'S-0')
  const first = await learnedFor(test.world, aStart(1, 'S-1'), test.state())
  assert.deepEqual(first.texts.length, 1)
  const retired = { ...test.state(), learning: { ...test.state().learning, retired: first.lessons } }
  assert.deepEqual((await learnedFor(test.world, aStart(1, 'S-1'), retired)).texts, [])
})

test('switched off, learning puts nothing into prompts', async () => {
  const test = await aWorld({ settings: { 'learn.enabled': false } })
  learn(test, 'S-0')
  assert.deepEqual((await learnedFor(test.world, aStart(1, 'S-1'), test.state())).texts, [])
})

test('lessons are read once, until there are new ones', async () => {
  const test = await aWorld({ stories: [{ id: 'S-1', title: 'A migration', description: 'database migration' }] })
  assert.deepEqual((await learnedFor(test.world, aStart(1, 'S-1'), test.state())).texts, [])
  learn(test, 'S-0')
  assert.deepEqual((await learnedFor(test.world, aStart(1, 'S-1'), test.state())).texts, [])
  test.world.lessons.known = null
  assert.equal((await learnedFor(test.world, aStart(1, 'S-1'), test.state())).texts.length, 1)
})

const retired = { kind: 'skill.retired', skill: 'database', because: 'it did not help' } as never

test('a skill of Ralph’s that is retired is put out of the way and committed, at no cost', async () => {
  const test = await aWorld()
  writeSkill(test.world.root, 'database', '# database\n')
  commitAll(test.place, 'with its skill')
  const ended = await performLearning(test.world, retired, test.deed())
  assert.ok(ended?.kind === 'skill.ended')
  const { category, isRetired, usage, repo } = ended
  assert.deepEqual([category, isRetired, usage.costUsd, repo.head], ['database', true, 0, test.place.sh('rev-parse', 'HEAD')])
  assert.deepEqual(skillsIn(test.world.root), [])
})

test('a skill that the user wrote is not retired, and that is told', async () => {
  const test = await aWorld({ files: { '.claude/skills/database-learned/SKILL.md': '# mine\n' } })
  await performLearning(test.world, retired, test.deed())
  assert.deepEqual(skillsIn(test.world.root), ['database'])
  assert.match(test.noticed('skill-stays')[0] ?? '', /was not written by Ralph and stays in use/)
})

test('a problem with a file names the file already: it is told once', async () => {
  const test = await aWorld({ files: { '.claude/skills/database-learned/SKILL.md': '# mine\n' } })
  await performLearning(test.world, retired, test.deed())
  assert.match(test.noticed('skill-stays')[0] ?? '', /^\.claude\/skills\/database-learned\/SKILL\.md was not written by Ralph/)
})

test('a lesson that is retired is marked in its file, and read anew', async () => {
  const test = await aWorld()
  learn(test, 'S-1')
  const [lesson] = (await lessonsIn(test.world.root)).lessons
  test.world.lessons.known = Promise.resolve([])
  const decision = { kind: 'lesson.retired', lesson: lesson?.id ?? '', because: 'it did not help' } as const
  assert.equal(await performLearning(test.world, decision as never, test.deed()), null)
  assert.equal(test.world.lessons.known, null)
  assert.equal((await lessonsIn(test.world.root)).lessons[0]?.mark, 'retired')
})
