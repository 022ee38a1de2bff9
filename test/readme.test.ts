/** The README's first run, followed to the letter with a scripted agent: init, plan, run. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from './support/processes.ts'
import { projectFor } from './support/project.ts'
import { openTerminal } from './support/terminal.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
/** The words of each `ralph` line of a block, without its comment. */
const commandsIn = (block: string): string[][] =>
  [...block.matchAll(/^ralph (.*?)\s*(?:#.*)?$/gm)].map(([, words = '']) =>
    [...words.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word),
  )
const [first = '', , whole = ''] = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)

const story = {
  ...{ id: 'S-1', title: 'Log in', description: 'Readers log in.', acceptanceCriteria: ['login("ann", "secret") is true'] },
  ...{ priority: 1, dependsOn: [] },
}
const script = {
  iterations: [
    [{ say: JSON.stringify({ questions: [{ question: 'Where are passwords?', choices: ['In a file', 'In memory'] }] }) }],
    [{ say: JSON.stringify({ stories: [story] }) }],
    [{ say: JSON.stringify({ findings: [] }) }],
  ],
  stories: {
    'S-1': [
      [
        { write: { path: 'login.js', text: 'exports.login = (name, word) => name === "ann" && word === "secret"\n' } },
        { run: `printf 'require("node:assert").equal(require("./login.js").login("ann", "secret"), true)\\n' >> test.js` },
        { commit: 'feat: log in' },
        { flip: 'S-1' },
        { say: 'Done.' },
      ],
    ],
  },
}

test('the first run of the README leads from an empty feature to a story that is done and proven', async (t) => {
  const made = projectFor(t, {
    stories: null,
    files: { 'package.json': '{"scripts": {"test": "node test.js"}}\n', 'test.js': '"use strict"\n' },
  })
  rmSync(made.path('.ralph'), { recursive: true })
  made.git('add', '-A')
  made.git('commit', '-q', '-m', 'without a feature')
  mkdirSync(join(made.home, '.ralph'))
  writeFileSync(join(made.home, 'agent.json'), JSON.stringify(script))
  writeFileSync(join(made.home, '.ralph', 'config.yaml'), `agent: { name: scripted, script: ${join(made.home, 'agent.json')} }\n`)
  assert.deepEqual(
    commandsIn(first).map(([name]) => name),
    ['init', 'plan', 'run'],
  )
  const [init = [], plan = [], run = []] = commandsIn(first)
  assert.equal((await made.run(...init)).code, 0)
  const screen = openTerminal(made, plan, { columns: 120, rows: 60 })
  t.after(() => screen.close())
  const shows = (what: RegExp) => until(`${what}`, () => screen.lines().some((line) => what.test(line)))
  await shows(/\[2\] In memory/)
  screen.press('2')
  await shows(/\[a\] accept/)
  screen.press('a')
  await shows(/^\[exit 0\]$/)
  // The rest of the longer list, but for the rehearsal, which has tests of its own.
  const others = commandsIn(whole).filter((words) => !['init', 'plan', 'rehearse'].includes(words[0] ?? ''))
  assert.deepEqual(
    others.map(([name]) => name),
    ['lint', 'doctor', 'run', 'run'],
  )
  for (const words of others.slice(0, 3)) {
    const { code, out, err } = await made.run(...words)
    assert.equal(code, 0, `${words.join(' ')}: ${out}${err}`)
  }
  const ran = await made.run(...run)
  assert.equal(ran.code, 0, ran.out)
  assert.match(ran.out, /^Stories: {5}1\/1 complete, 1 attempted$/m)
  assert.equal(made.git('branch', '--show-current'), 'feature/login')
})
