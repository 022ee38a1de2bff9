/** An agent and its gates inside a sandbox: what they reach, what they do not, and that nothing of theirs outlives them. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { eventsOf } from './support/loop.ts'
import { canShutIn, runOf, survivors, until, untilFile, withoutWaits } from './support/processes.ts'
import { type ProjectSketch, projectFor, type Steps, type TestProject } from './support/project.ts'

/** Some machines forbid it, containers above all: then every test here sees the refusal instead, and that nothing ran. */
const isAllowed = canShutIn()

function shutIn(t: TestContext, sketch: ProjectSketch, sandbox: object = {}): TestProject {
  const p = projectFor(t, { ...sketch, config: { ...sketch.config, sandbox: { kind: 'bwrap', ...sandbox } } })
  writeFileSync(join(p.home, 'secret'), 'the secret of the home folder\n')
  return p
}

/** The run, or, on a machine that forbids sandboxes, the proof that there was none. */
async function ran(p: TestProject, ...args: string[]): Promise<{ code: number | null; out: string } | null> {
  const { code, out, err } = await p.run('run', '--no-archive', ...args)
  if (isAllowed) return { code, out: out + err }
  assert.equal(code, 69, out + err)
  assert.match(err, /bwrap does not work here|bwrap was not found/)
  assert.ok(!p.has('S-1.txt'))
  return null
}

const finishes: Steps = [
  { write: { path: 'S-1.txt', text: 'done\n' } },
  { commit: 'feat: S-1' },
  { flip: 'S-1' },
  { say: 'It is there.' },
]
const run = (command: string): Steps[number] => ({ run: command })

/** Seconds, as nobody else on this machine sleeps: another run of the tests may be under way. */
const long = 100_000 + process.pid

test('an agent in bwrap does its story, and sees neither the home folder, nor other folders, nor other processes', async (t) => {
  const p = shutIn(t, {
    script: { otherwise: [run('sh ./look.sh > looked.txt 2>&1'), ...finishes] },
    config: { gates: { tests: 'test -f S-1.txt' } },
  })
  const outside = join(dirname(p.root), 'outside')
  mkdirSync(outside)
  p.env['SOME_PASSWORD'] = 'not-for-the-agent'
  p.write(
    'look.sh',
    [
      `cat ${p.home}/secret || echo no secret`,
      `echo x > ${p.home}/made && echo made in an empty home`,
      `ls ${outside} || echo no outside`,
      `echo x > /etc/made || echo no writing to the system`,
      `echo "password: $SOME_PASSWORD"`,
      'echo "processes: $(ls /proc | grep -c "^[0-9]")"',
      'echo x > /tmp/made && echo made in a folder of its own',
      'test -w . && echo the project can be written',
    ].join('\n'),
  )
  const result = await ran(p)
  if (result === null) return
  assert.equal(result.code, 0, result.out)
  assert.deepEqual(p.passing(), ['S-1'])
  const said = p
    .read('looked.txt')
    .split('\n')
    .filter((line) => !/^(cat|ls|sh|\.\/look\.sh)/.test(line))
  assert.deepEqual(
    said.map((line) => (line.startsWith('processes: ') && Number(line.slice(11)) < 12 ? 'few processes' : line)),
    [
      'no secret',
      'made in an empty home',
      'no outside',
      'no writing to the system',
      'password: ',
      'few processes',
      'made in a folder of its own',
      'the project can be written',
      '',
    ],
  )
  assert.ok(!existsSync(join(p.home, 'made')) && !existsSync('/etc/made'))
})

test('in bwrap neither the log, the settings, the lock, the inbox, nor hooks and configuration of git can be changed', async (t) => {
  const tries = [
    'echo "{}" >> "$RALPH_FEATURE_DIR/events.jsonl"',
    'rm -f "$RALPH_FEATURE_DIR/events.jsonl"',
    'echo "gates: {}" > .ralph/config.yaml',
    'mv .ralph/config.yaml .ralph/other.yaml',
    'echo "{}" > "$RALPH_FEATURE_DIR/inbox/x.json"',
    'echo x > "$RALPH_FEATURE_DIR/logs/iteration-009.log"',
    'echo 1 > .git/ralph.lock',
    'git config core.fsmonitor "touch $PWD/ran"',
    'echo "touch $PWD/ran" > .git/hooks/post-commit',
    'mv .git .git2',
    'cat "$HOME/.ralph/request.key"', // what a person's requests are signed with
  ]
  const script = tries.map((line, index) => `( ${line} ) 2>/dev/null && echo "${index} worked"`).join('\n')
  const p = shutIn(t, {
    files: { 'try.sh': `${script}\ntrue\n` },
    script: { otherwise: [run('sh ./try.sh > tried.txt'), ...finishes] },
  })
  const before = p.read('.ralph/config.yaml')
  const result = await ran(p)
  if (result === null) return
  assert.equal(result.code, 0, result.out)
  assert.equal(p.read('tried.txt'), '')
  assert.deepEqual([p.read('.ralph/config.yaml'), p.has('ran'), eventsOf(p, 'noticed')], [before, false, []])
})

