import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventsOf, filesUnder, finishes, idles, keptProjectFor } from './support/loop.ts'
import { projectFor, type StorySketch } from './support/project.ts'

/** Fails with the name of what is missing or out of place. */
function inOrder(text: string, pieces: string[]): void {
  let from = 0
  for (const piece of pieces) {
    const at = text.indexOf(piece, from)
    assert.notEqual(at, -1, `"${piece}" does not follow in:\n${text}`)
    from = at + piece.length
  }
}

test('the prompt has its parts in a fixed order: first what is always the same, then the story and what is new [R-PROMPT-1]', async (t) => {
  const project = keptProjectFor(t, {
    stories: [
      { id: 'S-1', title: 'Log in', description: 'With a password', acceptanceCriteria: ['it lets me in'], notes: 'see RFC' },
    ],
    script: { iterations: [[{ flip: 'S-1' }, { say: 'Said so.' }], idles] },
    config: { gates: { tests: 'echo the door is shut; exit 1' }, circuit_breaker: { no_progress_threshold: 2 } },
    files: {
      '.ralph/thing/prompt.md': 'Work with care.\n',
      '.ralph/thing/specs/door.md': 'A door.\n',
      '.ralph/thing/progress.txt': '# Progress Log: thing\nThe hinges squeak.\n',
    },
  })
  await project.run('run', '-n', '2')
  await project.run('say', 'mind the cat')
  await project.run('run', '-n', '1')
  inOrder(project.prompt(1), [
    'Work with care.',
    '## How to signal',
    'plan: .ralph/thing/prd.json',
    'specifications: .ralph/thing/specs/',
    '## Done means',
    'Run them before you commit',
    'tests: `echo the door is shut; exit 1`',
    '## Your story: S-1 - Log in (attempt 1)',
    'With a password',
    '- [ ] it lets me in',
    'see RFC',
    'The hinges squeak.',
  ])
  inOrder(project.prompt(3), [
    'S-1 - Log in (attempt 3)',
    '## What failed before on S-1 (verbatim)',
    'the door is shut',
    '## Try another approach',
    'mind the cat',
    '## The end of .ralph/thing/progress.txt',
  ])
  // What a provider has cached from one prompt is the beginning of the next.
  const alike = [...project.prompt(1)].findIndex((letter, at) => letter !== project.prompt(3)[at])
  assert.ok(alike > project.prompt(1).indexOf('## Your story'), project.prompt(3))
})

test('a dry run refuses what a run would refuse before its first call [R-PROMPT-2]', async (t) => {
  const project = projectFor(t, { config: { agent: { name: 'own', command: ['cat'] } } })
  const budget = await project.run('run', '--dry-run', '--max-tokens', '5')
  assert.deepEqual(
    [budget.code, budget.err],
    [78, 'ralph: A token budget is set, but the agent "own" does not report its tokens. Use budget.duration_minutes.\n'],
  )
  project.git('update-ref', 'MERGE_HEAD', 'HEAD')
  const merge = await project.run('run', '--dry-run')
  assert.deepEqual([merge.code, /^ralph: A merge is open in /.test(merge.err)], [65, true], merge.err)
})

test('without prompt.md the template speaks: the shipped one, then the user’s own, then the project’s [R-PROMPT-1]', async (t) => {
  const project = keptProjectFor(t, { script: { otherwise: idles } })
  await project.run('run', '-n', '1')
  assert.match(project.prompt(1), /test/i)
  assert.match(project.prompt(1), /feat: /)
  const home = join(project.home, '.ralph')
  assert.ok(existsSync(home))
  project.write('../home/.ralph/templates/tdd.md', 'The way I like it.\n')
  await project.run('run', '-n', '1')
  assert.match(project.prompt(2), /The way I like it\./)
  project.write('.ralph/templates/tdd.md', 'The way we like it.\n')
  await project.run('run', '-n', '1', '--reset-circuit')
  assert.match(project.prompt(3), /The way we like it\./)
  assert.doesNotMatch(project.prompt(3), /The way I like it\./)
})

test('-p gives another prompt file, and one that is not there is wrong usage [R-PROMPT-1]', async (t) => {
  const project = keptProjectFor(t, { files: { 'other.md': 'Just this once.\n', '.ralph/thing/prompt.md': 'As always.\n' } })
  const wrong = await project.run('run', '-p', 'nowhere.md')
  assert.equal(wrong.code, 64, wrong.err)
  assert.match(wrong.err, /nowhere\.md/)
  await project.run('run', '-n', '1', '--no-archive', '-p', 'other.md')
  assert.match(project.prompt(1), /Just this once\./)
  assert.doesNotMatch(project.prompt(1), /As always\./)
})

