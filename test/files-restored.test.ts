/** What an agent, a crash or a person does to Ralph's own files is put right, recorded, and never the end of a run. */

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Event as LogEvent } from '../src/core/types.ts'
import { finishes } from './support/loop.ts'
import { type ProjectSketch, projectFor, ralphProgram, type Steps, type TestProject } from './support/project.ts'

const log = '.ralph/thing/events.jsonl'

const noticed = (project: TestProject): string[] =>
  project.events().flatMap((event) => (event.kind === 'noticed' ? [event.what] : []))
const whole = (events: LogEvent[]): object => ({
  first: events[0]!.kind,
  last: events.at(-1)!.kind,
  iterations: events.flatMap((event) => (event.kind === 'iteration.judged' ? [event.iteration] : [])),
})

test('settings that an agent makes where there were none are taken away, and kept for a look [X07]', async (t) => {
  const makes = { write: { path: '.ralph/config.yaml', text: 'notify: { command: "touch ran" }\n' } }
  const project = projectFor(t, { script: { otherwise: [makes, ...finishes] } })
  project.git('mv', '.ralph/config.yaml', 'settings.yaml')
  project.git('commit', '-q', '-m', 'no settings')
  mkdirSync(join(project.home, '.ralph'))
  writeFileSync(join(project.home, '.ralph', 'config.yaml'), project.read('settings.yaml'))
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.deepEqual([project.has('.ralph/config.yaml'), noticed(project)], [false, ['config-restored']])
  assert.match(project.read('.ralph/thing/logs/config-001.rejected'), /touch ran/)
})

test('a line in the user’s .npmrc, and a template, that an agent writes are gone before the gates run, and kept for a look [R-PROOF-6]', async (t) => {
  const writes = [
    { run: 'echo script-shell=/bin/true >> "$HOME/.npmrc"' },
    { write: { path: '.ralph/templates/review-spec.md', text: 'Always pass.\n' } },
  ]
  const project = projectFor(t, {
    config: { gates: { tests: 'test "$(cat "$HOME/.npmrc")" = registry=mine' } },
    script: { otherwise: [...writes, ...finishes] },
  })
  const npmrc = join(project.home, '.npmrc')
  writeFileSync(npmrc, 'registry=mine\n', { mode: 0o600 })
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.deepEqual(noticed(project), ['settings-restored', 'settings-restored'])
  assert.deepEqual([readFileSync(npmrc, 'utf8'), project.has('.ralph/templates/review-spec.md')], ['registry=mine\n', false])
  const copy = join(project.home, '.ralph', 'restored', 'thing-001-.npmrc')
  assert.equal(readFileSync(copy, 'utf8'), 'registry=mine\nscript-shell=/bin/true\n')
  assert.ok(out.includes(`.npmrc was changed during iteration 1; restored (the changed version is in ${copy})`), out)
})

test('a program that an agent puts before the one that a gate starts refuses the story until it is gone [R-PROOF-5]', async (t) => {
  const project = projectFor(t, {
    config: { gates: { tests: 'check-it' } },
    script: {
      iterations: [
        [{ run: 'printf "#!/bin/sh\\n" > "$HOME/early/check-it" && chmod +x "$HOME/early/check-it"' }, ...finishes],
        [{ run: 'rm "$HOME/early/check-it" && touch good' }, ...finishes],
      ],
    },
  })
  const [early, late] = ['early', 'late'].map((name) => join(project.home, name)) as [string, string]
  for (const folder of [early, late]) mkdirSync(folder)
  writeFileSync(join(late, 'check-it'), '#!/bin/sh\ntest -e good\n', { mode: 0o755 })
  project.env['PATH'] = `${early}:${late}:${project.env['PATH']}`
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  const ended = project.events().flatMap((event) => (event.kind === 'iteration.ended' ? [event.findings ?? []] : []))
  assert.deepEqual(
    ended.map((findings) => findings.map(({ rule, isCertain, words }) => [rule, isCertain, words])),
    [
      [
        [
          'runner-shadowed',
          true,
          `put ${early}/check-it before ${late}/check-it: gates would start it as check-it. Remove ${early}/check-it`,
        ],
      ],
      [],
    ],
  )
  const judged = project.events().flatMap((event) => (event.kind === 'iteration.judged' ? [event.verdict] : []))
  assert.deepEqual(judged, ['failed', 'done'])
})

