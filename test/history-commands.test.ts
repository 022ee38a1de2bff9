/** `ralph list`, `runs`, `diff`, `open report`, `status --watch` and `config get|set`, through the built program. */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { test } from 'node:test'
import { untilEvent } from './support/processes.ts'
import { projectFor, type Steps } from './support/project.ts'

test('after a run, list, runs, diff and open show it, and status names other features [R-IDEA-3]', async (t) => {
  const made = projectFor(t, { stories: [{ id: 'S-1' }, { id: 'S-2' }] })
  made.write('.ralph/other/prd.json', '{"userStories": [{"id": "O-1", "title": "Other", "passes": false}]}\n')
  assert.equal((await made.run('run', '-f', 'thing', '-n', '1', '--no-archive')).code, 1)
  const list = await made.run('list')
  assert.equal(list.code, 0)
  assert.match(
    list.out,
    /^FEATURE {2}STATE +STORIES {2}LAST RUN\nother +never run +0\/1 +never\nthing +ended: incomplete +1\/2 +\d\d:\d\d, just now\n$/,
  )
  rmSync(made.path('.ralph/thing/status.json'))
  assert.match(
    (await made.run('list')).out,
    /^thing .* \d\d:\d\d, just now$/m,
    'a status rebuilt from the log knows when it ran last',
  )
  const { features } = JSON.parse((await made.run('list', '--json')).out)
  assert.deepEqual(
    features.map(({ feature, state, outcome, stories, folder }: Record<string, unknown>) => [
      feature,
      state,
      outcome,
      stories,
      folder,
    ]),
    [
      ['other', 'idle', null, { complete: 0, total: 1, failed: 0, asking: 0 }, '.ralph/other'],
      ['thing', 'ended', 'incomplete', { complete: 1, total: 2, failed: 0, asking: 0 }, '.ralph/thing'],
    ],
  )
  assert.match((await made.run('status', '-f', 'thing')).out, /\n\nOther features: other \(ralph list\)\n$/)
  const { runs } = JSON.parse((await made.run('runs', '-f', 'thing', '--json')).out)
  assert.deepEqual(
    runs.map(({ outcome, iterations, calls }: Record<string, unknown>) => [outcome, iterations, calls]),
    [['incomplete', 1, 1]],
  )
  assert.match(
    (await made.run('runs', '-f', 'thing')).out,
    new RegExp(`^RUN +STARTED .*\\n${runs[0].run} +\\d\\d:\\d\\d .* incomplete +1 +\\$`),
  )
  assert.equal((await made.run('runs', '-f', 'other')).out, 'other has never run. Start with: ralph run\n')
  const byStory = await made.run('diff', 'S-1', '-f', 'thing')
  assert.match(byStory.out, /^\w+ feat: S-1 \(Tester\)$[\s\S]*^\+\+\+ b\/S-1\.txt$[\s\S]*^\+done$/m)
  assert.doesNotMatch(byStory.out, /\.ralph|\u001b/)
  assert.equal((await made.run('diff', '1', '-f', 'thing')).out, byStory.out)
  made.env['FORCE_COLOR'] = '1'
  assert.match((await made.run('diff', 'S-1', '-f', 'thing')).out, /\u001b\[32m\+/)
  delete made.env['FORCE_COLOR']
  assert.ok((await made.run('diff', '-f', 'thing')).out.includes(byStory.out))
  const unknown = await made.run('diff', 'S-9', '-f', 'thing')
  assert.deepEqual(
    [unknown.code, unknown.err],
    [64, 'ralph: No story or iteration "S-9" in the log of thing. Did you mean S-1? Stories that were worked on: S-1.\n'],
  )
  assert.deepEqual([(await made.run('open', 'report', '-f', 'thing')).code, made.has('.ralph/thing/report.html')], [0, true])
  assert.equal((await made.run('open', 'door', '-f', 'thing')).code, 64)
})

test('the diff of a feature leaves out what a failed story had committed, and says how to see it', async (t) => {
  const steps = (path: string): Steps => [
    { write: { path, text: 'text\n' } },
    { commit: 'feat: $RALPH_STORY' },
    { flip: '$RALPH_STORY' },
  ]
  const made = projectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    branch: 'feature/thing',
    script: { stories: { 'S-2': [steps('broken.txt')] }, otherwise: steps('good.txt') },
    config: { gates: { tests: 'test ! -e broken.txt' }, defaults: { max_attempts: 1 } },
  })
  assert.equal((await made.run('run', '--no-archive')).code, 1)
  const whole = (await made.run('diff', '--stat')).out
  assert.match(whole, /^\w+ feat: S-1 \(Tester\)$/m)
  assert.match(whole, /\n\n1 commit of S-2 is not on feature\/thing\. See it with: ralph diff S-2 -f thing\n$/)
  assert.doesNotMatch(whole, /broken/)
  assert.match(
    (await made.run('diff', 'S-2', '--stat')).out,
    /^\w+ feat: S-2 \(Tester\), not on feature\/thing$[\s\S]*broken\.txt/m,
  )
})

