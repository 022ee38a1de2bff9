import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { commits, endOf, eventsOf, finishes, idles, says, storiesOf, verdictsOf } from './support/loop.ts'
import { runOf, survivors, untilFile } from './support/processes.ts'
import { makeProject, type ProjectSketch, projectFor, type Steps } from './support/project.ts'

const project = (plugin: string, sketch: ProjectSketch = {}) =>
  makeProject({ ...sketch, files: { 'look.mjs': plugin, ...sketch.files }, config: { plugins: ['look.mjs'], ...sketch.config } })
const read = (body: string): string => `export default { name: 'look', read(input) { ${body} } }`
const claims = (p: ReturnType<typeof makeProject>): string[] => eventsOf(p, 'iteration.judged').map((event) => event.claim)
const notices = (p: ReturnType<typeof makeProject>): string[] =>
  eventsOf(p, 'noticed')
    .filter((event) => event.what === 'plugin-failed')
    .map((event) => event.detail)

test('a plugin’s claim ends a run without a plan once the gates are green, and not before [R-SIG-6] [R-DONE-5]', async (t) => {
  const p = project(read(`return { evidence: ['looked'], claim: { name: 'built', evidence: input.files.join() } }`), {
    stories: null,
    script: {
      iterations: [
        [...commits('one.txt'), { say: 'One.' }],
        [...commits('made.txt'), { say: 'Two.' }],
      ],
    },
    config: { gates: { tests: 'test -f made.txt' }, plugins: ['look.mjs'] },
  })
  t.after(p.remove)
  const { code, out } = await p.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(claims(p), ['refused', 'accepted'])
  assert.equal(eventsOf(p, 'iteration.judged').at(-1)!.because, 'completion claimed by plugin built, and nothing contradicts it')
  const { reading, signals } = eventsOf(p, 'iteration.ended')[1]!
  const evidence = 'plugin look claims built: made.txt'
  assert.deepEqual(signals, [{ kind: 'claimed-done', by: 'plugin', name: 'built', exitSignal: true, evidence }])
  assert.deepEqual(reading.evidence, ['plugin look: looked', evidence])
})

test('a plugin’s claim is refused while stories are open [R-SIG-6] [R-DONE-2]', async (t) => {
  const p = project(read(`return { claim: 'all there' }`), {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: { stories: { 'S-1': [idles, finishes], 'S-2': [finishes] } },
  })
  t.after(p.remove)
  const { code, out } = await p.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(claims(p), ['refused', 'refused', 'accepted'])
  assert.match(out, /Agent claimed done; rejected: S-1, S-2 are open/)
})

