import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { masker } from '../mask/mask.ts'
import { ofCall } from '../process/process-mark.ts'
import { findTagged } from '../process/survivors.ts'
import { askPlugin, type PluginInput, type PluginOptions } from './plugins.ts'

const root = tempFolder()
const env = { PATH: process.env['PATH'] ?? '', HOME: root, LANG: 'C.UTF-8', MY_SECRET: 'secret-value-1' }
const input: PluginInput = {
  message: 'All pages are there.',
  feature: 'site',
  iteration: 3,
  story: 'S-1',
  exit: 'ok',
  files: ['a.md'],
  transcript: {
    model: 'big',
    session: 's1',
    durationMs: 1000,
    outputChars: 20,
    edits: 1,
    inputTokens: 10,
    outputTokens: 5,
    costUsd: null,
    errors: [],
    denied: [],
  },
}

let count = 0
/** Asks a plugin made of this text; `left` are processes of it that still run. */
async function ask(text: string, more: Partial<PluginOptions> = {}, given: PluginInput | null = input, ending = 'mjs') {
  const file = `plugin-${++count}.${ending}`
  writeFileSync(join(root, file), text)
  const tag = `plugins-${process.pid}-${count}:1`
  const logPath = join(root, `${count}.log`)
  const stop = new AbortController().signal
  const options = { root, env, tag, timeoutMs: 60_000, graceMs: 100, keep: [], mask: masker(env), stop, logPath, ...more }
  const answer = await askPlugin(file, given ?? undefined, options)
  return { answer, log: readFileSync(logPath, 'utf8'), left: findTagged(ofCall(tag)), file }
}
const answerTo = async (text: string) => (await ask(text)).answer
const read = (body: string): string => `export default { name: 'mine', read(input) { ${body} } }`

test('R-SIG-6: a plugin adds evidence, a claim and a stop, each under its name', async () => {
  const body = `return {
    evidence: ['saw ' + input.files.join(), 'in ' + input.iteration],
    claim: { name: 'translated', evidence: input.message },
    stop: { name: 'quota', reason: 'used up' },
  }`
  assert.deepEqual(await answerTo(read(body)), {
    name: 'mine',
    evidence: ['saw a.md', 'in 3'],
    claim: { name: 'translated', evidence: 'All pages are there.' },
    stop: { name: 'quota', reason: 'used up' },
  })
})

test('a bare text is the words of a claim or a stop, under the name of the plugin', async () => {
  assert.deepEqual(await answerTo(read(`return { claim: 'all there', stop: 'enough' }`)), {
    name: 'mine',
    evidence: [],
    claim: { name: 'mine', evidence: 'all there' },
    stop: { name: 'mine', reason: 'enough' },
  })
})

test('a plugin may be a function, an export called plugin, TypeScript or CommonJS, and may answer later', async () => {
  const forms: [string, string][] = [
    ['mjs', `export default async () => ({ claim: 'yes' })`],
    ['mjs', `export const plugin = { read: () => new Promise((resolve) => setImmediate(resolve, { claim: 'yes' })) }`],
    ['ts', `export default (input: { iteration: number }): { claim: string } => ({ claim: 'yes' })`],
    ['cjs', `module.exports = { read: () => ({ claim: 'yes' }) }`],
  ]
  for (const [ending, text] of forms) {
    const { answer, file } = await ask(text, {}, input, ending)
    const name = file.replace(/\..*$/, '')
    assert.deepEqual(answer, { name, evidence: [], claim: { name, evidence: 'yes' } })
  }
})

test('a plugin with nothing to say says nothing', async () => {
  for (const body of ['', 'return null', 'return {}', `return { claim: false, stop: '', evidence: [] }`])
    assert.deepEqual(await answerTo(read(body)), { name: 'mine', evidence: [] })
})

test('what a plugin prints goes to the log and is no answer; keys are masked in both', async () => {
  const body = `console.log('looking at secret-value-1'); console.error('a warning'); return { evidence: ['found secret-value-1\\n twice'] }`
  const { answer, log, file } = await ask(read(body))
  assert.deepEqual(answer, { name: 'mine', evidence: ['found [RALPH masked MY_SECRET] twice'] })
  assert.ok(log.startsWith(`=== plugin ${file}\n`), log)
  assert.match(log, /^looking at \[RALPH masked MY_SECRET\]$/m)
  assert.match(log, /^a warning$/m)
  assert.doesNotMatch(log, /secret-value-1/)
})

test('what a plugin is given cannot be changed, all the way down', async () => {
  assert.deepEqual(await answerTo(read('input.transcript.errors.push("x")')), {
    wrong: 'threw TypeError: Cannot add property 0, object is not extensible',
  })
})

