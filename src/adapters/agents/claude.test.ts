import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import type { Guard, Launch } from '../../ports.ts'
import { agentNamed } from './list.ts'

const protects = { patterns: ['test/acceptance/', '*.snap'], from: "/home/it's me", reason: 'Not this one.' }

function launched(guard: Guard, { own = [], isReadOnly = false }: { own?: string[]; isReadOnly?: boolean } = {}): Launch {
  const agent = agentNamed(
    { name: 'claude', command: ['claude', ...own] },
    { allowedTools: '', skipPermissions: true, root: '/p' },
  )
  return agent.launch({ prompt: '', cwd: '/p', model: '', env: {}, guard, isReadOnly })
}
const settingsOf = ({ args }: Launch): unknown => JSON.parse(args[args.indexOf('--settings') + 1] ?? '')

test('what is guarded goes to Claude Code as settings of this call; a hook runs for edits of protected files alone', () => {
  const launch = launched({ denied: ['/p/.ralph/config.yaml'], protects, atStop: { script: 'exit 0\n', seconds: 9 } })
  const hook = (rule: string) => ({ type: 'command', command: 'sh {files}/protected.sh', timeout: 10, if: rule })
  assert.deepEqual(settingsOf(launch), {
    permissions: { deny: ['Edit(//p/.ralph/config.yaml)'] },
    hooks: {
      PreToolUse: [
        {
          matcher: 'Edit|Write|NotebookEdit',
          hooks: [
            ...['Edit', 'Write', 'NotebookEdit'].map((tool) => hook(`${tool}(//home/it's me/test/acceptance/)`)),
            ...['Edit', 'Write', 'NotebookEdit'].map((tool) => hook(`${tool}(//home/it's me/**/*.snap)`)),
          ],
        },
      ],
      Stop: [{ hooks: [{ type: 'command', command: 'sh {files}/before-stop.sh', timeout: 9 }] }],
    },
  })
  assert.deepEqual(Object.keys(launch.files ?? {}), ['protected.sh', 'before-stop.sh'])
})

test('nothing is started where nothing is protected; a reviewer and a user with settings of their own are left alone', () => {
  const bare = launched({ denied: ['/p/x'] })
  assert.deepEqual([settingsOf(bare), bare.files], [{ permissions: { deny: ['Edit(//p/x)'] }, hooks: {} }, undefined])
  assert.equal(launched({ denied: ['/p/x'] }, { isReadOnly: true }).args.includes('--settings'), false)
  assert.deepEqual(
    launched({ denied: ['/p/x'] }, { own: ['--settings', 'mine.json'] }).args.filter((arg) => arg === '--settings'),
    ['--settings'],
  )
})

test('the hook refuses by the path alone, also where an older Claude Code asks it about every edit', () => {
  const script = launched({ denied: [], protects }).files?.['protected.sh'] ?? ''
  const answers = (input: object) => {
    const { status, stderr } = spawnSync('sh', ['-c', script], { input: JSON.stringify({ tool_input: input }), encoding: 'utf8' })
    return [status, stderr]
  }
  const at = (path: string): string => `/home/it's me/${path}`
  for (const path of ['test/acceptance/a.js', 'test/acceptance/b/c.js', 'a.snap', 'x/y.snap'])
    assert.deepEqual(answers({ file_path: at(path), content: '' }), [2, 'Not this one.\n'], path)
  assert.deepEqual(answers({ notebook_path: at('x/y.snap') }), [2, 'Not this one.\n'])
  for (const path of ['test/a.js', 'src/x.js', 'y.snap.js'])
    assert.deepEqual(answers({ file_path: at(path), content: `"file_path":"${at('a.snap')}"` }), [0, ''], path)
})