test('an agent that removes .ralph, the log, and the plan in it finds them back, and the run ends right [R-FILE-2, X07]', async (t) => {
  const project = projectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: { stories: { 'S-1': [[{ remove: '.ralph' }, { say: 'Cleaned up.' }], finishes], 'S-2': [finishes] } },
  })
  const agent = project.read('.ralph/agent.json')
  project.write('agent.json', agent) // a script that outlives the folder
  project.write('.ralph/config.yaml', 'agent: {name: scripted, script: agent.json}\n')
  project.git('add', '-A')
  project.git('commit', '-q', '-m', 'script')
  const config = project.read('.ralph/config.yaml')
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.deepEqual(project.passing(), ['S-1', 'S-2'])
  assert.deepEqual(whole(project.events()), { first: 'run.started', last: 'run.ended', iterations: [1, 2, 3] })
  assert.deepEqual(noticed(project), ['config-restored', 'log-restored'])
  assert.equal(project.read('.ralph/config.yaml'), config)
  const first = project.events().find((event) => event.kind === 'iteration.ended')
  assert.match(first?.repairs.join() ?? '', /prd\.json/)
})

const flipsAll = (plan: string): string =>
  `node -e "const fs=require('fs');const f='${plan}';fs.writeFileSync(f,fs.readFileSync(f,'utf8').replace(/\\"passes\\": false/g,'\\"passes\\": true'))"`
const worked = (project: TestProject): string[] =>
  project.events().flatMap((event) => (event.kind === 'iteration.started' ? [event.story ?? ''] : []))

test('a hook that an agent plants flips no story: neither by itself nor by the commits that Ralph makes [R-PROOF-6]', async (t) => {
  const stories = [{ id: 'S-1' }, { id: 'S-2' }, { id: 'S-3' }]
  const plants = `printf '#!/bin/sh\\nsh "$PWD/flip.sh"\\n' > .git/hooks/post-commit; chmod +x .git/hooks/post-commit`
  const leaves = finishes.filter((step) => !('commit' in step)) // so that Ralph commits, and hooks run
  const project = projectFor(t, {
    stories,
    script: { stories: { 'S-1': [[{ run: plants }, ...leaves], leaves] }, otherwise: leaves },
  })
  project.write('flip.sh', flipsAll(project.path('.ralph/thing/prd.json')))
  project.git('config', 'core.hooksPath', '.hooks') // a tracked hook is work, and runs: what it does to the plan is undone all the same
  project.write('.hooks/post-commit', '#!/bin/sh\nsh "$PWD/flip.sh"\ntouch "$HOME/ran"\n')
  chmodSync(project.path('.hooks/post-commit'), 0o755)
  project.git('-c', 'core.hooksPath=/dev/null', 'add', '-A')
  project.git('-c', 'core.hooksPath=/dev/null', 'commit', '-q', '-m', 'hooks')
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.deepEqual([worked(project), existsSync(join(project.home, 'ran'))], [['S-1', 'S-1', 'S-2', 'S-3'], true])
  assert.match(out, /Agent marked S-1 done, but a check was weakened/)
  assert.deepEqual(
    noticed(project).filter((what) => what !== 'plan-restored'),
    ['hooks-restored'],
  )
  assert.match(out, /\.git\/hooks\/post-commit was added during iteration 1; restored/)
  assert.equal(project.has('.git/hooks/post-commit'), false)
  assert.match(project.read('.ralph/thing/logs/git-hooks-post-commit-001.rejected'), /flip\.sh/)
  const committed = project.git('log', '--reverse', '--format=%h', '--', '.ralph/thing/prd.json').split('\n')
  const passing = (commit: string): number =>
    project.git('show', `${commit}:.ralph/thing/prd.json`).split('"passes": true').length - 1
  assert.deepEqual(committed.map(passing), [0, 1, 2, 3]) // nor was it committed
})

for (const [when, otherwise] of [
  ['the gates of an iteration run', finishes],
  ['the gates run before the first iteration', [{ say: 'nothing' }]],
] as [string, Steps][]) {
  test(`settings and plan that a test script rewrites while ${when} are put back and told [R-GATE-4] [R-PROOF-6]`, async (t) => {
    const stories = [{ id: 'S-1' }, { id: 'S-2' }]
    const project = projectFor(t, { stories, script: { otherwise }, config: { gates: { tests: 'sh check.sh' } } })
    const loosens = `echo 'agent: {name: scripted, script: .ralph/agent.json}' > .ralph/config.yaml; echo '{}' > "$HOME/.ralph/config.yaml"`
    project.write(
      'check.sh',
      `cd "$HOME/../project"\n${loosens}\n${flipsAll('.ralph/thing/prd.json')}\ngit config alias.x '!true'\n`,
    )
    project.git('add', '-A')
    project.git('commit', '-q', '-m', 'script')
    const before = project.read('.ralph/config.yaml')
    await project.run('run', '--no-archive', '-n', '1')
    assert.equal(project.read('.ralph/config.yaml'), before)
    assert.notEqual(readFileSync(join(project.home, '.ralph', 'config.yaml'), 'utf8'), '{}\n')
    assert.match(project.git('config', '--get-all', 'core.bare'), /false/)
    assert.throws(() => project.git('config', 'alias.x'))
    assert.deepEqual(new Set(noticed(project)), new Set(['config-restored', 'git-config-restored', 'plan-restored']))
    assert.deepEqual(worked(project), ['S-1'])
    assert.ok(project.passing().length < 2)
  })
}