test('links that an agent in bwrap makes do not lead Ralph out of the project', async (t) => {
  const p = shutIn(t, {
    script: {
      otherwise: [
        run('rm -f "$RALPH_FEATURE_DIR/progress.txt"; ln -s "$HOME/secret" "$RALPH_FEATURE_DIR/progress.txt"'),
        run('ln -s "$HOME" "$RALPH_FEATURE_DIR/learnings"; ln -s "$HOME/made.md" CLAUDE.md'),
        run('mv .ralph .moved; mv "$RALPH_FEATURE_DIR" "$RALPH_FEATURE_DIR-moved"'),
        ...finishes,
      ],
    },
  })
  const result = await ran(p)
  if (result === null) return
  assert.equal(result.code, 0, result.out)
  assert.equal(readFileSync(join(p.home, 'secret'), 'utf8'), 'the secret of the home folder\n')
  assert.deepEqual([p.has('.moved'), existsSync(`${p.dir}-moved`)], [false, false])
  assert.deepEqual(
    eventsOf(p, 'noticed').map(({ what, detail }) => `${what} ${detail.split(' ')[0]}`),
    ['link-removed .ralph/thing/progress.txt', 'link-removed CLAUDE.md', 'link-removed .ralph/thing/learnings'],
  )
})

test('gates run in the same sandbox, and so do the hooks of a commit that Ralph makes', async (t) => {
  const look = (name: string): string => `cat "$HOME/secret" > ${name} 2>/dev/null || echo hidden > ${name}`
  const p = shutIn(t, {
    files: { 'hooks/pre-commit': `#!/bin/sh\n${look('by-hook.txt')}\n` },
    script: { otherwise: finishes.filter((step) => !('commit' in step)) },
    config: { gates: { tests: `${look('by-gate.txt')}; test -f S-1.txt` } },
  })
  chmodSync(p.path('hooks/pre-commit'), 0o755)
  p.git('config', 'core.hooksPath', 'hooks')
  const result = await ran(p)
  if (result === null) return
  assert.equal(result.code, 0, result.out)
  assert.deepEqual([p.read('by-gate.txt'), p.read('by-hook.txt')], ['hidden\n', 'hidden\n'])
  assert.match(p.git('log', '--format=%s'), /feat: S-1/)
})

test('sandbox.network off leaves no way out, sandbox.home and sandbox.env let in what they name', async (t) => {
  const server = createServer((_, response) => response.end('reached'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const get = `fetch("http://127.0.0.1:${port}").then((r) => r.text()).then(console.log, () => console.log("no network"))`
  for (const [network, expected] of [
    ['on', 'reached\n'],
    ['off', 'no network\n'],
  ] as const) {
    const steps = [
      run(`${process.execPath} -e '${get}' > net.txt; cat "$HOME/tools/x" > home.txt; echo "$MY_SETTING" > env.txt`),
      ...finishes,
    ]
    const p = shutIn(t, { script: { otherwise: steps } }, { network, home: ['tools'], env: ['MY_SETTING'] })
    mkdirSync(join(p.home, 'tools'))
    writeFileSync(join(p.home, 'tools', 'x'), 'a tool\n')
    p.env['MY_SETTING'] = 'set'
    const result = await ran(p)
    if (result === null) continue
    assert.equal(result.code, 0, result.out)
    assert.deepEqual([p.read('net.txt'), p.read('home.txt'), p.read('env.txt')], [expected, 'a tool\n', 'set\n'])
  }
})

test('what an agent leaves running in bwrap ends with it, at its end and at its time limit', async (t) => {
  const daemon = `setsid sleep ${long}1 > /dev/null 2>&1 & env -i setsid sleep ${long}2 > /dev/null 2>&1 & true`
  const p = shutIn(t, {
    script: {
      stories: {
        'S-1': [
          [run(daemon), run('echo > late'), { sleep: '600s' }],
          [run(daemon), ...finishes],
        ],
      },
    },
  })
  const result = await ran(withoutWaits(p, 'late'))
  if (result === null) return
  assert.equal(result.code, 0, result.out)
  assert.deepEqual(
    eventsOf(p, 'iteration.ended').map(({ exit }) => exit),
    ['timeout', 'ok'],
  )
  assert.deepEqual(survivors(runOf(p)), [])
  assert.doesNotMatch(spawnSync('ps', ['-Ao', 'args='], { encoding: 'utf8' }).stdout, new RegExp(`^sleep ${long}[12]$`, 'm'))
})

test('an agent in bwrap dies with a Ralph that is killed', async (t) => {
  if (!isAllowed) return void (await ran(shutIn(t, {})))
  const p = shutIn(t, { script: { otherwise: [run('echo begun > begun.txt'), run(`env -i sleep ${long}3`)] } })
  const { child, ended } = p.start('run')
  await untilFile(p, 'begun.txt')
  child.kill('SIGKILL')
  await ended
  await until(
    'the end of the agent',
    () => !new RegExp(`^sleep ${long}3$`, 'm').test(spawnSync('ps', ['-Ao', 'args='], { encoding: 'utf8' }).stdout),
  )
})

test('a linked worktree commits from inside the sandbox to the repository that it belongs to', async (t) => {
  const p = shutIn(t, {})
  const tree = join(dirname(p.root), 'tree')
  p.git('worktree', 'add', '-q', tree, '-b', 'other')
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, '..', 'bin', 'ralph.js'), 'run', '--no-archive'],
    { cwd: tree, env: p.env, encoding: 'utf8' },
  )
  if (!isAllowed) return assert.equal(status, 69, stdout + stderr)
  assert.equal(status, 0, stdout + stderr)
  assert.match(p.git('log', '--format=%s', 'other'), /feat: S-1/)
})

