/** What cuts all ties to the agent that started it (no environment, a session of its own, adopted by init) ends with it all the same. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { isAlive } from '../src/adapters/process/survivors.ts'
import { until } from './support/processes.ts'
import { makeProject, type ProjectSketch, type Steps, type TestProject } from './support/project.ts'

/** Leaves its pid beside the project; gates on a commit have a TMPDIR of their own. */
const daemon = {
  run: `env -i setsid -f sh -c 'echo $$ > "'"$HOME"'/../daemon"; exec /bin/sleep 1000' < /dev/null > /dev/null 2>&1`,
}
const finishes: Steps = [{ flip: '$RALPH_STORY' }, { say: 'There.' }]
const untilUp = { run: 'until test -s "$HOME/../daemon"; do sleep 0.02; done' }

function project(t: TestContext, sketch: ProjectSketch): TestProject {
  const made = makeProject({ config: { process: { grace_seconds: 0.2 } }, ...sketch })
  t.after(() => {
    for (const name of ['daemon', 'agent'])
      if (made.has(`../${name}`) && isAlive(pidOf(made, name))) process.kill(pidOf(made, name), 'SIGKILL')
    made.remove()
  })
  return made
}
const pidOf = (made: TestProject, name = 'daemon'): number => Number(readFileSync(made.path(`../${name}`), 'utf8'))
const upIn = (made: TestProject, name = 'daemon') => until(name, () => made.has(`../${name}`) && made.read(`../${name}`) !== '')

test('a daemon by "env -i setsid" of an agent, and one of a gate, ends with its call [R-ITER-1]', async (t) => {
  for (const sketch of [
    { script: { otherwise: [daemon, untilUp, ...finishes] } },
    { script: { otherwise: finishes }, config: { gates: { tests: `${daemon.run}; ${untilUp.run}` } } },
  ]) {
    const made = project(t, sketch)
    const { code, out, err } = await made.run('run', '--no-archive')
    assert.equal(code, 0, out + err)
    assert.equal(isAlive(pidOf(made)), false)
  }
})

test('one that a killed run left is ended by the next run [R-ITER-4]', async (t) => {
  const made = project(t, {
    script: { otherwise: [{ run: `test -f "$TMPDIR/daemon" || { ${daemon.run}; sleep 1000; }` }, ...finishes] },
  })
  const { child, ended } = made.start('run', '--no-archive')
  await upIn(made)
  child.kill('SIGKILL')
  await ended
  assert.equal(isAlive(pidOf(made)), true)
  const { code, out, err } = await made.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.equal(isAlive(pidOf(made)), false)
})

test('the agent of a killed import, and its daemon, are ended by the next import or run', async (t) => {
  for (const next of [
    ['run', '-f', 'thing', '--no-archive'],
    ['import', 'spec.md', '-f', 'accounts', '--yes'],
  ]) {
    const made = project(t, {
      script: {
        iterations: [
          [
            daemon,
            { run: 'test -f "$TMPDIR/agent" || { echo $PPID > "$TMPDIR/agent"; sleep 1000; }' },
            { flip: 'S-1' },
            { say: 'No.' },
          ],
        ],
      },
      files: { 'spec.md': '# Accounts\n' },
    })
    const { child, ended } = made.start('import', 'spec.md', '-f', 'accounts', '--yes')
    await Promise.all([upIn(made), upIn(made, 'agent')])
    const [left, agent] = [pidOf(made), pidOf(made, 'agent')]
    child.kill('SIGKILL')
    await ended
    assert.deepEqual([isAlive(left), isAlive(agent)], [true, true])
    await made.run(...next)
    assert.deepEqual([isAlive(left), isAlive(agent)], [false, false], next[0])
  }
})
