import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, test } from 'node:test'
import { tempFolder } from '../../../../test/support/folder.ts'
import { end, tool } from '../../../../test/support/recordings.ts'
import type { Entry } from '../../../core/reading/transcript.ts'
import { agentNamed } from '../list.ts'

const folder = tempFolder()
const base = { PATH: process.env['PATH'] ?? '', HOME: folder, LANG: 'C.UTF-8' }

type Played = { code: number | null; signal: string | null; entries: Entry[]; err: string; project: string }
type Setting = {
  script?: string
  files?: Record<string, string>
  env?: Record<string, string>
  prompt?: string
  onEntry?: OnEntry
}
type OnEntry = (entry: Entry, agent: ChildProcess, project: string) => void

/** Starts the scripted agent as Ralph would, in a project of its own, and waits for its exit. */
async function played(
  script: unknown,
  { files = {}, env = {}, prompt = 'Do it.', onEntry, ...setting }: Setting = {},
): Promise<Played> {
  const project = mkdtempSync(join(folder, 'project-'))
  const name = setting.script ?? 'script.json'
  for (const [path, text] of Object.entries(files)) writeFileSync(join(project, path), text)
  writeFileSync(join(project, name), typeof script === 'string' ? script : JSON.stringify(script))
  spawnSync('git', ['init', '-q', '-b', 'main'], { cwd: project, env: base })
  const agent = agentNamed({ name: 'scripted', script: name }, { allowedTools: '', skipPermissions: false, root: project })
  const launch = agent.launch({ prompt, cwd: project, model: '', env })
  const child = spawn(launch.command, launch.args, { cwd: project, env: { ...base, ...launch.env } })
  child.stdin.end(launch.stdin)
  const entries: Entry[] = []
  const read = agent.reader()
  let err = ''
  child.stderr.on('data', (data) => {
    err += data
  })
  const lines = createInterface(child.stdout)
  lines.on('line', (line) => {
    for (const entry of read(line, 'out')) {
      entries.push(entry)
      onEntry?.(entry, child, project)
    }
  })
  const drained = new Promise((resolve) => lines.on('close', resolve))
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.on('exit', (...end) => resolve(end)),
  )
  await drained
  return { code, signal, entries, err, project }
}

const steps = async (list: unknown[], setting?: Setting) => played({ otherwise: list }, setting)
const usage: Entry = { kind: 'usage', usage: { inputTokens: 1200, outputTokens: 300, costUsd: 0.01 } }
const started: Entry = { kind: 'session', id: 'scripted-', model: 'scripted' }
const ok = (text = 'ok'): Entry => ({ kind: 'tool-result', failed: false, text })
const failed = (text: string): Entry => ({ kind: 'tool-result', failed: true, text })