test('a reviewer in bwrap reads the history in its own checkout, and writes neither there nor in the project', async (t) => {
  const look = [
    'git log --format=%s > /tmp/log && git diff main~1 --stat > /tmp/diff && grep -q feat /tmp/log && grep -q S-1.txt /tmp/diff',
    'test "$PWD" != "$OUTER" && grep -q S-1 .ralph/thing/prd.json',
    '! touch mine 2> /dev/null && ! touch "$OUTER/mine" 2> /dev/null && ! git tag mine 2> /dev/null',
  ].join(' && ')
  const passes = JSON.stringify({ missing: [], extra: [], reason: '', verdict: 'pass' })
  const p = shutIn(
    t,
    {
      script: { otherwise: finishes, reviews: { 'S-1': [[run(`${look} && echo looked $((6 * 7)) times`), { say: passes }]] } },
      config: { review: { enabled: true } },
    },
    { env: ['OUTER'] },
  )
  p.env['OUTER'] = p.root
  const result = await ran(p)
  if (result === null) return
  assert.equal(result.code, 0, result.out)
  assert.match(p.read('.ralph/thing/logs/iteration-001.log'), /looked 42 times/)
  assert.deepEqual([p.passing(), p.has('mine'), p.git('tag')], [['S-1'], false, ''])
})

test('two stories at once are each shut in where they work, with their hooks', async (t) => {
  const look = 'cat "$HOME/secret" > /dev/null 2>&1 && echo seen >> seen.txt; true'
  const steps = [
    run(look),
    { write: { path: '$RALPH_STORY.txt', text: 'done\n' } },
    { flip: '$RALPH_STORY' },
    { say: 'It is there.' },
  ]
  const p = shutIn(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    files: { 'hooks/pre-commit': `#!/bin/sh\n${look}\n` },
    script: { otherwise: steps },
    config: { gates: { tests: look }, parallel: { workers: 2 } },
  })
  chmodSync(p.path('hooks/pre-commit'), 0o755)
  p.git('config', 'core.hooksPath', 'hooks')
  const result = await ran(p)
  if (result === null) return
  assert.equal(result.code, 0, result.out)
  assert.deepEqual([p.passing(), p.has('seen.txt'), p.has('S-1.txt'), p.has('S-2.txt')], [['S-1', 'S-2'], false, true, true])
})

test('a project below the top of its repository can change what lies beside it', async (t) => {
  const p = shutIn(t, { isGit: false, script: { otherwise: [run('echo x > ../beside.txt && git add -A ..'), ...finishes] } })
  const top = dirname(p.root)
  for (const args of [
    ['init', '-q'],
    ['config', 'user.name', 'T'],
    ['config', 'user.email', 't@localhost'],
    ['add', 'project'],
    ['commit', '-qm', 'a'],
  ])
    assert.equal(spawnSync('git', args, { cwd: top, env: p.env }).status, 0, args.join(' '))
  p.env['HOME'] = mkdtempSync(join(tmpdir(), 'ralph-home-'))
  t.after(() => rmSync(p.env['HOME']!, { recursive: true, force: true }))
  const result = await ran(p)
  if (result === null) return
  assert.equal(result.code, 0, result.out)
  assert.equal(readFileSync(join(top, 'beside.txt'), 'utf8'), 'x\n')
})

