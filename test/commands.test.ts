/** The small commands, through the built program: help, config, doctor, completion, demo, and how wrong usage is met. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { eventsOf } from './support/loop.ts'
import { projectFor } from './support/project.ts'

const runFlags = `-n --max-iterations -t --timeout -r --rate-limit --calls -f --feature -p --prompt -v --verbose --quiet --json
  --no-archive --reset-circuit --dry-run --dangerously-skip-permissions --max-stuck --max-attempts --best-of --max-retries --max-cost
  --max-tokens --max-duration --timeout-multiplier --on-limit --story --pick --session --decide --agent --model --skip-review
  --resume --fresh --monitor --parallel --sandbox`.split(/\s+/)

test('the help of run lists every flag, the same from both sides, within 80 columns [R-CMD-1]', async (t) => {
  const made = projectFor(t)
  const { code, out, err } = await made.run('run', '--help')
  assert.deepEqual([code, err], [0, ''])
  const listed = [...out.matchAll(/^ {2}(-\w, )?(--[a-z-]+)/gm)].flatMap(([, short, long]) => [short?.slice(0, 2), long])
  assert.deepEqual(
    runFlags.filter((flag) => !listed.includes(flag)),
    [],
  )
  assert.equal((await made.run('help', 'run')).out, out)
  assert.deepEqual(
    out.split('\n').filter((line) => line.length > 80),
    [],
  )
})

test('help lists every command with what it takes; without a command it is shown too, as wrong usage [R-CMD-1]', async (t) => {
  const made = projectFor(t)
  const [help, flag, nothing] = [await made.run('help'), await made.run('--help'), await made.run()]
  assert.deepEqual([help.code, flag.code, nothing.code, help.err, nothing.out], [0, 0, 64, '', ''])
  assert.deepEqual([flag.out, nothing.err], [help.out, help.out])
  const commands = [...help.out.matchAll(/^ {2}([a-z]+)(?: [<[][a-z.]+[>\]])* {2,}\S/gm)].map(([, name]) => name)
  const known =
    'init run status why answer unblock say pause resume stop retry skip breaker archive doctor config rehearse demo completion help'
  assert.deepEqual(
    known.split(' ').filter((name) => !commands.includes(name)),
    [],
  )
})

test('--version prints the version of the package and nothing else', async (t) => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const { code, out, err } = await projectFor(t).run('--version')
  assert.deepEqual([code, out, err], [0, `${version}\n`, ''])
})

test('wrong usage is one line with the nearest right name, and exit 64', async (t) => {
  const made = projectFor(t)
  const told = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await made.run(...args)
    assert.deepEqual([code, out, err.split('\n').length], [64, '', 2], err)
    return err.trimEnd()
  }
  assert.equal(await told('statuss'), "ralph: unknown command 'statuss'. Did you mean status?")
  assert.equal(await told('xyzzy'), `ralph: unknown command 'xyzzy'. "ralph help" lists all commands.`)
  assert.equal(await told('help', 'statuss'), "ralph: unknown command 'statuss'. Did you mean status?")
  assert.equal(
    await told('run', '--max-iteration', '3'),
    "ralph: unknown option '--max-iteration'. Did you mean --max-iterations?",
  )
  assert.match(await told('run', '--timeout'), /^ralph: option '-t, --timeout <duration>' argument missing\. /)
  assert.match(await told('run', '-n', '0'), /^ralph: --max-iterations is "0"; expected a whole number, 1 or more/)
  assert.match(await told('run', '-n', 'many'), /^ralph: --max-iterations is "many"; expected a whole number, 1 or more/)
  assert.match(await told('run', '--resume', '--fresh'), /^ralph: --resume and --fresh cannot be combined/)
  assert.match(await told('run', '--quiet', '-v'), /^ralph: --verbose and --quiet cannot be combined/)
  assert.match(await told('init'), /^ralph: missing required argument 'feature'\. "ralph help init" shows how to use it\.$/)
  assert.match(await told('status', 'extra'), /^ralph: too many arguments for 'status'\. /)
  assert.match(await told('learn', '-f', '../x'), /^ralph: "\.\.\/x" is not a valid feature name/)
  assert.match(await told('status', '-f', 'nope'), /^ralph: No feature "nope"\. Features: thing/)
  assert.match(await told('retry', 'S-11'), /^ralph: No story "S-11" in \.ralph\/thing\. Did you mean S-1\?/)
  assert.match(await told('config', 'list'), /^ralph: .*show, get, set or schema/)
  assert.match(await told('breaker', 'open'), /^ralph: Unknown action .*; use ralph breaker or ralph breaker reset/)
  assert.match(await told('completion', 'tcsh'), /^ralph: Unknown shell "tcsh"; use one of: bash, zsh, fish\.$/)
  assert.match(await told('pause'), /^ralph: No run of thing to \w+\. Start one with: ralph run/)
})

test('config show prints every setting with its source, and config schema what an editor needs', async (t) => {
  const made = projectFor(t, { config: { defaults: { max_iterations: 7 } } })
  Object.assign(made.env, { RALPH_MAX_ATTEMPTS: '2' })
  const { code, out } = await made.run('config', 'show')
  assert.equal(code, 0)
  assert.match(out, /^ {2}max_iterations: 7 +# project$/m)
  assert.match(out, /^ {2}max_attempts: 2 +# .*RALPH_MAX_ATTEMPTS.*$/m)
  assert.match(out, /^ {2}timeout_minutes: 15 +# default$/m)
  assert.equal((await made.run('config')).out, out)
  const json = JSON.parse((await made.run('config', 'show', '--json')).out)
  assert.deepEqual(json.settings['defaults.max_iterations'], { value: 7, source: 'project' })
  const schema = JSON.parse((await made.run('config', 'schema')).out)
  assert.equal(schema.properties.defaults.properties.max_iterations.default, 20)
})

test('doctor says that everything is here, or what is not and what to do', async (t) => {
  const good = await projectFor(t).run('doctor')
  assert.equal(good.code, 0, good.out)
  assert.match(good.out, /^✓ Node +\d+\.\d+\.\d+$/m)
  assert.match(good.out, /^✓ project +\S+ \(thing\)$/m)
  assert.match(good.out, /\nReady to run\. Next: ralph run\n$/)

  const bad = projectFor(t, { config: { agent: { name: 'mine', command: ['no-such-agent'] } } })
  const missing = await bad.run('doctor')
  assert.equal(missing.code, 69)
  assert.match(missing.out, /^✗ agent +mine: no program "no-such-agent" on PATH\n +→ make no-such-agent executable/m)
  assert.match(missing.out, /\n1 problem found\. Next: fix what is marked ✗, then: ralph doctor\n$/)
  bad.write('.ralph/config.yaml', 'max_iteratons: 3\n')
  assert.match((await bad.run('doctor')).out, /^✗ settings +.*config\.yaml:1.*defaults\.max_iterations/m)
})

test('doctor runs the gates, and names one that cannot fail', async (t) => {
  const files = { 'src/sum.js': 'export const sum = (a, b) => a + b\n' }
  const told = async (tests: string): Promise<string> => {
    const p = projectFor(t, { files, config: { gates: { tests } } })
    const { code, out } = await p.run('doctor')
    assert.equal(code, 0)
    assert.deepEqual([p.read('src/sum.js'), p.git('status', '--porcelain')], [files['src/sum.js'], ''])
    return out
  }
  assert.match(
    await told('true'),
    /^✓ gate tests +true: passed in .*\n! gates +pass with every source file emptied: they cannot fail\n +→ "ralph rehearse" shows what else would pass$/m,
  )
  assert.match(await told('test -s src/sum.js'), /^✓ gates +fail with every source file emptied, as they should$/m)
})

test('the completion for bash offers commands, and the flags of a command', async (t) => {
  const { out: script } = await projectFor(t).run('completion', 'bash')
  const offers = (...words: string[]): string[] => {
    const ask = `${script}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _ralph; echo "\${COMPREPLY[@]}"`
    const { stdout, stderr } = spawnSync('bash', ['-c', ask], { encoding: 'utf8' })
    assert.equal(stderr, '')
    return stdout.trim().split(' ')
  }
  assert.deepEqual(offers('ralph', 'sta'), ['status', 'stats'])
  assert.deepEqual(offers('ralph', 'run', '--max-i'), ['--max-iterations'])
})

test('the completions for zsh and fish name every command', async (t) => {
  const made = projectFor(t)
  for (const shell of ['zsh', 'fish']) {
    const { code, out } = await made.run('completion', shell)
    assert.equal(code, 0)
    assert.match(out, /\binit plan import lint run doctor\b/)
    assert.match(out, shell === 'zsh' ? /^#compdef ralph\n/ : /-l max-iterations/)
  }
})

test('the short forms show and reset the breaker [R-CB-3]', async (t) => {
  const made = projectFor(t, { script: { otherwise: [{ say: 'Looked around.' }] } })
  assert.equal((await made.run('run', '--max-stuck', '1')).code, 4)
  const { code, out } = await made.run('--cb-status')
  assert.equal(code, 0)
  assert.match(out, /^Circuit breaker: OPEN\nBecause: +1 of 1 .*iteration/)
  assert.equal(out, (await made.run('breaker')).out)
  for (const form of ['--cb-reset', '--reset-circuit'])
    assert.equal((await made.run(form)).out, 'Circuit breaker reset to CLOSED. Continue with: ralph run\n')
  assert.match((await made.run('--cb-status')).out, /^Circuit breaker: CLOSED\n/)
  assert.equal(eventsOf(made, 'breaker.reset').length, 2)
})