describe('steps that work', () => {
  test('files are written, read, changed and removed, and each step shows as a tool', async () => {
    const { code, entries, project } = await steps([
      { write: { path: 'src/a.txt', text: 'one\n' } },
      { append: { path: 'src/a.txt', text: 'two\n' } },
      { read: 'src/a.txt' },
      { write: { path: 'b.txt', text: '' } },
      { delete: 'b.txt' },
      { read: 'none.txt' },
      { remove: '.git' },
      { run: 'echo out; echo err >&2; exit 3' },
      { tool: { name: 'Grep', target: 'needle' } },
      { tool: { name: 'Bash', target: 'npm test', text: '1 failed', failed: true } },
      { say: 'Done.' },
    ])
    assert.deepEqual(
      [code, entries],
      [
        0,
        [
          started,
          ...[tool('Write', 'src/a.txt'), ok(), tool('Edit', 'src/a.txt'), ok(), tool('Read', 'src/a.txt'), ok('one\ntwo\n')],
          ...[tool('Write', 'b.txt'), ok(), tool('Bash', 'rm b.txt'), ok()],
          ...[tool('Read', 'none.txt'), failed("ENOENT: no such file or directory, open 'none.txt'")],
          ...[
            tool('Bash', 'rm -rf .git'),
            ok(),
            tool('Bash', 'echo out; echo err >&2; exit 3'),
            failed('Exit code 3\nout\nerr\n'),
          ],
          ...[tool('Grep', 'needle'), ok(), tool('Bash', 'npm test'), failed('1 failed')],
          ...[{ kind: 'said', text: 'Done.', isSub: false } as const, usage, end('Done.')],
        ],
      ],
    )
    assert.deepEqual(
      ['src/a.txt', 'b.txt', '.git'].map((path) => existsSync(join(project, path))),
      [true, false, false],
    )
  })

  test('a commit takes everything, under its own name where the repository has none', async () => {
    const { project } = await steps([{ write: { path: 'a.txt', text: '' } }, { commit: 'feat: $RALPH_STORY - first' }], {
      env: { RALPH_STORY: 'S-1' },
    })
    const { stdout } = spawnSync('git', ['log', '--format=%an: %s', '--name-only'], { cwd: project, env: base, encoding: 'utf8' })
    assert.equal(stdout, 'scripted: feat: S-1 - first\n\na.txt\nscript.json\n')
  })

  test('words: the last said is the final message unless a result is given; a subagent’s are marked', async () => {
    const { entries } = await steps([
      { say: 'First.' },
      { sub: 'Sub.' },
      { result: 'Result.' },
      { usage: { input: 5, cost: 2 } },
      { deny: 'Bash' },
      { print: 'raw' },
    ])
    assert.deepEqual(entries, [
      started,
      { kind: 'said', text: 'First.', isSub: false },
      { kind: 'said', text: 'Sub.', isSub: true },
      tool('Bash', 'scripted'),
      { kind: 'denied', tool: 'Bash' },
      failed('Bash needs approval.'),
      { kind: 'noise', text: 'raw' },
      { kind: 'usage', usage: { inputTokens: 5, outputTokens: 300, costUsd: 2 } },
      end('Result.'),
    ])
  })

  test('a flood is as long as it was asked to be', async () => {
    const { entries } = await steps([{ flood: 1_000_000 }])
    const said = entries.map((entry) => (entry.kind === 'said' ? entry.text.length : 0))
    assert.equal(
      said.reduce((sum, length) => sum + length, 0),
      1_000_000,
    )
  })
})

describe('plans', () => {
  const plan = async (file: string, text: string, list: unknown[]) => {
    // The folder is the player's working directory, so that a bare name finds the plan.
    const { project, entries } = await steps(list, { files: { [file]: text }, env: { RALPH_PLAN: file } })
    return {
      text: readFileSync(join(project, file), 'utf8'),
      failures: entries.filter((entry) => entry.kind === 'tool-result' && entry.failed),
    }
  }

  test('JSON is written anew with its own indentation', async () => {
    const stories = [
      { id: 'S-1', passes: false },
      { id: 'S-2', passes: true },
      { id: 'S-3', passes: false, extra: 1 },
    ]
    const text = `${JSON.stringify({ userStories: stories }, null, '\t')}\n`
    const changed = await plan('prd.json', text, [
      { flip: ['S-1', 'S-9'] },
      { unflip: 'S-2' },
      { notes: { id: 'S-3', text: 'hm' } },
    ])
    const expected = [
      { id: 'S-1', passes: true },
      { id: 'S-2', passes: false },
      { id: 'S-3', passes: false, extra: 1, notes: 'hm' },
    ]
    assert.deepEqual(changed, {
      text: `${JSON.stringify({ userStories: expected }, null, '\t')}\n`,
      failures: [failed('no story S-9 in prd.json')],
    })
  })

  test('YAML keeps its layout and comments', async () => {
    const text =
      'tasks:\n  - id: T-1 # first\n    title: One\n    status: open # yet\n  - title: Two\n    id: "T-2"\n  - id: T-3\n    status: done\n'
    const changed = await plan('tasks.yaml', text, [
      { flip: ['T-1', 'T-2'] },
      { unflip: 'T-3' },
      { notes: { id: 'T-1', text: 'a: b' } },
    ])
    assert.deepEqual(changed, {
      text: 'tasks:\n  - id: T-1 # first\n    notes: "a: b"\n    title: One\n    status: done # yet\n  - title: Two\n    id: "T-2"\n    passes: true\n  - id: T-3\n    status: pending\n',
      failures: [],
    })
  })

  test('a checklist item is ticked by its text or its slug', async () => {
    const text = '# Plan\r\n- [ ] Add login page\r\n  * [x] Ask (the) team!\r\n- [ ] Other\r\n'
    const changed = await plan('fix_plan.md', text, [
      { flip: 'add-login-page' },
      { unflip: 'Ask (the) team!' },
      { flip: 'nothing' },
    ])
    assert.deepEqual(changed, {
      text: '# Plan\r\n- [x] Add login page\r\n  * [ ] Ask (the) team!\r\n- [ ] Other\r\n',
      failures: [failed('no story nothing in fix_plan.md')],
    })
  })
})

