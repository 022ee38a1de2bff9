/** What proof costs: how often the gates run for a story that passes, and how long it takes beside a review. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Event, EventOf } from '../src/core/types.ts'
import { pairedRow, type Row } from './rows.ts'
import { makeProject, type Project, type Scratch } from './scratch.ts'

/** `work`: what the agent does to the code and its tests. */
type Kind = { what: string; work: string[] }
type Suite = { seconds: number; rounds: number; goal: number | null }

const newCode = "echo 'exports.sum = (a, b) => Number(a) + Number(b)' > src/sum.js"
const testOf = (name: string, check: string): string =>
  `require('node:test').test('${name}', () => require('node:assert').equal(${check}))`
const kinds: Kind[] = [
  { what: 'no test changed', work: [newCode] },
  {
    what: 'tests added',
    work: [newCode, `echo "${testOf('text', "require('../src/sum.js').sum('1', 2), 3")}" > test/text.test.js`],
  },
  {
    what: 'tests changed',
    work: [newCode, `echo "${testOf('adds', "require('../src/sum.js').sum('1', 2), 3")}" > test/sum.test.js`],
  },
]

const reviewSeconds = 10

/** A suite of a minute costs minutes of waiting, and hardly any work: all of them run side by side. */
export async function proofRows(scratch: Scratch, isQuick: boolean): Promise<Row[]> {
  const short: Suite = { seconds: 1, rounds: isQuick ? 1 : 3, goal: 1000 }
  const suites: Suite[] = isQuick ? [short] : [short, { seconds: 60, rounds: 1, goal: null }]
  const rows = suites.flatMap((suite) => kinds.map((kind) => rowOf(scratch, suite, kind)))
  return Promise.all(rows)
}

async function rowOf(scratch: Scratch, { seconds, rounds, goal }: Suite, kind: Kind): Promise<Row> {
  const taken: Awaited<ReturnType<typeof provenMs>>[] = []
  for (let round = 0; round < rounds; round++) taken.push(await provenMs(scratch, seconds, kind))
  const runs = Math.max(...taken.map((each) => each.gateRuns))
  const what = `a story with a suite of ${seconds} s and a review of ${reviewSeconds} s, ${kind.what}: ${runs} gate ${runs === 1 ? 'run' : 'runs'}`
  return pairedRow(what, 'ms', taken, goal)
}

/** From the end of the agent until the story has passed. The floor: the same gate once, and then the same review. */
async function provenMs(
  scratch: Scratch,
  seconds: number,
  kind: Kind,
): Promise<{ floor: number; ralph: number; gateRuns: number }> {
  const { project, count } = projectFor(scratch, seconds, kind)
  const args = [scratch.program, 'run', '--no-archive', '--quiet', '-n', '1']
  const child = spawn(process.execPath, args, { cwd: project.root, env: scratch.env, stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = Promise.withResolvers<number | null>()
  child.on('error', ended.reject)
  child.on('exit', ended.resolve)
  const code = await ended.promise
  if (code !== 0) throw new Error(`a story with ${kind.what} did not pass: exit ${code}, see ${project.dir}`)
  const events = readFileSync(join(project.dir, 'events.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Event)
  const of = <K extends Event['kind']>(wanted: K): EventOf<K> =>
    events.findLast((event): event is EventOf<K> => event.kind === wanted)!
  const [gate] = of('gates.ended').results
  return {
    floor: gate!.durationMs + of('review.ended').durationMs,
    ralph: Date.parse(of('iteration.settled').at) - Date.parse(of('iteration.ended').at),
    gateRuns: readFileSync(count, 'utf8').length - 1, // one was before the first iteration
  }
}

function projectFor(scratch: Scratch, seconds: number, { work }: Kind): { project: Project; count: string } {
  const project = makeProject(scratch, 1, 'commits')
  const { root, dir, agent } = project
  const count = `${project.times}-gates`
  for (const folder of ['src', 'test']) mkdirSync(join(root, folder), { recursive: true })
  writeFileSync(join(root, 'src', 'sum.js'), 'exports.sum = (a, b) => a + b\n')
  writeFileSync(join(root, 'test', 'sum.test.js'), `${testOf('adds', "require('../src/sum.js').sum(1, 2), 3")}\n`)
  const suite = `printf . >> '${count}'; sleep ${seconds}; '${process.execPath}' --test --test-reporter=tap`
  writeFileSync(
    join(root, '.ralph', 'config.yaml'),
    [
      'agent: {name: fake, command: [./agent.sh], format: text}',
      'defaults: {rate_limit_per_hour: 0}',
      'review: {enabled: true}',
      `gates: {tests: ${JSON.stringify(suite)}}`,
      '',
    ].join('\n'),
  )
  const answer = JSON.stringify({ missing: [], extra: [], answers: ['The story asks for it.'], reason: '', verdict: 'pass' })
  writeFileSync(
    agent,
    [
      '#!/bin/sh',
      'cat > /dev/null',
      `if [ "$RALPH_ROLE" = reviewer ]; then sleep ${reviewSeconds}; echo '${answer}'; exit; fi`,
      ...work,
      'git add src test; git commit -q -m "feat: numbers as text"',
      `sed -i 's/"passes": false/"passes": true/' '${join(dir, 'prd.json')}'`,
      'echo "It is there."',
      '',
    ].join('\n'),
  )
  for (const words of [
    ['add', '-A'],
    ['commit', '-q', '-m', 'a suite'],
  ]) {
    const { status, stderr } = spawnSync('git', words, { cwd: root, env: scratch.env, encoding: 'utf8' })
    if (status !== 0) throw new Error(`git ${words.join(' ')} failed: ${stderr}`)
  }
  return { project, count }
}
