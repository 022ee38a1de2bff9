/** `ralph logs`: of the last iteration, of any, compressed, archived, and of a run that goes on. */
import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { commits, finishes, idles, says } from './support/loop.ts'
import { until } from './support/processes.ts'
import { go, quickProjectFor } from './support/project.ts'

const waitsForGo = { run: 'while [ ! -f "$TMPDIR/go" ]; do sleep 0.05; done' }
const firstLog = '.ralph/thing/logs/iteration-001.log'

/** When an iteration began is told in local time, with an age. */
const withoutTime = <T extends { out: string }>(ended: T): T => ({
  ...ended,
  out: ended.out.replace(/^(── Iteration .*\)), \d\d:\d\d, (?:just now|\d+ min ago)$/gm, '$1'),
})

test('the words of the agent stand apart from its tools, and gates are shown as they printed [R-TEL-4]', async (t) => {
  const made = quickProjectFor(t, {
    script: { stories: { 'S-1': [idles, [...commits('a.txt'), { flip: 'S-1' }, { say: 'All of it\nis there.' }]] } },
    config: { gates: { tests: 'echo all is well' } },
  })
  assert.equal((await made.run('run', '--no-archive')).code, 0)
  const last = withoutTime(await made.run('logs'))
  assert.deepEqual(last, {
    code: 0,
    signal: null,
    err: '',
    out: [
      '── Iteration 2: S-1, attempt 2 (scripted)',
      '  → Edit a.txt',
      '  → Bash git add -A && git commit -m "feat: a.txt"',
      '  → Edit .ralph/thing/prd.json',
      'All of it',
      'is there.',
      '=== gate tests: echo all is well',
      'all is well',
      `${/=== gate tests: passed.*/.exec(last.out)?.[0]}`,
      '',
    ].join('\n'),
  })
  assert.equal(withoutTime(await made.run('logs', '1')).out, '── Iteration 1: S-1 (scripted)\nLooked around.\n')
  assert.equal((await made.run('logs', '1', '--raw')).out, made.read(firstLog))
  assert.match((await made.run('logs', '0')).out, /^── Before, between and after the iterations\n=== gate tests/)
})

test('an iteration without a log is wrong usage, with those that have one [R-TEL-4]', async (t) => {
  const made = quickProjectFor(t)
  assert.deepEqual(await made.run('logs'), {
    code: 0,
    signal: null,
    err: '',
    out: 'thing has no logs yet. Start with: ralph run\n',
  })
  const refused = async (...args: string[]) => {
    const { code, err } = await made.run('logs', ...args)
    return [code, err]
  }
  assert.deepEqual(await refused('1'), [64, 'ralph: No log of iteration 1 of thing. It has no logs yet.\n'])
  await made.run('run', '--no-archive')
  assert.deepEqual(await refused('7'), [64, 'ralph: No log of iteration 7 of thing. Available: 1.\n'])
  assert.deepEqual(await refused('one'), [64, 'ralph: No log of iteration one of thing. Available: 1.\n'])
})

test('logs are found compressed and in the archive, and what they hold cannot play with the terminal', async (t) => {
  const made = quickProjectFor(t, {
    script: { stories: { 'S-1': [[{ print: 'tool \u001b[2J\u001b]0;x\u0007says' }, ...finishes]] } },
  })
  assert.equal((await made.run('run', '--no-archive')).code, 0)
  const plain = await made.run('logs')
  assert.match(plain.out, /^It is there\.$/m)
  assert.match(plain.out, /^tool says$/m)
  writeFileSync(made.path(`${firstLog}.gz`), gzipSync(readFileSync(made.path(firstLog))))
  rmSync(made.path(firstLog))
  assert.equal((await made.run('logs', '1')).out, plain.out)
  assert.equal((await made.run('archive')).code, 0)
  assert.equal((await made.run('logs')).out, plain.out)
})

test('a log that is cut short says so, after what could be read', async (t) => {
  const made = quickProjectFor(t)
  await made.run('run', '--no-archive')
  writeFileSync(made.path(`${firstLog}.gz`), gzipSync(readFileSync(made.path(firstLog))).subarray(0, -12))
  rmSync(made.path(firstLog))
  const { code, err } = await made.run('logs')
  assert.equal(code, 65)
  assert.match(err, /iteration-001\.log\.gz cannot be read: .*What came before is above\.\n$/)
})

test('--follow goes on from one iteration to the next, into the archive, and ends with the run [R-TEL-4]', async (t) => {
  const made = quickProjectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: { stories: { 'S-1': [[{ say: 'I begin.' }, waitsForGo, ...finishes]], 'S-2': [finishes] } },
    config: { gates: { tests: 'echo checked' } },
  })
  const run = made.start('run')
  await until('the first words', () => made.has(firstLog) && made.read(firstLog).includes('I begin.'))
  const following = made.start('logs', '--follow')
  await until('the first words to be shown', () => following.output().includes('I begin.'))
  go(made)
  const [ran, { code, out, err }] = await Promise.all([run.ended, following.ended])
  assert.equal(ran.code, 0, ran.out)
  assert.deepEqual([code, err], [0, ''])
  const telling = withoutTime({ out })
    .out.split('\n')
    .filter((line) => /^──|^I begin|^It is there|^checked/.test(line))
  assert.deepEqual(telling, [
    '── Iteration 1: S-1 (scripted)',
    'I begin.',
    'It is there.',
    'checked',
    '── Iteration 2: S-2 (scripted)',
    'It is there.',
    'checked',
  ])
})

test('Ctrl+C ends --follow with 130, and the run goes on', async (t) => {
  const made = quickProjectFor(t, { script: { stories: { 'S-1': [[{ say: 'I begin.' }, waitsForGo, ...finishes]] } } })
  const run = made.start('run', '--no-archive')
  await until('the first words', () => made.has(firstLog) && made.read(firstLog).includes('I begin.'))
  const following = made.start('logs', '--follow')
  await until('the first words to be shown', () => following.output().includes('I begin.'))
  following.child.kill('SIGINT')
  assert.equal((await following.ended).code, 130)
  go(made)
  assert.equal((await run.ended).code, 0)
})

test('without a live run --follow says so and shows what there is', async (t) => {
  const made = quickProjectFor(t)
  await made.run('run', '--no-archive')
  const { code, err, out } = await made.run('logs', '--follow')
  assert.deepEqual([code, err], [0, 'thing is not running; showing its last log.\n'])
  assert.match(out, /It is there\./)
})

test('an agent that prints plain text is shown as it prints', async (t) => {
  const made = quickProjectFor(t, {
    stories: null,
    files: { '.ralph/text.sh': 'cat > /dev/null\necho "one"\necho\necho "two"\n' },
    config: { agent: { name: 'plain', command: ['sh', '.ralph/text.sh'] } },
  })
  await made.run('run', '-n', '1')
  assert.equal((await made.run('logs')).out.split('\n').slice(1).join('\n'), 'one\n\ntwo\n')
})

test('a log of any size is read in bounded memory, its longest lines cut', async (t) => {
  const made = quickProjectFor(t, { script: { stories: { 'S-1': [says('Short.')] } } })
  await made.run('run', '-n', '1')
  const line = `${'x'.repeat(1023)}\n`
  writeFileSync(made.path(firstLog), `${line.repeat(60_000)}${'y'.repeat(6 * 1024 * 1024)}\nend\n`)
  made.env['NODE_OPTIONS'] = '--max-old-space-size=40'
  const { code, out } = await made.run('logs')
  assert.equal(code, 0)
  assert.match(out, /\n {2}! line cut; see all of it with: ralph logs --raw\nend\n$/)
})