describe('which steps', () => {
  const script = `
stories:
  S-1:
    - [say: first]
    - [say: second]
iterations:
  - [say: one]
  - [say: two]
otherwise: [say: other]
`
  const finalWords = async (source: string, env: Record<string, string>, prompt?: string) =>
    (await played(source, { script: 'script.yaml', env, prompt })).entries.find((entry) => entry.kind === 'end')

  test('a story has its attempts, and the last repeats', async () => {
    const words = [1, 2, 3].map((attempt) => finalWords(script, { RALPH_STORY: 'S-1', RALPH_ATTEMPT: `${attempt}` }))
    assert.deepEqual(await Promise.all(words), [end('first'), end('second'), end('second')])
  })

  test('other calls go by their order, else by what is left', async () => {
    const words = [1, 2, 3].map((iteration) => finalWords(script, { RALPH_STORY: 'S-2', RALPH_ITERATION: `${iteration}` }))
    assert.deepEqual(await Promise.all(words), [end('one'), end('two'), end('two')])
    assert.deepEqual(await finalWords('otherwise: [say: other]', { RALPH_STORY: '' }), end('other'))
  })

  test('as a reviewer it plays what its script has for the review, a second try the next, and else lets everything pass', async () => {
    const reviews = `reviews:\n  S-1:\n    - [say: first]\n    - [say: second]\n  final:\n    - [say: whole]\n`
    const words = (env: Record<string, string>, prompt?: string) =>
      finalWords(script + reviews, { RALPH_ROLE: 'reviewer', RALPH_ATTEMPT: '1', RALPH_TRY: '1', ...env }, prompt)
    assert.deepEqual(await words({ RALPH_STORY: 'S-1' }), end('first'))
    assert.deepEqual(await words({ RALPH_STORY: 'S-1', RALPH_TRY: '2' }), end('second'))
    assert.deepEqual(await words({ RALPH_STORY: 'S-1', RALPH_ATTEMPT: '2' }), end('second'))
    assert.deepEqual(await words({ RALPH_STORY: '' }), end('whole'))
    const passes = '{"missing":[],"extra":[],"reason":"As the criteria ask.","verdict":"pass"}'
    assert.deepEqual(await words({ RALPH_STORY: 'S-2' }), end(passes))
    const quality = 'Say what should be better.\n\n{"warnings":["<text>"],"reason":"<text>","verdict":"<pass or warn>"}\n'
    const warnsOfNothing = '{"warnings":[],"reason":"As the criteria ask.","verdict":"pass"}'
    assert.deepEqual(await words({ RALPH_STORY: 'S-2' }, quality), end(warnsOfNothing))
  })

  test('a script that cannot be played is refused before its first step, with its place', async () => {
    const refusal = async (source: string) => {
      const { code, entries, err, project } = await played(source, { script: 'script.yaml' })
      return [code, entries, err.replaceAll(`${project}/`, '').split(';')[0]?.trimEnd()]
    }
    assert.deepEqual(await refusal('iterations:\n  - - say: x\n    - bogus: 1\n'), [
      64,
      [],
      'script.yaml:3: unknown step "bogus"',
    ])
    assert.deepEqual(await refusal('stories:\n  S-1:\n    - say: x\n'), [
      64,
      [],
      'script.yaml: stories.S-1.0 must be a list of steps',
    ])
    const wrongShapes = {
      x: 'a script is an object with "stories", "iterations" or "otherwise"',
      '[]': 'a script is an object with "stories", "iterations" or "otherwise"',
      'iterations: {}': 'iterations must be a list of lists of steps',
      'stories: { S-1: x }': 'stories.S-1 must be a list of lists of steps',
      'otherwise: x': 'otherwise must be a list of steps',
    }
    for (const [source, problem] of Object.entries(wrongShapes))
      assert.deepEqual(await refusal(source), [64, [], `script.yaml: ${problem}`])
    assert.deepEqual(await refusal('otherwise: [7]'), [64, [], 'script.yaml:1: an empty step'])
    assert.deepEqual(await refusal('stories: {}\n'), [64, [], 'script.yaml: no steps for story "", and no "otherwise"'])
  })
})

