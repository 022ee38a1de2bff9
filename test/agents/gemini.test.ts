/** Whole runs with the real Gemini CLI: a scripted model behind it, and everything between the two as users have it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endOf, eventsOf } from '../support/loop.ts'
import { realCall } from '../support/real-call.ts'
import { geminiEnvironment, realGemini } from '../support/real-gemini.ts'
import { hookIn, judgesOutOfReach, order, skill } from '../support/real-judges.ts'
import { looksOnly } from '../support/real-looks.ts'
import { realProject } from '../support/real-project.ts'
import { wholeRuns } from '../support/whole-runs.ts'

const gemini = { name: 'gemini', program: realGemini, environment: geminiEnvironment }
const refusal = (code: number, status: string, message: string) => ({ error: { code, message, status } })

wholeRuns(gemini, {
  usage: { inputTokens: 2400, outputTokens: 100, costUsd: null, cacheReadTokens: 400 },
  toolSeconds: 10,
  refusal,
})

looksOnly(gemini, {
  look: { tool: { name: 'read_file', args: { file_path: 'a.txt' } } },
  changes: [
    { tool: { name: 'run_shell_command', args: { command: 'echo hi > b.txt' } } },
    { tool: { name: 'enter_plan_mode', args: { reason: 'To plan.' } } },
    { tool: { name: 'exit_plan_mode', args: { plan_filename: 'plan.md' } } }, // by itself it would then allow everything
    { tool: { name: 'write_file', args: { file_path: 'b.txt', content: 'hi' } } },
    { tool: { name: 'replace', args: { file_path: 'a.txt', old_string: 'amaranth', new_string: 'hi', instruction: 'greet' } } },
  ],
})

test('without skipped permissions it edits files, and Ralph commits them [R-ITER-6]', async (t) => {
  const flip = { file_path: '.ralph/thing/prd.json', old_string: '"passes": false', new_string: '"passes": true' }
  const { project } = await realProject(
    t,
    gemini,
    [
      { tool: { name: 'write_file', args: { file_path: 'S-1.txt', content: 'there' } } },
      { tool: { name: 'replace', args: { ...flip, instruction: 'S-1 passes' } } },
      { text: 'Done.' },
    ],
    { config: { claude: { dangerously_skip_permissions: false } } },
  )
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.match(project.git('log', '--format=%s'), /^feat: S-1 - Story S-1$/m)
  assert.equal(project.git('show', 'HEAD:S-1.txt'), 'there')
})

test('the quota of a day is learned with one call, and ends the run when it shall not wait [R-LIM-4]', async (t) => {
  const message = 'You have exhausted your capacity on this model. Your quota will reset after 2h0m0s.'
  const { project } = await realProject(t, gemini, [{ status: 429, body: refusal(429, 'RESOURCE_EXHAUSTED', message) }], {
    config: { defaults: { on_limit: 'exit' } },
  })
  const { code, out } = await project.run('run')
  assert.deepEqual([code, eventsOf(project, 'iteration.started').length], [5, 1], out)
  assert.equal(endOf(project).outcome, 'limited')
  const [signal] = eventsOf(project, 'iteration.ended').flatMap(({ signals }) => signals)
  assert.ok(signal?.kind === 'throttled' && signal.by === 'usage-limit' && signal.until !== undefined)
})

test('without skipped permissions no plan lets the model do what is not allowed', async () => {
  const { transcript, changes } = await realCall(
    gemini,
    [
      { tool: { name: 'enter_plan_mode', args: { reason: 'To plan.' } } },
      { tool: { name: 'exit_plan_mode', args: { plan_filename: 'plan.md' } } },
      { tool: { name: 'run_shell_command', args: { command: 'echo hi > b.txt' } } },
      { text: 'I may not.' },
    ],
    { options: { allowedTools: 'Read,Edit' } },
  )
  assert.deepEqual([transcript.finalMessage, transcript.denied, changes], ['I may not.', ['run_shell_command'], ''])
})

test('allowed commands run in its shell, one by one or joined; others, and what is hidden in them, do not', async () => {
  const shell = (command: string) => ({ tool: { name: 'run_shell_command', args: { command } } })
  const { transcript, entries, changes, commits } = await realCall(
    gemini,
    [
      shell('git add -A && git commit --allow-empty -m "a -> b"'),
      shell('git add -A; touch b.txt'),
      shell('git commit --allow-empty -m "$(touch b.txt)"'),
      shell('git commit --allow-empty -m no > b.txt'),
      shell('git -c alias.x="!touch b.txt" x'),
      { text: 'Some of it.' },
    ],
    { options: { allowedTools: 'Read,Edit,Bash(git add *),Bash(git commit *)' } },
  )
  assert.deepEqual([transcript.finalMessage, changes, commits], ['Some of it.', '', 'a -> b\nfirst\n'])
  assert.equal(entries.filter(({ kind }) => kind === 'denied').length, 4)
})

judgesOutOfReach(gemini, {
  looks: [{ tool: { name: 'glob', args: { pattern: '*.txt' } } }],
  home: ({ url, marker }) => ({
    '.gemini/settings.json': JSON.stringify({
      hooks: hookIn('SessionStart', marker),
      mcpServers: { planted: { command: 'sh', args: ['-c', `echo server >> ${marker}`] } },
    }),
    '.gemini/.env': `GOOGLE_GEMINI_BASE_URL=${url}\n`,
    '.gemini/GEMINI.md': order('home'),
    '.gemini/skills/review/SKILL.md': skill('home skills'),
  }),
})