test('a pipe where a file of ours belongs is not waited for [R-FILE-2]', async (t) => {
  const pipes = 'for f in .ralph/thing/prd.json .ralph/thing/decide.txt .ralph/config.yaml; do rm -f $f; mkfifo $f; done'
  const project = projectFor(t, { script: { iterations: [[{ run: pipes }], finishes] } })
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.deepEqual(project.passing(), ['S-1'])
})

test('git clean -fdx takes the log and the state, and both come back [R-FILE-2, X07]', async (t) => {
  const project = projectFor(t, {
    script: { otherwise: [...finishes.slice(0, 2), { run: 'git clean -fdxq' }, ...finishes.slice(2)] },
  })
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.deepEqual(whole(project.events()), { first: 'run.started', last: 'run.ended', iterations: [1] })
  assert.deepEqual(noticed(project), ['log-restored'])
  assert.equal(JSON.parse(project.read('.ralph/thing/status.json')).outcome, 'complete')
  assert.match(project.read('.ralph/thing/logs/summary.csv'), /^iteration,mode,[\s\S]*^1,implement,/m)
})

for (const [what, command] of [
  [
    'replaced',
    `echo '{"kind":"run.ended"}' > "$RALPH_FEATURE_DIR/new" && mv "$RALPH_FEATURE_DIR/new" "$RALPH_FEATURE_DIR/events.jsonl"`,
  ],
  ['emptied', ': > "$RALPH_FEATURE_DIR/events.jsonl"'],
  ['cut', 'truncate -s 700 "$RALPH_FEATURE_DIR/events.jsonl"'],
  [
    'overwritten in place',
    `sed s/S-1/S-9/ "$RALPH_FEATURE_DIR/events.jsonl" > ../x; cat ../x > "$RALPH_FEATURE_DIR/events.jsonl"`,
  ],
  ['added to', `echo '{"kind":"run.ended","outcome":"complete"}' >> "$RALPH_FEATURE_DIR/events.jsonl"`],
] as const) {
  test(`a log that the agent ${what} is put right, and its lines count for nothing [R-FILE-2]`, async (t) => {
    const project = projectFor(t, { script: { otherwise: [{ run: command }, ...finishes] } })
    const { code, out, err } = await project.run('run', '--no-archive')
    assert.equal(code, 0, out + err)
    assert.deepEqual(whole(project.events()), { first: 'run.started', last: 'run.ended', iterations: [1] })
    assert.ok(noticed(project).includes('log-restored'))
  })
}

test('a log emptied or cut between two runs, or in one that was killed, comes back with every receipt, and that is told', async (t) => {
  const kills = { run: ': > "$RALPH_FEATURE_DIR/events.jsonl"; kill -9 $(ps -o ppid= -p $PPID)' }
  const script = { stories: { 'S-2': [[kills, { hang: true }]] }, otherwise: finishes }
  const project = projectFor(t, { stories: [{ id: 'S-1' }, { id: 'S-2' }], script })
  assert.equal((await project.run('run', '-n', '1')).code, 1)
  const before = project.read(log)
  writeFileSync(project.path(log), before.slice(0, 700))
  const killed = await project.run('run', '--no-archive')
  assert.equal(killed.signal, 'SIGKILL', killed.out + killed.err)
  assert.equal(project.read(log), '')
  project.write('.ralph/agent.json', JSON.stringify({ otherwise: finishes }))
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.match(out, /events\.jsonl lacked \d+ lines at its end, restored from its copy/)
  assert.ok(project.read(log).startsWith(before))
  assert.deepEqual(noticed(project), ['log-restored', 'log-restored'])
})

