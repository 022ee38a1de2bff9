import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Entry, emptyTranscript, type Transcript, withEntry } from './transcript.ts'

const fold = (...entries: Entry[]): Transcript => entries.reduce(withEntry, emptyTranscript())
const said = (text: string, isSub = false): Entry => ({ kind: 'said', text, isSub })
const tool = (name: string, target = '', isSub = false): Entry => ({ kind: 'tool', name, target, isSub })
const end = (isError: boolean, text?: string): Entry => ({ kind: 'end', isError, text })
const throttled = (by: Extract<Entry, { kind: 'throttled' }>['by']): Extract<Entry, { kind: 'throttled' }> => ({
  kind: 'throttled',
  by,
  message: 'slow down',
})

test('a whole call folds into what the loop needs', () => {
  const usage = { inputTokens: 10, outputTokens: 5, costUsd: 0.1 }
  const transcript = fold(
    { kind: 'session', id: 's-1', model: 'm' },
    said('I begin.'),
    tool('Edit', 'src/a.ts'),
    { kind: 'tool-result', failed: false, text: 'ok' },
    { kind: 'denied', tool: 'Bash' },
    { kind: 'denied', tool: 'Bash' },
    { kind: 'noise', text: 'warning' },
    { kind: 'retrying', message: 'once more' },
    { kind: 'error', message: 'lost the connection' },
    { kind: 'usage', usage: { ...usage, outputTokens: 1 } },
    said('All done.'),
    { kind: 'usage', usage },
    end(false, 'All done.'),
  )
  assert.deepEqual(transcript, {
    finalMessage: 'All done.',
    isStructuredEnd: true,
    isError: false,
    usage,
    session: 's-1',
    model: 'm',
    outputChars: 17,
    errors: ['lost the connection'],
    lastFailure: 'lost the connection',
    denied: ['Bash'],
    tool: 'Edit src/a.ts',
    tools: 1,
    edits: 1,
    commands: [],
    noise: 1,
    lastNoise: 'warning',
    understood: 12,
  })
})

test("the final message is the end's text, else the last words of the main agent, which a later tool call does not erase", () => {
  assert.equal(fold(said('one'), end(false, 'two')).finalMessage, 'two')
  assert.equal(fold(said('one'), said('two'), tool('Bash', 'ls'), said(' '), said('sub', true), end(false)).finalMessage, 'two')
  assert.equal(fold(said('one'), end(false, '')).finalMessage, 'one')
  assert.equal(fold(end(false, 'one'), said('more')).finalMessage, 'more')
})

test('of a very long final message the end is kept', () => {
  const text = `${'x'.repeat(300 * 1024)}the end`
  assert.equal(fold(said(text)).finalMessage, text.slice(-256 * 1024))
})

test('being throttled once and getting through is nothing', () => {
  assert.equal(fold(throttled('rate'), end(false, 'done')).throttled, undefined)
  assert.equal(fold(throttled('usage-limit'), tool('Bash'), said('done'), end(false)).throttled, undefined)
})

test('being throttled counts when the call ended badly, or did not end at all', () => {
  assert.deepEqual(fold(throttled('overload'), end(true, 'overloaded')).throttled, throttled('overload'))
  assert.deepEqual(fold(said('hm'), throttled('unreachable')).throttled, throttled('unreachable'))
  assert.deepEqual(fold(throttled('rate'), tool('Bash', '', true)).throttled, throttled('rate'))
})

test('what anyone may have printed counts only until the agent goes on or ends well', () => {
  const printed: Entry = { kind: 'throttled', by: 'usage-limit', message: 'You have hit your limit', isHearsay: true }
  const { isHearsay: _, ...known } = printed
  for (const rest of [[said('on')], [tool('Bash')], [end(false, 'done')]])
    assert.equal(fold(printed, ...rest).throttled, undefined)
  assert.deepEqual(fold(said('hm'), printed).throttled, known)
  assert.deepEqual(fold(printed, end(true)).throttled, known)
  const told: Entry = { ...throttled('usage-limit') }
  assert.deepEqual(fold(printed, told, end(false)).throttled, told)
})

test('R-LIM-4: a usage limit given as an ordinary answer counts', () => {
  assert.deepEqual(
    fold(said('You have hit your limit'), throttled('usage-limit'), end(false, 'You have hit your limit')).throttled,
    throttled('usage-limit'),
  )
})

test('the last five errors are kept, each cut, and one told twice is one', () => {
  const errors = ['1', '2', '3', '4', '5', '6', '6', 'x'.repeat(2000)].map((message): Entry => ({ kind: 'error', message }))
  assert.deepEqual(fold(...errors).errors, ['3', '4', '5', '6', 'x'.repeat(1000)])
  assert.deepEqual(fold({ kind: 'error', message: 'bad' }, end(true, 'bad')).errors, ['bad'])
  assert.deepEqual(fold(end(true, 'API Error: 500')).errors, ['API Error: 500'])
})

test('edits are counted by the names that agents give them', () => {
  const names = ['Edit', 'MultiEdit', 'Write', 'NotebookEdit', 'apply_patch', 'write_file', 'replace', 'edit', 'file_change']
  assert.equal(fold(...names.map((name) => tool(name)), tool('Read'), tool('TodoWrite'), tool('Bash')).edits, names.length)
})

test('R-GATE-7: shell commands about commits and hooks are kept, each once, cut, and only so many', () => {
  const heredoc = `git commit -m "$(cat <<'EOF'\n${'long '.repeat(300)}\nEOF\n)" --no-verify`
  const run: Entry = { kind: 'tool', name: 'run', target: 'git commit', command: heredoc, isSub: true }
  const kept = [tool('Bash', 'git commit -n'), tool('Bash', 'git commit -n'), run, tool('Bash', 'git config core.hooksPath x')]
  const others = [tool('Bash', 'git status'), tool('Grep', 'git commit --no-verify'), tool('Edit', 'git/commit.ts')]
  assert.deepEqual(fold(...kept, ...others).commands, [
    'git commit -n',
    'git commit -m "$(cat  \n)" --no-verify',
    'git config core.hooksPath x',
  ])
  const many = Array.from({ length: 510 }, (_, index) => tool('bash', `git commit -m ${index} ${'x'.repeat(9000)}`))
  const { commands } = fold(...many)
  assert.deepEqual([commands.length, commands[0]?.slice(0, 16), commands[0]?.length], [500, 'git commit -m 10', 8000])
})

test('R-SIG-1 the text of a failed end is not the agent’s, and sends no signal', () => {
  const promise = '<promise>COMPLETE</promise>'
  assert.equal(fold(end(true, promise)).finalMessage, '')
  const transcript = fold(said('Half of it.'), end(true, promise))
  assert.deepEqual([transcript.finalMessage, transcript.errors], ['Half of it.', [promise]])
})

test('the last tool call that failed is remembered until one goes well [R-SIG-5]', () => {
  const result = (failed: boolean, text: string): Entry => ({ kind: 'tool-result', failed, text })
  const said: Entry = { kind: 'said', text: 'I tried.', isSub: false }
  const lastFailure = (entries: Entry[]): string => entries.reduce(withEntry, emptyTranscript()).lastFailure
  assert.equal(lastFailure([result(false, 'fine'), result(true, 'Error: no'), said]), 'Error: no')
  assert.equal(lastFailure([result(true, 'Error: no'), result(false, 'fine'), said]), '')
})