test('without bwrap a run that asks for it is refused with what to do, and doctor says the same', async (t) => {
  const p = shutIn(t, {})
  const tools = join(dirname(p.root), 'tools')
  mkdirSync(tools)
  for (const name of ['git', 'sh', 'node']) {
    const found = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8', env: p.env }).stdout.trim()
    writeFileSync(join(tools, name), `#!/bin/sh\nexec ${found} "$@"\n`, { mode: 0o755 })
  }
  p.env['PATH'] = tools
  const { code, err } = await p.run('run')
  assert.equal(code, 69)
  assert.match(err, /sandbox\.kind is bwrap, but the program bwrap was not found\. Install bubblewrap/)
  const doctor = await p.run('doctor')
  assert.equal(doctor.code, 69)
  assert.match(doctor.out, /✗ sandbox .*bwrap was not found/)
  assert.ok(!p.has('S-1.txt'))
})

test('where bwrap may not make a sandbox, a run is refused in its own words, and never goes on without', async (t) => {
  const p = shutIn(t, {})
  const tools = join(dirname(p.root), 'tools')
  mkdirSync(tools)
  writeFileSync(join(tools, 'bwrap'), '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n', {
    mode: 0o755,
  })
  p.env['PATH'] = `${tools}:${p.env['PATH']}`
  const { code, err } = await p.run('run')
  assert.equal(code, 69)
  assert.match(err, /bwrap does not work here: No permissions to create new namespace\. Allow user namespaces/)
  assert.ok(!p.has('S-1.txt'))
})

/** No engine is needed: it keeps what it was started with, and runs the rest of its command line here. */
const fakeDocker = `#!/bin/sh
printf '%s\\n' "$@" '--' >> "$TMPDIR/docker.log"
[ "$1" = run ] || exit 0
while [ "$1" != an/image ]; do shift; done
shift
exec "$@"
`

test('docker gets the project, the names of variables without their values, the network as set, and is asked to remove what it made', async (t) => {
  const p = shutIn(t, { config: { gates: { tests: 'test -f S-1.txt' } } }, { kind: 'docker', name: 'an/image', network: 'off' })
  const tools = join(dirname(p.root), 'tools')
  mkdirSync(tools)
  writeFileSync(join(tools, 'docker'), fakeDocker, { mode: 0o755 })
  p.env['PATH'] = `${tools}:${p.env['PATH']}`
  p.env['RALPH_SOME_KEY'] = 'very-secret-value'
  const { code, out, err } = await p.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  const log = readFileSync(join(dirname(p.root), 'docker.log'), 'utf8')
  const starts = log.split('\n--\n').filter((start) => start.startsWith('run\n'))
  assert.equal(starts.length, 4, 'the gate before, in a checkout and in the project; the agent; the gate')
  const words = starts[2]!.split('\n')
  const of = (flag: string): string[] => words.flatMap((word, index) => (words[index - 1] === flag ? [word] : []))
  assert.deepEqual(
    [words.slice(0, 4), of('--network'), of('--workdir')],
    [['run', '--rm', '--interactive', '--init'], ['none'], [p.root]],
  )
  assert.ok(
    of('--volume').includes(`${p.root}:${p.root}`) &&
      of('--volume').includes(`${p.root}/.ralph/config.yaml:${p.root}/.ralph/config.yaml:ro`),
  )
  assert.ok(of('--env').includes('RALPH_RUN') && of('--env').includes('RALPH_SOME_KEY') && !of('--env').includes('PATH'))
  assert.doesNotMatch(log, /very-secret-value/)
  const [name] = of('--name')
  assert.ok(log.includes(`rm\n--force\n${name}\n`), log)
})

test('docker without an image, and an image without docker, are refused', async (t) => {
  const unnamed = await shutIn(t, {}, { kind: 'docker' }).run('run')
  assert.deepEqual([unnamed.code, /no image is set/.test(unnamed.err)], [78, true], unnamed.err)
  const p = shutIn(t, {}, { kind: 'docker', name: 'an/image' })
  const tools = join(dirname(p.root), 'tools')
  mkdirSync(tools)
  writeFileSync(join(tools, 'docker'), '#!/bin/sh\necho "Cannot connect to the Docker daemon" >&2\nexit 1\n', { mode: 0o755 })
  p.env['PATH'] = `${tools}:${p.env['PATH']}`
  const refused = await p.run('run')
  assert.deepEqual(
    [refused.code, /docker cannot start the image an\/image: Cannot connect/.test(refused.err)],
    [69, true],
    refused.err,
  )
})