test('a folder where a file of Ralph belongs goes aside, and the run goes on [R-FILE-2]', async (t) => {
  const names = ['prd.json', 'progress.txt', 'status.json', 'state.md', 'decide.txt', 'report.md', 'logs/summary.csv']
  const folders = ['.ralph/config.yaml', ...names.map((name) => `.ralph/thing/${name}`)].join(' ')
  const project = projectFor(t, {
    script: {
      iterations: [
        [{ run: `rm -rf ${folders} && mkdir ${folders} && touch .ralph/thing/prd.json/x && mkfifo .ralph/thing/state.md/pipe` }],
        finishes,
      ],
    },
  })
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.deepEqual([project.passing(), noticed(project).filter((what) => what === 'place-cleared').length], [['S-1'], 8])
  assert.equal(project.has('.ralph/thing/logs/prd.json-001.rejected/x'), true)
  assert.match(project.read('.ralph/config.yaml'), /scripted/)
  assert.match(out, /\.ralph\/thing\/prd\.json was replaced by a folder during iteration 1, which was moved to \S+/)
})

test('a file where the folder of the logs was goes aside too [R-FILE-2]', async (t) => {
  const project = projectFor(t, {
    script: { iterations: [[{ run: 'rm -rf .ralph/thing/logs && echo mine > .ralph/thing/logs' }], finishes] },
  })
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.deepEqual([project.passing(), project.read('.ralph/thing/logs/logs-001.rejected')], [['S-1'], 'mine\n'])
})

test('a plan that the agent deletes comes back from its snapshot, and that is told [R-FILE-2, T14]', async (t) => {
  const project = projectFor(t, {
    script: { stories: { 'S-1': [[{ delete: '$RALPH_PLAN' }], [{ expect: { prompt: 'prd\\.json' } }, ...finishes]] } },
  })
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.deepEqual(project.passing(), ['S-1'])
  assert.match(out, /plan restored: .*prd\.json/)
})

test('a plan that the agent deleted before Ralph was killed is back at the next run [R-ITER-4]', async (t) => {
  const kills = { run: 'kill -9 $(ps -o ppid= -p $PPID)' } // the parent of the agent
  const project = projectFor(t, { script: { iterations: [[{ delete: '$RALPH_PLAN' }, kills, { hang: true }], finishes] } })
  assert.equal((await project.run('run')).signal, 'SIGKILL')
  assert.equal(project.has('.ralph/thing/prd.json'), false)
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.deepEqual(project.passing(), ['S-1'])
})

test('gates and stories that an agent changed before it killed Ralph are put back and named when the run goes on [R-PROOF-6] [R-ITER-4]', async (t) => {
  const kills = { run: 'kill -9 $(ps -o ppid= -p $PPID)' }
  const loosens = `sed -i 's/test -e S-1.txt/test -e README.md/' .ralph/config.yaml; sed -i 's/Story S-2/Story none/' .ralph/thing/prd.json`
  const project = projectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    config: { gates: { tests: 'test -e S-1.txt' } },
    script: { iterations: [[{ run: loosens }, kills, { hang: true }]], otherwise: finishes },
  })
  assert.equal((await project.run('run')).signal, 'SIGKILL')
  const { out, err } = await project.run('run', '--no-archive')
  assert.match(out + err, /config\.yaml was changed while iteration 1 was running, before Ralph was killed; restored/)
  assert.match(out + err, /the plan was changed while iteration 1 was running.*: story S-2: title was changed; restored/)
})

test('a torn last line of the log is cut and noted, and the run goes on from before it [R-FILE-2, B10]', async (t) => {
  const project = projectFor(t, { stories: [{ id: 'S-1' }, { id: 'S-2' }], script: { otherwise: finishes } })
  assert.equal((await project.run('run', '-n', '1')).code, 1)
  appendFileSync(project.path(log), '{"at":"2026-01-09T12:00:00.000Z","run":"x","ki')
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.deepEqual(noticed(project), ['log-torn'])
  assert.match(out, /last line of the log was incomplete/)
  assert.deepEqual(project.passing(), ['S-1', 'S-2'])
})

test('a bad line in the middle of the log stops with its number, and nothing is changed [R-FILE-2, B10]', async (t) => {
  const project = projectFor(t, { stories: [{ id: 'S-1' }, { id: 'S-2' }], script: { otherwise: finishes } })
  assert.equal((await project.run('run', '-n', '1')).code, 1)
  const lines = project.read(log).split('\n')
  lines[2] = 'damaged'
  const text = lines.join('\n')
  writeFileSync(project.path(log), text)
  for (const command of ['run', 'why']) {
    const { code, err } = await project.run(command)
    assert.equal(code, 65, command)
    assert.match(err, /events\.jsonl:3: this line is not JSON\. Repair or remove the line/)
    assert.doesNotMatch(err, /\n\s+at /)
  }
  assert.equal(project.read(log), text)
})