describe('ends', () => {
  const error = (text: string): Entry => ({ kind: 'end', isError: true, text })
  const noUsage: Entry = { kind: 'usage', usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 } }

  test('an error, with a code of its own', async () => {
    const { code, entries } = await steps([{ fail: { code: 3, text: 'No luck.' } }])
    assert.deepEqual([code, entries], [3, [started, usage, { kind: 'error', message: 'No luck.' }, error('No luck.')]])
  })

  test('an exit or a crash without a word', async () => {
    const [exit, crash] = await Promise.all([steps([{ stderr: 'oh' }, { exit: 7 }]), steps(['crash'])])
    assert.deepEqual([exit.code, exit.entries, exit.err], [7, [started], 'oh\n'])
    assert.deepEqual([crash.code, crash.signal, crash.entries], [null, 'SIGKILL', [started]])
  })

  test('a usage limit, an overload, a refused login', async () => {
    const [limit, told, overload, login] = await Promise.all([
      steps([{ limit: { until: 1_790_000_000 } }]),
      steps([{ limit: { text: "You're out of extra usage · resets 9pm" } }]),
      steps(['overload']),
      steps(['login']),
    ])
    assert.deepEqual(
      [limit, told, overload, login].map(({ code }) => code),
      [1, 1, 1, 1],
    )
    assert.deepEqual(limit.entries, [
      started,
      { kind: 'throttled', by: 'usage-limit', until: '2026-09-21T14:13:20.000Z', message: 'usage limit reached (five_hour)' },
      noUsage,
      error("You've hit your session limit"),
    ])
    const [text, key] = ["You're out of extra usage · resets 9pm", 'Invalid API key · Fix external API key']
    assert.deepEqual(told.entries, [started, { kind: 'throttled', by: 'usage-limit', message: text }, noUsage, error(text)])
    assert.deepEqual(overload.entries[1], { kind: 'throttled', by: 'overload', message: 'API Error: 529 Overloaded.' })
    assert.deepEqual(login.entries[1], { kind: 'throttled', by: 'login', message: key })
  })

  test('a limit can end in a while', async () => {
    const before = Date.now()
    const { entries } = await steps([{ limit: { until: 'in 1h' } }])
    const [, limit] = entries
    assert.ok(limit?.kind === 'throttled' && Date.parse(limit.until ?? '') >= before + 3_600_000)
  })

  test('a hang ends with a signal', async () => {
    const { signal, entries } = await steps(['hang'], { onEntry: (_, agent) => agent.kill('SIGTERM') })
    assert.deepEqual([signal, entries], ['SIGTERM', [started]])
  })

  test('an ignored signal ends nothing', async () => {
    const list = [{ run: 'while ! test -e go; do sleep 0.01; done', ignore: 'SIGTERM' }, { say: 'Still here.' }]
    const onEntry: OnEntry = (entry, agent, project) => {
      if (entry.kind !== 'tool') return
      agent.kill('SIGTERM')
      writeFileSync(join(project, 'go'), '')
    }
    const { code, entries } = await steps(list, { onEntry })
    assert.deepEqual([code, entries.at(-1)], [0, end('Still here.')])
  })

  test('a background child outlives the agent', async () => {
    let pid = 0
    const list = [{ child: { command: 'exec sleep 60 >/dev/null 2>&1', detached: true } }, { say: 'Done.' }]
    const { code } = await steps(list, {
      onEntry: (entry) => {
        if (entry.kind === 'tool-result') pid = Number(/started (\d+)/.exec(entry.text)?.[1])
      },
    })
    assert.equal(code, 0)
    assert.ok(process.kill(pid, 'SIGKILL'))
  })

  test('a prompt that is not as expected is loud', async () => {
    const expected = await steps([{ expect: { prompt: 'Do (it|that)' } }])
    assert.equal(expected.code, 0)
    const { code, err } = await steps([{ expect: { prompt: 'story S-2' } }], { prompt: 'Do story S-1.' })
    assert.deepEqual([code, err], [99, 'the prompt does not match /story S-2/:\nDo story S-1.\n'])
  })
})
