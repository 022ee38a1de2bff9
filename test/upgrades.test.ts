/** What earlier versions left is read by this one; what a later one left is refused with a clear word, and stays as it is. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { until } from './support/processes.ts'
import type { TestProject } from './support/project.ts'
import { factsOf, recordedFacts, releasedProject, releases } from './support/released.ts'
import { openTerminal } from './support/terminal.ts'

function left(t: TestContext, version: string): TestProject {
  const project = releasedProject(version)
  t.after(() => project.remove())
  return project
}

/** What a later version would have written, as far as this one can know: the same with a higher number. */
function asOfLater(project: TestProject): void {
  const change = (name: string, from: string | RegExp, to: string): void => {
    const text = project.read(name)
    assert.notEqual(text.replace(from, to), text, `${name} has no ${from}`)
    writeFileSync(project.path(name), text.replace(from, to))
  }
  change('.ralph/shop/events.jsonl', '"log":1', '"log":2')
  change('.ralph/shop/status.json', '"version": 1', '"version": 2')
}

/** Every file of the project and of the user, by its content. */
function contents(project: TestProject): Record<string, string> {
  const base = join(project.root, '..')
  const files = readdirSync(base, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const hashOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex')
  return Object.fromEntries(files.map(({ parentPath, name }) => [join(parentPath, name), hashOf(join(parentPath, name))]))
}

test('there is a recording of this version', () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
  assert.ok(
    releases().includes(version),
    `record it: node test/fixtures/record-released.ts (there are: ${releases().join(', ')})`,
  )
})

for (const version of releases()) {
  test(`what ${version} left says the same today, also from its log alone`, async (t) => {
    const project = left(t, version)
    assert.deepEqual(await factsOf(project), recordedFacts(version))
    writeFileSync(project.path('.ralph/shop/status.json'), '')
    assert.deepEqual(await factsOf(project), recordedFacts(version))
  })

  for (const [command, words] of [
    [['status'], /ended: stuck[\s\S]*✗ S-4 {2}Discounts/],
    [['why'], /without progress/],
    [['report'], /Completed: 3\/6 stories[\s\S]*### S-4: Discounts/],
    [['logs', '1'], /The cart is there\./],
    // Rules have changed since: it says from which iteration on, instead of failing.
    [['replay'], /Replayed: {2}(?:the same\.|continues after 5 iterations)/],
    [['learn'], /fake clock/],
    [['config', 'show'], /max_attempts/],
  ] as const)
    test(`ralph ${command.join(' ')} reads what ${version} left`, async (t) => {
      const { code, out, err } = await left(t, version).run(...command)
      assert.match(out, words, err)
      assert.equal(code, 0, err)
    })

  test(`the monitor shows what ${version} left`, async (t) => {
    const project = left(t, version)
    const screen = openTerminal(project, ['monitor'], { columns: 100, rows: 40 })
    t.after(() => screen.close())
    const shown = await until('its stories on the screen', () => {
      const text = screen.lines().join('\n')
      return text.includes('Returns') && text
    })
    assert.match(shown, /Gift wrap/)
  })

  test(`a run goes on where ${version} ended, with its counters and receipts`, async (t) => {
    const project = left(t, version)
    const before = recordedFacts(version)
    assert.equal((await project.run('breaker', 'reset')).code, 0)
    assert.match((await project.run('run', '--dry-run')).out, /S-7[\s\S]*Returns/)
    const { code, out, err } = await project.run('run', '--no-archive')
    assert.equal(code, 1, out + err) // S-4 has failed, and S-6 waits for it
    const { outcome, iteration, stories } = await factsOf(project)
    assert.deepEqual(
      { outcome, iteration, stories: stories.map(({ id, state }) => `${id} ${state}`) },
      {
        outcome: 'stories-failed',
        iteration: before.iteration + 1,
        stories: ['S-1 passes', 'S-2 passes', 'S-3 passes', 'S-4 failed', 'S-5 skipped', 'S-6 open', 'S-7 passes'],
      },
    )
  })

  test(`a run that ${version} did not end is gone on with`, async (t) => {
    const project = left(t, version)
    const lines = project.read('.ralph/shop/events.jsonl').trimEnd().split('\n')
    const cut = lines.findLastIndex((line) => line.includes('"kind":"iteration.started"')) + 1
    writeFileSync(project.path('.ralph/shop/events.jsonl'), `${lines.slice(0, cut).join('\n')}\n`)
    const { code, out, err } = await project.run('run', '--no-archive')
    assert.equal(code, 1, out + err)
    const [noticed, resumed] = project.events().slice(cut)
    assert.equal(noticed?.kind === 'noticed' && noticed.what, 'history-changed') // its commits are not in the repository of today
    assert.deepEqual([resumed?.kind, resumed?.run], ['run.resumed', recordedFacts(version).run])
    const lost = project.events().find((event) => event.kind === 'iteration.ended' && event.exit === 'lost')
    assert.equal(lost?.kind === 'iteration.ended' && lost.iteration, recordedFacts(version).iteration)
  })
}

for (const command of [
  ['run'],
  ['run', '--dry-run'],
  ['status'],
  ['why'],
  ['report'],
  ['logs', '1'],
  ['replay'],
  ['say', 'hello'],
  ['retry', 'S-4'],
  ['breaker', 'reset'],
  ['monitor'],
])
  test(`ralph ${command.join(' ')} refuses what a newer version left, and changes nothing`, async (t) => {
    const project = left(t, releases().at(-1)!)
    asOfLater(project)
    const before = contents(project)
    const { code, out, err } = await project.run(...command)
    assert.equal(code, 65, out + err)
    assert.match(
      out + err,
      /events\.jsonl:1: this log has version 2; this Ralph reads versions up to 1\. A newer Ralph wrote it: update Ralph\. Nothing was changed\./,
    )
    const changed = Object.entries(contents(project)).filter(([path, hash]) => before[path] !== hash)
    assert.deepEqual(changed, [])
  })
