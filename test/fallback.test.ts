/** A list of agents: at the usage limit of one the next takes the calls, and everybody says so. */
import assert from 'node:assert/strict'
import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { endOf, eventsOf, finishes } from './support/loop.ts'
import { withoutWaits } from './support/processes.ts'
import { type ProjectSketch, projectFor, ralphProgram, type Steps, type TestProject } from './support/project.ts'

type Script = NonNullable<ProjectSketch['script']>

/** Stand-ins for two agents with lines like Claude Code's: each plays a script of its own. */
function relay(t: TestContext, scripts: { claude: Script; qwen: Script }, sketch: ProjectSketch = {}): TestProject {
  const player = join(ralphProgram, '..', '..', 'dist', 'player.js')
  const made = projectFor(t, {
    ...sketch,
    config: { agent: undefined, agents: ['claude', 'qwen:fast'], learn: { enabled: false }, ...sketch.config },
  })
  for (const [name, script] of Object.entries(scripts)) {
    made.write(`../bin/${name}.json`, JSON.stringify(script))
    made.write(`../bin/${name}`, `#!/bin/sh\nexec '${process.execPath}' '${player}' "$(dirname "$0")/${name}.json"\n`)
    chmodSync(made.path(`../bin/${name}`), 0o755)
  }
  made.env['PATH'] = `${made.path('../bin')}:${made.env['PATH']}`
  return made
}

const limited = (reset: string): Steps => [{ limit: { until: reset } }]
const passing: Steps[] = [[{ say: '{"missing": [], "extra": [], "reason": "", "verdict": "pass"}' }]]
const agentsOf = (made: TestProject): [role: string, agent: string][] =>
  eventsOf(made, 'call.requested').map(({ role, agent }) => [role, agent])

test('at a usage limit the next agent of the list continues, reviews too, and receipt, status and why name it [R-COST-4]', async (t) => {
  const made = relay(
    t,
    { claude: { otherwise: limited('in 1h') }, qwen: { otherwise: finishes, reviews: { 'S-1': passing, 'S-2': passing } } },
    { stories: [{ id: 'S-1' }, { id: 'S-2' }], config: { review: { enabled: true } } },
  )
  const { code, out } = await made.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(agentsOf(made), [
    ['implementer', 'claude'],
    ['implementer', 'qwen'],
    ['reviewer', 'qwen'],
    ['implementer', 'qwen'],
    ['reviewer', 'qwen'],
  ])
  assert.match(out, /agent claude, then qwen, /)
  assert.match(out, /! qwen works instead of claude, whose usage limit lasts until (?:\d{4}-\d\d-\d\d )?\d\d:\d\d/)
  assert.equal(made.kinds().includes('wait.started'), false)
  assert.deepEqual(
    eventsOf(made, 'iteration.started').map(({ agent }) => agent),
    [undefined, 'qwen', 'qwen'],
  )
  assert.match((await made.run('report')).out, /\| S-1 \| reviewed \| 2 \|.*\| qwen \|/)
  assert.match((await made.run('why')).out, /qwen works instead of claude/)
  const shared = JSON.parse(readFileSync(join(made.home, '.ralph', 'calls.json'), 'utf8'))
  assert.deepEqual(Object.keys(shared.limits), ['claude'])
})

test('the first agent is called again after its reset; if all are at their limits, the run waits for the first reset [R-COST-4]', async (t) => {
  const made = relay(t, {
    claude: { iterations: [limited('in 1h'), limited('in 1h'), finishes] },
    qwen: { otherwise: limited('in 2h') },
  })
  const over = withoutWaits(made)
  const { code, out } = await over.run('run', '--no-archive', '-n', '3')
  assert.equal(code, 0, out)
  const [wait] = eventsOf(made, 'wait.started')
  assert.match(wait!.because, /^the provider's usage limit: reached by claude, qwen; claude is available again first$/)
  assert.deepEqual(
    agentsOf(made)
      .map(([, agent]) => agent)
      .slice(0, 2),
    ['claude', 'qwen'],
  )
  assert.equal(eventsOf(made, 'iteration.judged').at(-1)?.verdict, 'done')
})

test('one account for each agent: a list that names one twice, or the same program by two names, is refused [R-COST-4]', async (t) => {
  const scripts = { claude: { otherwise: finishes }, qwen: { otherwise: finishes } }
  const twice = relay(t, scripts, { config: { agents: ['claude', 'claude:opus'] } })
  const first = await twice.run('run')
  assert.deepEqual([first.code, first.err.includes('"claude" is listed twice')], [78, true], first.err)
  const named = { name: 'mine', command: ['claude'], format: 'stream-json', env: { CLAUDE_CONFIG_DIR: '/other' } }
  const second = await relay(t, scripts, { config: { agent: named, agents: ['claude'] } }).run('run')
  assert.deepEqual([second.code, second.err.includes('"mine" and "claude" are the same program')], [78, true], second.err)
  assert.match(second.err, /Ralph does not change accounts to get around a usage limit/)
})

test('an agent of the list that is missing, or whose cost a budget cannot know, is refused before the first iteration [R-COST-4]', async (t) => {
  const scripts = { claude: { otherwise: finishes }, qwen: { otherwise: finishes } }
  const missing = await relay(t, scripts, { config: { agents: ['claude', 'gemini'] } }).run('run')
  assert.deepEqual([missing.code, missing.err.includes('The agent "gemini" needs the program gemini')], [69, true], missing.err)
  const untold = relay(t, scripts)
  const budget = await untold.run('run', '--max-cost', '1')
  assert.deepEqual([budget.code, budget.err.includes('"qwen" does not report its cost')], [78, true], budget.err)
  const prices = { fast: { input: 1, output: 1 } }
  const priced = relay(t, scripts, { config: { prices } })
  assert.equal((await priced.run('run', '--max-cost', '1', '--no-archive')).code, 0)
  assert.equal(endOf(priced).outcome, 'complete')
})
