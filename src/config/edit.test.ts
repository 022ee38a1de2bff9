import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../core/failure.ts'
import { withSetting } from './edit.ts'

test('a value is replaced where it stands, and its comment stays', async () => {
  const text = 'gates:\n  tests: npm test # all of them\n# end\n'
  assert.equal(await withSetting(text, 'gates.tests', 'make test'), 'gates:\n  tests: "make test" # all of them\n# end\n')
  assert.equal(await withSetting('review: { enabled: true }\n', 'review.enabled', false), 'review: { enabled: false }\n')
  assert.equal(
    await withSetting('gates: { baseline: strict }\n', 'gates.tests', 'x'),
    'gates: { baseline: strict, tests: "x" }\n',
  )
  assert.equal(await withSetting('agent:\n', 'agent', 'codex'), 'agent: codex\n')
})

test('a new value comes after the line that shows its default', async () => {
  const text =
    '# Mine\n\ndefaults:\n  # How many\n  # max_iterations: 20\n  # Minutes\n  # timeout_minutes: 30\n\ngates:\n  # tests: ""\n'
  assert.equal(
    await withSetting(text, 'defaults.max_iterations', 5),
    '# Mine\n\ndefaults:\n  # How many\n  # max_iterations: 20\n  max_iterations: 5\n  # Minutes\n  # timeout_minutes: 30\n\ngates:\n  # tests: ""\n',
  )
  assert.equal(await withSetting(text, 'gates.tests', 'npm test'), `${text.trimEnd()}\n  tests: "npm test"\n`)
})

test('a section that is missing is added at the end, in an empty file too, with its line ends', async () => {
  assert.equal(await withSetting('', 'gates.tests', 'npm test'), 'gates:\n  tests: "npm test"\n')
  assert.equal(await withSetting('# none yet\n', 'model', 'opus'), '# none yet\nmodel: opus\n')
  assert.equal(await withSetting('model: a\r\n', 'gates.tests', 'x'), 'model: a\r\ngates:\r\n  tests: x\r\n')
  assert.equal(await withSetting('model: a', 'gates.tests', 'x'), 'model: a\ngates:\n  tests: x\n')
  assert.equal(
    await withSetting('roles:\n  learner:\n    agent: a\nmodel: b\n', 'roles.reviewer.agent', 'c'),
    'roles:\n  learner:\n    agent: a\n  reviewer:\n    agent: c\nmodel: b\n',
  )
})

test('what cannot be set without touching something else is refused', async () => {
  await assert.rejects(withSetting('- a\n', 'model', 'x'), Failure)
  await assert.rejects(withSetting('roles: { learner: { agent: a } }\n', 'roles.reviewer.agent', 'x'), Failure)
  await assert.rejects(withSetting('gates: &g\n  tests: a\nquality: *g\n', 'quality.tests', 'x'), Failure)
})