test('a feature whose log or plan is broken is in the list with the reason, and an archived one too', async (t) => {
  const made = projectFor(t)
  assert.equal((await made.run('run')).code, 0)
  made.write('.ralph/bad/events.jsonl', 'not json\n{"at": 1}\n')
  made.write('.ralph/typo/prd.json', '{"userStories": [{"id": "T-1", "titel": "One"}]}\n')
  const { code, out } = await made.run('list')
  assert.equal(code, 0)
  assert.match(out, /^bad +unreadable +none yet +never$[\s\S]*^! bad: \S+events\.jsonl:1: this line is not JSON\./m)
  assert.match(out, /^thing +archived: complete +1\/1 /m)
  const typo = '\\.ralph/typo/prd\\.json:1:32: story T-1: missing "title"; found "titel": rename it$'
  assert.match(out, new RegExp(`^typo +never run +none yet +never$[\\s\\S]*^! typo: ${typo}`, 'm'))
  const errors = (await made.run('status', '-f', 'typo')).out
  assert.match(errors, new RegExp(`^State: +idle: its plan has errors; see all with: ralph lint -f typo\nError: +${typo}`, 'm'))
})

test('status --watch prints each change and ends with the run [R-IDEA-3]', async (t) => {
  const made = projectFor(t, { script: { otherwise: ['hang' as never] } })
  const run = made.start('run')
  await untilEvent(made, 'iteration.started')
  const watch = made.start('status', '--watch')
  const json = made.start('status', '--watch', '--json')
  await new Promise<void>((resolve) => watch.child.stdout?.once('data', () => resolve()))
  run.child.kill('SIGINT')
  await run.ended
  const [shown, data] = await Promise.all([watch.ended, json.ended])
  assert.deepEqual([shown.code, data.code], [0, 0])
  assert.match(shown.out, /^State: {7}running/m)
  assert.match(shown.out, /^State: {7}ended: interrupted$/m)
  assert.equal(JSON.parse(data.out.trim().split('\n').at(-1)!).outcome, 'interrupted')
})

test('config set keeps comments and says old and new; get prints one; wrong ones change nothing [R-IDEA-3]', async (t) => {
  const made = projectFor(t)
  const before = made.read('.ralph/config.yaml')
  made.write('.ralph/config.yaml', `# Mine\n${before}defaults:\n  # How many\n  # max_iterations: 20\n`)
  const set = await made.run('config', 'set', 'defaults.max_iterations', '7')
  assert.deepEqual([set.code, set.out], [0, 'defaults.max_iterations: 20 → 7 (.ralph/config.yaml)\n'], set.err)
  const text = `# Mine\n${before}defaults:\n  # How many\n  # max_iterations: 20\n  max_iterations: 7\n`
  assert.equal(made.read('.ralph/config.yaml'), text)
  assert.equal((await made.run('config', 'get', 'defaults.max_iterations')).out, '7\n')
  const refused = async (...words: string[]) => {
    const { code, err } = await made.run('config', ...words)
    return [code, err]
  }
  assert.deepEqual(await refused('set', 'defaults.max_iteration', '7'), [
    64,
    'ralph: Unknown setting "defaults.max_iteration". Did you mean defaults.max_iterations?\n',
  ])
  assert.deepEqual(await refused('set', 'defaults.max_iterations', 'many'), [
    64,
    'ralph: defaults.max_iterations is "many"; expected a whole number, 1 or more\n',
  ])
  assert.equal((await refused('set', 'defaults.max_iterations'))[0], 64)
  assert.equal(made.read('.ralph/config.yaml'), text)
  const user = await made.run('config', 'set', 'defaults.max_iterations', '9', '--user')
  assert.equal(user.code, 0, user.err)
  assert.match(
    user.out,
    /^defaults\.max_iterations: 20 → 9 \(.*config\.yaml\)\n! Another source overrides it \(project\): the value is 7\.\n$/,
  )
})
