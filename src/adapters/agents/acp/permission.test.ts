import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAllowed, permissionAnswer } from './permission.ts'
import type { AcpTool } from './tools.ts'

const tool = (known: Partial<AcpTool>): AcpTool => ({
  id: '1',
  name: '',
  label: 'tool',
  kind: '',
  title: '',
  input: {},
  diff: {},
  parent: '',
  ...known,
})
const command = (text: string): AcpTool => tool({ kind: 'execute', input: { command: text } })
const by = (allowedTools: string) => ({ allowedTools, skipPermissions: false, hasStatusTool: false })
const usual = by('Read,Write,Edit,Glob,Grep,Bash(git *)')

test('what is allowed is allowed by its kind or by its own name, and nothing else is', () => {
  for (const kind of ['read', 'search', 'edit']) assert.equal(isAllowed(tool({ kind }), usual), true, kind)
  for (const kind of ['delete', 'move', 'execute', 'fetch', 'think', 'switch_mode', 'other', ''])
    assert.equal(isAllowed(tool({ kind }), usual), false, kind)
  assert.equal(isAllowed(tool({ name: 'mcp__db__ask', kind: 'other' }), by('mcp__db__ask, Read')), true)
  assert.equal(isAllowed(tool({ title: 'Read', kind: 'other' }), usual), false) // a title may be the model's own
  assert.equal(isAllowed(command('rm -rf /'), by('Bash')), true)
  assert.equal(isAllowed(command('rm -rf /'), by('Bash(*)')), true)
  assert.equal(isAllowed(tool({ kind: 'edit', input: { path: 'src/a.ts' } }), by('Edit(src/**)')), false)
  assert.equal(isAllowed(command('rm -rf /'), by('')), false)
  assert.equal(isAllowed(command('rm -rf /'), { ...by(''), skipPermissions: true }), true)
})

test('a command is held against the rule, each part of it', () => {
  const allowed = [
    'git',
    'git status',
    '  git add a.txt && git commit -m "a; b | c" ',
    "git commit -m 'it costs $(5) `and` more'",
    'git log \\\n  --oneline | git apply; git status &',
    'git log "a \\" b"',
  ]
  for (const text of allowed) assert.equal(isAllowed(command(text), usual), true, text)
})

test('each part of a command may be allowed by another rule, and git without the verb is not', () => {
  const rules = by('Bash(git add *),Bash(git commit *),Bash(npm test)')
  for (const text of ['git add -A && git commit -m x', 'npm test && git commit -m x', 'git add'])
    assert.equal(isAllowed(command(text), rules), true, text)
  for (const text of ["git -c alias.x='!sh' x", 'git add -A && git push', 'git', 'git addx', 'npm test; git config a b'])
    assert.equal(isAllowed(command(text), rules), false, text)
})

test('a command that holds another, or that cannot be read for sure, is not allowed', () => {
  const refused = [
    '',
    'gitk',
    'rm a && git status',
    'git status; rm a',
    'git status\nrm a',
    'git status & rm a',
    'git log $(rm a)',
    'git log "$(rm a)"',
    'git log `rm a`',
    'git log > a.txt',
    'git log <(rm a)',
    "git log $'\\'' ; rm a #'",
    "git log # '\nrm a #'",
    'git () (rm a); git status',
    'git log "open',
    'git=1 rm a',
    'GIT_PAGER=rm git log',
  ]
  for (const text of refused) assert.equal(isAllowed(command(text), usual), false, text)
  assert.equal(isAllowed(tool({ kind: 'execute', title: 'git status' }), usual), false) // only told for people
})

test('rules are exact, open at the end, or open inside', () => {
  const rules = by('Bash(npm test),Bash(git:*),Bash(node *.test.ts)')
  for (const text of ['npm test', 'git', 'git log', 'node src/a.test.ts'])
    assert.equal(isAllowed(command(text), rules), true, text)
  for (const text of ['npm test x', 'npm tests', 'gitk', 'node a.ts']) assert.equal(isAllowed(command(text), rules), false, text)
})

test('the tool to report with is allowed as each agent names it, if it is ours', () => {
  const names = ['mcp__ralph__report_status', 'mcp_ralph_report_status', 'ralph_report_status', 'ralph-report_status']
  for (const name of names) {
    assert.equal(isAllowed(tool({ name, kind: 'other' }), { ...by(''), hasStatusTool: true }), true, name)
    assert.equal(isAllowed(tool({ name, kind: 'other' }), by('')), false, name)
  }
  const ours = { ...by(''), hasStatusTool: true }
  assert.equal(isAllowed(tool({ title: 'report_status (ralph MCP Server)', kind: 'other' }), ours), true)
  assert.equal(isAllowed(tool({ title: 'report_status', kind: 'execute' }), ours), false)
  assert.equal(isAllowed(tool({ name: 'run', title: 'report_status', kind: 'other' }), ours), false)
})

const option = (kind: string) => ({ optionId: `the ${kind}`, kind, name: kind })
const selected = (kind: string) => ({ outcome: { outcome: 'selected', optionId: `the ${kind}` } })

test('a permission is given for this once and never for good', () => {
  const all = ['allow_always', 'allow_once', 'reject_once', 'reject_always'].map(option)
  assert.deepEqual(permissionAnswer(all, true), { isGranted: true, answer: selected('allow_once') })
  assert.deepEqual(permissionAnswer(all, false), { isGranted: false, answer: selected('reject_once') })
})

test('where only an answer for good is offered, the answer is no', () => {
  const forGood = ['allow_always', 'reject_always'].map(option)
  const no = { isGranted: false, answer: { outcome: { outcome: 'cancelled' } } }
  assert.deepEqual(permissionAnswer(forGood, true), no)
  assert.deepEqual(permissionAnswer(undefined, true), no)
  assert.deepEqual(permissionAnswer([...forGood, option('reject_once')], true), {
    isGranted: false,
    answer: selected('reject_once'),
  })
})