test('R-SIG-6: a plugin that throws, now or later, is told apart by its error', async () => {
  assert.deepEqual(await answerTo(read(`throw new RangeError('too far')`)), { wrong: 'threw RangeError: too far' })
  assert.deepEqual(await answerTo(read(`return Promise.reject('no reason')`)), { wrong: "threw 'no reason'" })
  const later = `setTimeout(() => { throw new Error('late') }); return new Promise(() => {})`
  assert.deepEqual(await answerTo(read(later)), { wrong: 'threw Error: late' })
  const { log } = await ask(read(`throw new RangeError('too far')`))
  assert.match(log, /at Object\.read \(file:.*plugin-\d+\.mjs/) // where, for its author
})

test('R-SIG-6: nonsense is named', async () => {
  const nonsense: [string, string][] = [
    ['return 42', 'answered with something that is not an object'],
    ['return [1]', 'answered with something that is not an object'],
    [`return { clame: 'x' }`, 'answered with "clame"; use evidence, claim and stop'],
    [`return { evidence: 'x' }`, 'answered with evidence that is not a list of strings'],
    [`return { evidence: [1] }`, 'answered with evidence that is not a list of strings'],
    ['return { claim: true }', 'answered with a claim that is neither a string nor {name, evidence}'],
    [`return { claim: { name: ' ' } }`, 'answered with a claim that is neither a string nor {name, evidence}'],
    [`return { stop: { name: 'a', reason: 1 } }`, 'answered with a stop that is neither a string nor {name, reason}'],
    ['return { evidence: ["x".repeat(300000)] }', 'answered with more than 256 KiB'],
    ['process.exit(0)', 'ended before it answered (exit 0)'],
    ['process.kill(process.pid, "SIGKILL")', 'ended before it answered (ended by SIGKILL)'],
    ['return new Promise(() => {})', 'ended before it answered (exit 13)'],
  ]
  const answers = await Promise.all(nonsense.map(([body]) => answerTo(read(body))))
  assert.deepEqual(
    answers,
    nonsense.map(([, wrong]) => ({ wrong })),
  )
  const { wrong } = (await answerTo(read('const a = {}; a.claim = a; return a'))) as { wrong: string }
  assert.match(wrong, /^returned something other than plain data: TypeError: Converting circular structure/)
})

test('R-SIG-6: a plugin that takes longer than its time is ended with all it started, also one that never lets go', async () => {
  const slow = `const { spawn } = await import('node:child_process'); spawn('sleep', ['300'], { detached: true }); await new Promise((r) => setTimeout(r, 300000))`
  for (const body of ['for (;;);', `process.on('SIGTERM', () => {}); return (async () => { ${slow} })()`]) {
    const { answer, left } = await ask(read(body), { timeoutMs: 300 })
    assert.deepEqual([answer, left], [{ wrong: 'timed out after 0.3s' }, []])
  }
})

test('what a plugin leaves running ends with its answer', async () => {
  const { answer, left } = await ask(read(`setInterval(() => {}, 1000); return { claim: 'yes' }`))
  assert.deepEqual([answer, left], [{ name: 'mine', evidence: [], claim: { name: 'mine', evidence: 'yes' } }, []])
})

test('a run that is stopped meanwhile hears nothing of its plugins', async () => {
  assert.equal((await ask(read('for (;;);'), { stop: AbortSignal.abort() })).answer, null)
})

test('R-SIG-6: only loaded, a plugin is not asked, and one that does not load says why', async () => {
  const load = async (text: string) => (await ask(text, {}, null)).answer
  assert.deepEqual(await load(read(`throw new Error('asked')`)), { name: 'mine', evidence: [] })
  const wrong: [string, RegExp][] = [
    ['export default {', /^does not load: SyntaxError: /],
    [`import './gone.mjs'`, /^does not load: Error: Cannot find module .*gone\.mjs' imported from /],
    [`throw new Error('at home')`, /^does not load: Error: at home$/],
    ['export const read = () => {}', /^exports no plugin, as default or as "plugin"$/],
    ['export default 42', /^exports no plugin/],
    ['export default { name: "x" }', /^has no function "read"$/],
    ['export default { name: 7, read() {} }', /^has a name that is not a string$/],
  ]
  for (const [text, expected] of wrong) assert.match(((await load(text)) as { wrong: string }).wrong, expected)
  const gone = { root, env, tag: 't:1', timeoutMs: 1, graceMs: 1, keep: [], mask: masker(env), stop: AbortSignal.abort() }
  assert.deepEqual(await askPlugin('gone.mjs', input, gone), { wrong: 'does not exist' })
})