test('a plugin’s stop ends the run as BLOCKED after the iteration, and ralph unblock goes on [R-SIG-6] [R-HUM-1]', async (t) => {
  const p = project(read(`return { stop: input.iteration === 1 && { name: 'quota', reason: 'used up' } }`), {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
  })
  t.after(p.remove)
  const { code, out } = await p.run('run', '--no-archive')
  assert.equal(code, 2, out)
  assert.deepEqual(endOf(p), { outcome: 'blocked', because: 'iteration 1: quota: used up' })
  assert.deepEqual(p.passing(), ['S-1']) // what passed in that iteration stands
  assert.match(p.read('.ralph/thing/blocked.txt'), /^## Blocked \(from iteration 1, .*\)\nquota: used up\n/)
  assert.equal((await p.run('run')).code, 2)
  assert.equal((await p.run('unblock', 'there is more now')).code, 0)
  assert.equal((await p.run('run', '--no-archive')).code, 0)
  assert.deepEqual(p.passing(), ['S-1', 'S-2'])
})

test('plugins that throw, talk nonsense or do not come back are reported, and disturb nothing [R-SIG-6]', async (t) => {
  const p = projectFor(t, {
    files: {
      'throws.mjs': `export default () => { throw new Error('no such page') }`,
      'nonsense.mjs': `export default () => 42`,
      'hangs.mjs': `export default () => { for (;;); }`,
      'good.mjs': `export default () => ({ evidence: ['seen'] })`,
    },
    config: {
      plugins: ['throws.mjs', 'nonsense.mjs', 'hangs.mjs', 'good.mjs'],
      defaults: { timeout_multiplier: 0.6 }, // 3 s for a plugin
      process: { grace_seconds: 0.2 },
    },
  })
  const { code, out } = await p.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(verdictsOf(p), ['done, made'])
  assert.deepEqual(notices(p), [
    'The plugin throws.mjs threw Error: no such page. It is skipped in iteration 1',
    'The plugin nonsense.mjs answered with something that is not an object. It is skipped in iteration 1',
    'The plugin hangs.mjs timed out after 3.0s. It is skipped in iteration 1',
  ])
  assert.deepEqual(eventsOf(p, 'iteration.ended')[0]!.reading.evidence, ['plugin good: seen'])
  assert.match(out, /! The plugin throws\.mjs threw Error: no such page/)
  assert.match(p.read('.ralph/thing/logs/iteration-001.log'), /^=== plugin throws\.mjs$/m)
})

test('a plugin that the agent removes in mid-run is reported, and disturbs nothing [R-SIG-6]', async (t) => {
  const p = project(read(''), { script: { otherwise: [{ delete: 'look.mjs' }, ...finishes] } })
  t.after(p.remove)
  const { code, out } = await p.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(notices(p), ['The plugin look.mjs does not exist. It is skipped in iteration 1'])
})

test('Ctrl+C ends a plugin that hangs, and the run, at once [R-SIG-6] [R-INT-1]', async (t) => {
  const p = project(`import { writeFileSync } from 'node:fs'\n${read(`writeFileSync('.ralph/thing/logs/up', ''); for (;;);`)}`, {
    config: { plugins: ['look.mjs'], defaults: { timeout_multiplier: 100 }, process: { grace_seconds: 0.2 } },
  })
  t.after(p.remove)
  const { child, ended } = p.start('run')
  await untilFile(p, '.ralph/thing/logs/up')
  child.kill('SIGINT')
  assert.equal((await ended).code, 130)
  assert.deepEqual([endOf(p).outcome, notices(p), survivors(runOf(p))], ['interrupted', [], []])
})

test('a plugin that is missing or does not load is 78 before anything runs, with its path and the reason [R-SIG-6]', async (t) => {
  const cases: [string, string][] = [
    ['gone.mjs', 'does not exist'],
    ['broken.mjs', 'does not load: Error: at home'],
    ['empty.mjs', 'exports no plugin, as default or as "plugin"'],
  ]
  const files = { 'broken.mjs': `throw new Error('at home')`, 'empty.mjs': '' }
  for (const [file, reason] of cases) {
    const p = projectFor(t, { files, config: { plugins: [file] } })
    for (const args of [['run'], ['run', '--dry-run']]) {
      const { code, err } = await p.run(...args)
      assert.equal(code, 78, err)
      assert.ok(err.includes(`The plugin ${p.path(file)} ${reason}. `), err)
    }
    assert.equal(p.has('S-1.txt'), false)
  }
})

test('a marker file that appears, or is written anew, is a claim; one that is merely there is none [R-SIG-6] [R-DONE-1]', async (t) => {
  const marks: Steps = [{ append: { path: 'done.flag', text: 'done\n' } }, { say: 'Look.' }]
  const p = projectFor(t, {
    stories: null,
    script: { iterations: [marks, commits('made.txt'), marks] },
    config: { completion: { marker_file: 'done.flag' }, gates: { tests: 'test -f made.txt' } },
  })
  const { code, out } = await p.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(claims(p), ['refused', 'none', 'accepted'])
  assert.equal(
    eventsOf(p, 'iteration.judged').at(-1)!.because,
    'completion claimed by marker done.flag, and nothing contradicts it',
  )
  assert.equal(p.read('done.flag'), 'done\ndone\n') // Ralph leaves it alone
})

test('with a plan a marker file ends nothing while a story is open [R-SIG-6] [R-DONE-2]', async (t) => {
  const p = projectFor(t, {
    script: { stories: { 'S-1': [[{ write: { path: '.ralph/done', text: '' } }], finishes] } },
    config: { completion: { marker_file: '.ralph/done' } },
  })
  const { code, out } = await p.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(claims(p), ['refused', 'none'])
})

const page = readFileSync(new URL('../docs/plugins.md', import.meta.url), 'utf8')
const block = (language: string): string => new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'm').exec(page)![1]!

test('the example of the documentation works as it says [R-SIG-6]', async (t) => {
  const translates = (name: string): Steps => [...commits(`pages/de/${name}.md`), { say: `${name} is translated.` }]
  const site = (iterations: Steps[]) =>
    makeProject({
      stories: null,
      script: { iterations },
      files: {
        'plugins/translations.mjs': block('js'),
        ...Object.fromEntries(['en/a', 'en/b', 'en/c', 'de/a'].map((name) => [`pages/${name}.md`, `${name}\n`])),
      },
      config: parse(block('yaml')),
    })

  const whole = site([translates('b'), translates('c')])
  t.after(whole.remove)
  const { code, out } = await whole.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.equal(storiesOf(whole).length, 2)
  assert.deepEqual(eventsOf(whole, 'iteration.ended')[0]!.reading.evidence, ['plugin translations: 1 pages are not translated'])

  const refused = site([translates('b'), says('The translator says: quota exceeded.')])
  t.after(refused.remove)
  assert.equal((await refused.run('run')).code, 2)
  assert.equal(endOf(refused).because, 'iteration 2: quota: the translator takes no more today')
})