test('a dry run prints decisions, command line, sizes and the exact prompt, and touches no file [R-PROMPT-2]', async (t) => {
  const project = keptProjectFor(t, { branch: 'feature/thing', script: { otherwise: finishes } })
  const base = join(project.root, '..')
  const before = filesUnder(base)
  const { code, out } = await project.run('run', '--dry-run')
  assert.equal(code, 0, out)
  assert.deepEqual(filesUnder(base), before)
  inOrder(out, [
    'branch: main → feature/thing',
    'call the agent, if the hourly limit allows it: priority 1',
    'start iteration 1 on S-1: priority 1',
    'sh .ralph/keep.sh',
    'Prompt (',
    'story ',
    'signals ',
  ])
  await project.run('run', '-n', '1', '--no-archive')
  const prompt = project.prompt(1)
  assert.ok(out.includes(prompt), out)
  assert.ok(out.includes(`Prompt (${prompt.length.toLocaleString('en')} characters)`))
})

test('a dry run of a feature with a history changes nothing either [R-PROMPT-2]', async (t) => {
  const project = keptProjectFor(t, { stories: [{ id: 'S-1' }, { id: 'S-2' }], script: { otherwise: finishes } })
  await project.run('run', '-n', '1')
  const before = filesUnder(join(project.root, '..'))
  const { code, out } = await project.run('run', '--dry-run')
  assert.equal(code, 0, out)
  assert.match(out, /Your story: S-2/)
  assert.deepEqual(filesUnder(join(project.root, '..')), before)
})

test('the prompt reaches Claude Code through standard input, never as an argument [R-PROMPT-3]', async (t) => {
  const project = projectFor(t, {
    stories: [{ id: 'S-1', title: 'A title of no other place' }],
    config: { agent: 'claude' },
    files: { '../bin/claude': '#!/bin/sh\nprintf "%s\\n" "$@" > "$TMPDIR/args.txt"\ncat > "$TMPDIR/stdin.txt"\n' },
  })
  chmodSync(project.path('../bin/claude'), 0o755)
  project.env['PATH'] = `${project.path('../bin')}:${project.env['PATH']}`
  await project.run('run', '-n', '1')
  assert.match(project.read('../stdin.txt'), /A title of no other place/)
  const args = project.read('../args.txt')
  assert.match(args, /stream-json/)
  assert.doesNotMatch(args, /A title of no other place|How to signal/)
})

test('a dry run has the same command line and prompt as the run, and its warnings: added tools, budget, learned notes [R-PROMPT-2]', async (t) => {
  const lesson = [
    ...['---', 'task_id: "S-0"', 'outcome: "success"', 'timestamp: "2026-01-09T12:34:56.789Z"', 'successes:'],
    ...['  - pattern: "Story S-1 needs its tests first"', '    category: "testing"', '    reusable: true', '    mark: "kept"'],
    ...['failures: []', 'discoveries: []', ''],
  ].join('\n')
  const project = projectFor(t, {
    stories: [{ id: 'S-1' }],
    config: { agent: 'claude', model: 'sonnet', budget: { cost_usd: 5 }, learn: { enabled: true } },
    files: {
      '../bin/claude':
        '#!/bin/sh\nprintf "%s\\n" "$@" > "$TMPDIR/args.txt"\ncat > "$TMPDIR/stdin.txt"\ncat "$TMPDIR"/ralph-call-*/system-prompt.md > "$TMPDIR/system.txt"\n',
      '.ralph/thing/learnings/learning-S-0-20260109-123456.yaml': lesson,
    },
  })
  chmodSync(project.path('../bin/claude'), 0o755)
  project.env['PATH'] = `${project.path('../bin')}:${project.env['PATH']}`
  project.write(
    '.ralph/thing/prd.json',
    project.read('.ralph/thing/prd.json').replace('"feature": "thing"', '"feature": "other"'),
  )
  const dry = await project.run('run', '-f', 'thing', '--dry-run', '-v')
  assert.match(dry.out + dry.err, /says feature "other", but its folder is thing/)
  const command = /^Command .*\n +(.*)$/m.exec(dry.out)?.[1] ?? dry.out
  const words = execFileSync('sh', ['-c', `set -- ${command}; shift; printf '%s\\n' "$@"`], { encoding: 'utf8' })
  await project.run('run', '-f', 'thing', '-n', '1')
  const args = project.read('../args.txt')
  const folder = /^--append-system-prompt-file\n(.*)\/system-prompt\.md$/m.exec(args)?.[1] ?? assert.fail(args)
  assert.equal(words.replaceAll('{files}', folder), args)
  assert.match(words, /--max-budget-usd\n5[\s\S]*mcp__ralph__report_status\n--mcp-config\n/)
  assert.match(dry.out, /needs its tests first/)
  assert.ok(dry.out.endsWith(`${project.read('../system.txt')}\n${project.read('../stdin.txt')}`), dry.out)
})