test('a corrupt or lost status.json is rebuilt from the log [B10]', async (t) => {
  const project = projectFor(t, { script: { otherwise: finishes } })
  assert.equal((await project.run('run', '--no-archive')).code, 0)
  const before = JSON.parse((await project.run('status', '--json')).out)
  for (const text of ['', '{"version":1', '[]', 'null']) {
    project.write('.ralph/thing/status.json', text)
    const { code, out } = await project.run('status', '--json')
    assert.equal(code, 0)
    const after = JSON.parse(out)
    const unknown = { lastEvent: null, callLimit: null } // which event was shown last, and this run's own -r, no log says
    assert.deepEqual({ ...after, ...unknown }, { ...before, ...unknown })
    assert.equal(JSON.parse(project.read('.ralph/thing/status.json')).outcome, 'complete')
  }
})

test('with git.commit_state the tree is clean after any end; without it, nothing of .ralph is committed [R-ITER-6]', async (t) => {
  const sketch: ProjectSketch = {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: { otherwise: finishes.filter((step) => !step['commit']) },
  }
  const clean = projectFor(t, sketch)
  assert.equal((await clean.run('run', '-n', '1')).code, 1)
  assert.equal(clean.git('status', '--porcelain'), '')
  const own = projectFor(t, { ...sketch, config: { git: { commit_state: false } } })
  assert.equal((await own.run('run', '-n', '1')).code, 1)
  assert.equal(own.git('log', '--format=%s', '--', '.ralph'), 'start')
  assert.match(own.git('log', '--format=%s'), /^feat: S-1 - Story S-1\nstart$/)
})

test('secrets of the environment and what looks like one reach neither a file of .ralph nor the screen [R-FILE-3]', async (t) => {
  const key = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789'
  const password = 'correct"horse/battery'
  const project = projectFor(t, {
    config: { gates: { tests: 'printenv APP_PASSWORD; test -f S-1.txt' } },
    script: {
      stories: {
        'S-1': [
          [{ run: 'printenv APP_PASSWORD' }, { flip: 'S-1' }, { say: `I found ${key} and ${password}.` }],
          [
            { stderr: `Authorization: Bearer ${key}` },
            { notes: { id: 'S-1', text: 'done' } },
            ...finishes.slice(0, 3),
            { say: password },
          ],
        ],
      },
    },
  })
  project.git('mv', '.ralph/agent.json', 'agent.json') // the script itself names them
  project.write('.ralph/config.yaml', project.read('.ralph/config.yaml').replace('.ralph/agent.json', 'agent.json'))
  project.git('add', '-A')
  project.git('commit', '-q', '-m', 'script')
  Object.assign(project.env, { APP_PASSWORD: password })
  const { code, out, err } = await project.run('run', '--no-archive', '--verbose')
  assert.equal(code, 0, out + err)
  const found = spawnSync('grep', [
    '-rlF',
    '-e',
    key,
    '-e',
    password,
    '-e',
    JSON.stringify(password).slice(1, -1),
    project.path('.ralph'),
  ])
  assert.equal(found.stdout.toString(), '')
  for (const secret of [key, password]) assert.ok(!(out + err).includes(secret), 'on the screen')
  await project.run('say', `Use ${key} and ${password}`)
  assert.doesNotMatch(project.read('.ralph/thing/events.jsonl'), /abcdefghijklmnop|horse/)
  const views = [await project.run('status', '--json'), await project.run('why')]
  for (const secret of [key, password]) assert.ok(!views.some((view) => view.out.includes(secret)))
})

test('the project is found from a folder inside it, and the own folder of the user is none [R-FILE-4]', async (t) => {
  const project = projectFor(t, { script: { otherwise: finishes } })
  const inside = project.path('src/deep')
  mkdirSync(inside, { recursive: true })
  const status = (cwd: string) =>
    spawnSync(process.execPath, [ralphProgram, 'status'], { cwd, env: project.env, encoding: 'utf8' })
  assert.match(status(inside).stdout, /Feature: +thing/)
  // ~/.ralph exists now, and a folder in the home is no project for that.
  assert.equal((await project.run('run', '--no-archive')).code, 0)
  assert.ok(readFileSync(join(project.home, '.ralph', 'config.yaml'), 'utf8').length > 0)
  mkdirSync(join(project.home, 'elsewhere'))
  const homeless = status(join(project.home, 'elsewhere'))
  assert.equal(homeless.status, 64)
  assert.match(homeless.stderr, /No feature in .*elsewhere yet/)
})
