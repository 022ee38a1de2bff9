import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandOf, editOf, targetOf } from './tool-input.ts'

test('a call is about its file, else its command, else its pattern, on one line', () => {
  assert.equal(targetOf({ content: 'x', filePath: 'a.ts', command: 'ls' }), 'a.ts')
  assert.equal(targetOf({ command: 'npm\n  test', description: 'Tests' }), 'npm test')
  assert.equal(targetOf({ pattern: 7, query: 'node' }), 'node')
  assert.deepEqual([targetOf({}), targetOf(null), targetOf('ls')], ['', '', ''])
})

test('an edit, as each agent words it', () => {
  const edit = { edit: { path: 'a', from: 'x', to: 'y' } }
  assert.deepEqual(editOf({ file_path: 'a', old_string: 'x', new_string: 'y' }), edit)
  assert.deepEqual(editOf({ filePath: 'a', oldString: 'x', newString: 'y' }), edit)
  assert.deepEqual(editOf({ path: 'a', old_str: 'x', new_str: 'y' }), edit)
  assert.deepEqual(editOf({ path: 'a', edits: [{ oldText: 'x', newText: 'y' }] }), edit)
  assert.deepEqual(editOf({ path: 'a', file_text: '' }), { edit: { path: 'a', to: '' } })
})

test('a call that edits nothing, or more than can be told, is no edit', () => {
  assert.deepEqual([editOf({ path: 'a' }), editOf({ content: 'x' }), editOf(null)], [{}, {}, {}])
  const part = { oldText: 'x', newText: 'y' }
  assert.deepEqual(editOf({ path: 'a', edits: [part, part] }), {})
})

test('a command about commits or hooks is kept whole, whatever its message; others are not kept [R-GATE-7]', () => {
  const command = `git add -A && git commit -m "${'a long message '.repeat(40)}" --no-verify`
  assert.deepEqual(commandOf({ command }), { command })
  assert.deepEqual(commandOf({ command: 'git config core.hooksPath /dev/null' }).command, 'git config core.hooksPath /dev/null')
  assert.deepEqual([commandOf({ command: 'git status' }), commandOf({ path: 'a' }), commandOf(null)], [{}, {}, {}])
  assert.equal(commandOf({ command: `git commit -m ${'x'.repeat(9000)}` }).command?.length, 8000)
})
