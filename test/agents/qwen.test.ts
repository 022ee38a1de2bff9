/** Whole runs with the real Qwen Code: a scripted model behind it, and everything between the two as users have it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endOf, eventsOf } from '../support/loop.ts'
import { openaiError } from '../support/model-server.ts'
import { realCall } from '../support/real-call.ts'
import { hookIn, judgesOutOfReach, missesAll, order, skill } from '../support/real-judges.ts'
import { looksOnly } from '../support/real-looks.ts'
import { realProject } from '../support/real-project.ts'
import { qwenEnvironment, realQwen } from '../support/real-qwen.ts'
import { reportsByTool } from '../support/real-reports.ts'
import { wholeRuns } from '../support/whole-runs.ts'

const qwen = { name: 'qwen', program: realQwen, environment: qwenEnvironment }

wholeRuns(qwen, {
  usage: { inputTokens: 2400, outputTokens: 100, costUsd: null, cacheReadTokens: 400 },
  toolSeconds: 10,
})

reportsByTool(qwen, 'mcp__ralph__report_status')

looksOnly(qwen, {
  look: { tool: { name: 'grep_search', args: { pattern: 'amar' } } },
  changes: [
    { tool: { name: 'run_shell_command', args: { command: 'echo hi > b.txt', is_background: false } } },
    { tool: { name: 'enter_worktree', args: { name: 'x' } } },
    { tool: { name: 'tool_call', args: { name: 'enter_worktree', arguments: { name: 'x' } } } },
    { tool: { name: 'exit_plan_mode', args: { plan: 'Change it all.' } } },
    { tool: { name: 'write_file', args: { file_path: 'b.txt', content: 'hi' } } },
  ],
  answer: { tool: { name: 'structured_output', args: { verdict: 'pass' } } },
})

test('a used-up quota is learned with one call, and ends the run when it shall not wait [R-LIM-4]', async (t) => {
  const resetsAt = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 7_200_000).toISOString()
  const body = openaiError('insufficient_quota', `Quota exceeded. It will reset at ${resetsAt}.`)
  const { project, server } = await realProject(t, qwen, [{ status: 429, body }], { config: { defaults: { on_limit: 'exit' } } })
  const { code, out } = await project.run('run')
  assert.deepEqual([code, server.requests.length], [5, 1], out)
  assert.equal(endOf(project).outcome, 'limited')
  const [signal] = eventsOf(project, 'iteration.ended').flatMap(({ signals }) => signals)
  assert.ok(signal?.kind === 'throttled' && signal.by === 'usage-limit')
  assert.equal(signal.until, resetsAt)
})

test('allowed commands run in its shell, one by one or joined; others, and what is hidden in them, do not', async () => {
  const shell = (command: string) => ({ tool: { name: 'run_shell_command', args: { command, is_background: false } } })
  const { transcript, entries, changes, commits } = await realCall(
    qwen,
    [
      shell('git add -A && git commit --allow-empty -m "a -> b"'),
      shell('git add -A; touch b.txt'),
      shell('git commit --allow-empty -m "$(touch b.txt)"'),
      shell('git commit --allow-empty -m "`touch b.txt`"'),
      shell('git -c alias.x="!touch b.txt" x'),
      { text: 'Some of it.' },
    ],
    { options: { allowedTools: 'Read,Edit,Bash(git add *),Bash(git commit *)' } },
  )
  assert.deepEqual([transcript.finalMessage, changes, commits], ['Some of it.', '', 'a -> b\nfirst\n'])
  assert.equal(entries.filter(({ kind }) => kind === 'denied').length, 4)
})

judgesOutOfReach(qwen, {
  looks: [{ tool: { name: 'grep_search', args: { pattern: 'works' } } }],
  answer: { tool: { name: 'structured_output', args: missesAll } },
  home: ({ url, marker }) => ({
    '.qwen/settings.json': JSON.stringify({
      security: { auth: { selectedType: 'openai', apiKey: 'x', baseUrl: `${url}/v1` } },
      env: { OPENAI_BASE_URL: `${url}/v1` },
      hooks: hookIn('SessionStart', marker),
    }),
    '.qwen/.env': `OPENAI_BASE_URL=${url}/v1\n`,
    '.qwen/QWEN.md': order('home'),
    '.qwen/skills/review/SKILL.md': skill('home skills'),
  }),
})