test('the prompt stays small with 300 stories and ten megabytes of progress [R-PROMPT-4]', async (t) => {
  const stories = Array.from({ length: 300 }, (_, n): StorySketch => {
    const description = 'A long story that is told at length. '.repeat(20)
    return { id: `S-${n + 1}`, title: `Story number ${n + 1}`, description, passes: n < 200 }
  })
  const project = keptProjectFor(t, { stories, script: { otherwise: idles } })
  project.write(
    '.ralph/thing/progress.txt',
    `${'a line of the memory, neither short nor long\n'.repeat(230_000)}the very last line\n`,
  )
  await project.run('run', '-n', '1')
  const prompt = project.prompt(1)
  assert.match(prompt, /the very last line/)
  assert.match(prompt, /S-200 \(Story number 200\)/)
  assert.equal(prompt.split('A long story').length, 21) // the named story's own description, and no other's
  assert.ok(prompt.length < 12_000, `${prompt.length} characters`)
})

test('a memory of one endless line does not make the prompt endless [R-PROMPT-4]', async (t) => {
  const project = keptProjectFor(t, { script: { otherwise: idles } })
  project.write('.ralph/thing/progress.txt', 'word '.repeat(2_000_000))
  await project.run('run', '-n', '1')
  assert.ok(project.prompt(1).length < 80_000, `${project.prompt(1).length} characters`)
})

const signals = [
  '<promise>COMPLETE</promise>',
  '<promise>BLOCKED:no key</promise>',
  '---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---',
].join('\n')

test('no complete signal stands anywhere in the prompt, whatever it quotes [R-PROMPT-5]', async (t) => {
  const project = keptProjectFor(t, {
    stories: [
      {
        id: 'S-1',
        title: 'Say <promise>COMPLETE</promise>',
        description: signals,
        acceptanceCriteria: [signals],
        notes: signals,
      },
    ],
    script: { iterations: [[{ flip: 'S-1' }, { say: 'Said so.' }], idles] },
    config: { gates: { tests: `cat <<'END'\n${signals}\nEND\nexit 1` } },
    files: { '.ralph/thing/prompt.md': signals, '.ralph/thing/progress.txt': `${signals}\n` },
  })
  await project.run('say', signals)
  await project.run('run', '-n', '2')
  for (const iteration of [1, 2]) {
    const prompt = project.prompt(iteration)
    assert.doesNotMatch(prompt, /<\s*promise|<\s*\/\s*promise|RALPH_STATUS/i)
    assert.match(prompt, /COMPLETE/) // broken up, not left out
  }
})

test('an agent that prints its whole prompt back has sent no signal [R-PROMPT-5]', async (t) => {
  const project = projectFor(t, {
    config: { agent: { name: 'parrot', command: ['cat'], format: 'text' } },
    files: { '.ralph/thing/prompt.md': `When all is done, print:\n\n${signals}\n` },
  })
  const { code, out } = await project.run('run', '-n', '1')
  assert.equal(code, 1, out)
  const [ended] = eventsOf(project, 'iteration.ended')
  assert.deepEqual(ended!.signals, [])
})

test('the completion string is the user’s own: described letter by letter, and broken up where it is quoted [R-PROMPT-5]', async (t) => {
  const project = keptProjectFor(t, {
    stories: null,
    script: { otherwise: [{ say: 'Well then.\nALL-DONE-NOW' }] },
    config: { completion: { promise: 'ALL-DONE-NOW' } },
    files: { '.ralph/thing/progress.txt': 'ALL-DONE-NOW\n' },
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.doesNotMatch(project.prompt(1), /ALL-DONE-NOW/)
  assert.match(project.prompt(1), /A L L - D O N E - N O W/)
})
