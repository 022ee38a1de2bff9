/** Budgets of a day and of a month: over all runs and projects of a user, also after a kill. */
import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { endOf, eventsOf, verdictsOf } from './support/loop.ts'
import { runOf, survivors, until } from './support/processes.ts'
import { goneAfter, makeProject, type ProjectSketch, type Steps } from './support/project.ts'

/** Honest work that is never done. */
const works = (cost: number): Steps => [
  { usage: { cost } },
  { append: { path: 'a.txt', text: 'more\n' } },
  { commit: 'feat: more' },
  { say: 'A step.' },
]
/** Two projects of one user. */
function twoProjects(t: Parameters<typeof goneAfter>[0], sketch: ProjectSketch) {
  const base = mkdtempSync(join(tmpdir(), 'ralph-acceptance-'))
  const made = ['one', 'two'].map((name) => makeProject({ ...sketch, at: join(base, name) }))
  goneAfter(t, made[0]!)
  return [made[0]!, made[1]!] as const
}
const midnight = (): string => {
  const now = new Date()
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1).toISOString()
}

test('a day’s budget counts all runs of all projects, ends a run with 6, and lets no other begin [R-COST-2]', async (t) => {
  const [one, two] = twoProjects(t, { script: { otherwise: works(0.4) }, config: { budget: { day_usd: 1 } } })
  const until = midnight()
  const first = await one.run('run', '-n', '2')
  assert.equal(first.code, 1, first.out)
  const second = await two.run('run', '-n', '2')
  assert.equal(second.code, 6, second.out)
  assert.match(second.out, /! day budget almost used: \$0\.80 of \$1\.00 today, all runs and projects\n/)
  assert.deepEqual(endOf(two), {
    outcome: 'budget',
    because: `budget spent: $1.20 of $1.00 today, all runs and projects; resets at ${until}`,
  })
  assert.deepEqual(
    eventsOf(two, 'call.refused').map(({ by, until }) => [by, until]),
    [['budget', until]],
  )
  assert.match(second.out, /Next: +ralph run {2}# after \d{4}-\d\d-\d\d 00:00, or first raise budget\.day_usd/)
  assert.match(
    (await one.run('status')).out,
    /Today: +\$1\.20 of \$1\.00, all runs and projects; resets at \d{4}-\d\d-\d\d 00:00/,
  )

  const third = await one.run('run')
  assert.equal(third.code, 6, third.out)
  assert.match(
    third.err,
    /^Budget spent: \$1\.20 of \$1\.00 today, all runs and projects\.\nIt resets at \d{4}-\d\d-\d\d 00:00\. Run again then, or raise budget\.day_usd\.\n$/m,
  )
  assert.deepEqual(verdictsOf(one), ['worked, made', 'worked, made'])
  assert.equal((await one.run('run', '--dry-run')).code, 6)
})

test('a month’s budget of the user holds in every project [R-COST-2]', async (t) => {
  const [one, two] = twoProjects(t, { script: { otherwise: works(0.4) } })
  one.write('../home/.ralph/config.yaml', 'budget: { month_usd: 1 }\n')
  assert.equal((await one.run('run', '-n', '2')).code, 1)
  const { code, out } = await two.run('run')
  assert.equal(code, 6, out)
  assert.match(
    endOf(two).because,
    /^budget spent: \$1\.20 of \$1\.00 this month, all runs and projects; resets at \d{4}-\d\d-\d\dT/,
  )
  assert.match(
    (await two.run('status')).out,
    /This month: +\$1\.20 of \$1\.00, all runs and projects; resets at \d{4}-\d\d-01 00:00/,
  )
})

test('what a killed run had spent counts, also what its last call had taken so far [R-COST-2]', async (t) => {
  const message = (id: string, input: number): string =>
    JSON.stringify({
      type: 'assistant',
      message: { id, role: 'assistant', model: 'm', content: [], usage: { input_tokens: input, output_tokens: 1 } },
    })
  const play = [`cat > /dev/null`, `echo '${message('1', 400_000)}'`, `echo '${message('2', 700_000)}'`, 'sleep 600 & wait']
  const [one, two] = twoProjects(t, {
    files: { '.ralph/play.sh': play.join('\n') },
    config: {
      agent: { name: 'counting', command: ['sh', '.ralph/play.sh'], format: 'stream-json' },
      model: 'm',
      prices: { m: { input: 1, output: 10 } },
      budget: { day_usd: 2 },
    },
  })
  const { child, ended } = one.start('run')
  const spent = (): boolean => one.has('../home/.ralph/calls.json') && one.read('../home/.ralph/calls.json').includes('1100002')
  await until('both requests in calls.json', spent)
  child.kill('SIGKILL')
  await ended
  const { code, out } = await two.run('run')
  assert.equal(code, 6, out)
  assert.match(
    endOf(two).because,
    /^stopped, because a budget was spent: \$2\.20 of \$2\.00 today, all runs and projects; resets at /,
  )
  assert.equal(eventsOf(two, 'iteration.ended')[0]?.exit, 'over-budget')
  assert.deepEqual(survivors(runOf(two)), [])
})

test('a day’s budget for an agent that does not say what it costs is refused at the start [R-COST-2]', async (t) => {
  const [made] = twoProjects(t, { config: { agent: { name: 'codex', command: ['true'] }, budget: { day_usd: 1 } } })
  const { code, err } = await made.run('run')
  assert.equal(code, 78, err)
  assert.match(err, /A day budget is set, but the agent "codex" does not report its cost/)
})
