import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { Failure } from '../../core/failure.ts'
import { roleTemplates, shippedPath, templatePath } from './templates.ts'

const folder = tempFolder()
const [root, home] = [join(folder, 'project'), join(folder, 'home')]

function write(path: string, text = 'x'): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

test("the project's template comes before the user's, and that before the shipped one", () => {
  assert.equal(templatePath(root, home, 'tdd'), shippedPath('templates/prompt-tdd.md'))
  const users = write(join(home, 'templates', 'tdd.md'))
  assert.equal(templatePath(root, home, 'tdd'), users)
  const projects = write(join(root, '.ralph', 'templates', 'tdd.md'))
  assert.equal(templatePath(root, home, 'tdd'), projects)
})

test("R-PROMPT-1 a reviewer's template is replaced in the same way, and is no template for an implementer", () => {
  const told = () => roleTemplates(root, home)
  const shipped = (name: string): string => readFileSync(shippedPath(`templates/${name}.md`), 'utf8')
  assert.deepEqual(Object.keys(told()), ['review-spec', 'review-quality', 'review-final', 'learner', 'skill'])
  assert.equal(told()['review-spec'], shipped('review-spec'))
  write(join(home, 'templates', 'review-spec.md'), 'the user')
  assert.equal(told()['review-spec'], 'the user')
  write(join(root, '.ralph', 'templates', 'review-spec.md'), 'the project')
  assert.equal(told()['review-spec'], 'the project')
  for (const name of ['review-quality', 'review-final', 'learner', 'skill'] as const) assert.equal(told()[name], shipped(name))
  assert.throws(() => templatePath(root, home, 'review'), new Failure(78, 'No prompt template "review". Templates: default, tdd'))
})

test('an unknown template is refused with the nearest name, and so is a path', () => {
  write(join(home, 'templates', 'careful.md'))
  const names = 'careful, default, tdd'
  assert.throws(
    () => templatePath(root, home, 'carefull', 64),
    new Failure(64, `No prompt template "carefull". Did you mean careful? Templates: ${names}`),
  )
  assert.throws(() => templatePath(root, home, '../tdd'), new Failure(78, `No prompt template "../tdd". Templates: ${names}`))
})

test('R-PROMPT-1 the shipped templates say all that an iteration must do', () => {
  for (const name of ['tdd', 'default']) {
    const text = readFileSync(shippedPath(`templates/prompt-${name}.md`), 'utf8')
    const steps = [
      'Assess',
      'Read before',
      'acceptance criteri',
      'linter',
      'feat: <id> - <title>',
      '`passes`',
      '`notes`',
      'progress.txt',
      'Signal',
    ]
    for (const step of [
      ...steps,
      'One story an iteration',
      'BLOCKED',
      'DECIDE',
      '.ralph/config.yaml',
      'described under "How to signal"',
    ])
      assert.ok(text.includes(step), `${name} lacks "${step}"`)
    assert.match(text, /never commit(ted)?|Never commit/)
    for (const field of [
      '---',
      'Iteration:',
      'Date:',
      'Story:',
      'Status:',
      'Files Changed:',
      'Tests Added:',
      'Learnings:',
      'Commit:',
    ])
      assert.ok(text.includes(`    ${field}`), `${name} lacks "${field}"`)
  }
})

test('R-PROMPT-5 no shipped template holds a signal as an agent would send it', () => {
  for (const name of ['prompt-tdd', 'prompt-default', 'review-spec', 'review-quality', 'review-final'])
    assert.doesNotMatch(readFileSync(shippedPath(`templates/${name}.md`), 'utf8'), /<\/?promise|RALPH_STATUS|EXIT_SIGNAL/i)
})
