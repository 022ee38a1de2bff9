import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { committed, env, newFolder, repository, type TestRepository } from '../../../test/support/repository.ts'
import type { Agent } from '../../ports.ts'
import { masker } from '../mask/mask.ts'
import { callAgent } from '../process/agent-call.ts'
import { openGit } from './git.ts'

/** A repository that git finds worth packing at its next commit: it counts what lies in `objects/17`. */
async function worthPacking(): Promise<TestRepository> {
  const place = await repository()
  place.sh('config', 'gc.auto', '1')
  place.write(Object.fromEntries(contentsIn17(4).map((text, at) => [`file-${at}.txt`, text])))
  place.sh('add', '-A')
  place.sh('-c', 'maintenance.auto=false', 'commit', '-q', '-m', 'first')
  assert.deepEqual(packedOf(place), { packs: 0, garbage: 0 })
  return place
}

function contentsIn17(count: number): string[] {
  const found: string[] = []
  for (let n = 0; found.length < count; n++) {
    const text = `content ${n}\n`
    const id = createHash('sha1').update(`blob ${text.length}\0${text}`).digest('hex')
    if (id.startsWith('17')) found.push(text)
  }
  return found
}

function packedOf({ sh }: TestRepository): { packs: number; garbage: number } {
  const counted = sh('count-objects', '-v')
  const numberOf = (name: string): number => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(counted)?.[1])
  return { packs: numberOf('packs'), garbage: numberOf('garbage') }
}

/** An agent whose whole work is this script, in the repository of a place. */
async function worked({ top }: TestRepository, script: string, more: Record<string, string> = {}) {
  const agent: Agent = {
    name: 'plain',
    tellsWordsApart: true,
    tells: 'tokens',
    program: 'sh',
    install: '',
    launch: (task) => ({ command: 'sh', args: ['-c', script], env: {}, stdin: task.prompt }),
    reader: () => (line) => [{ kind: 'noise', text: line }],
  }
  const logPath = join(newFolder(), 'iteration-001.log')
  const childEnv = { PATH: env.PATH ?? '', HOME: env.HOME, LANG: env.LANG, GIT_CONFIG_NOSYSTEM: '1', ...more }
  const { end } = await callAgent({
    agent,
    task: { prompt: '', cwd: top, model: '', env: childEnv },
    tag: `upkeep-${process.pid}:1`,
    logPath,
    timeoutMs: 60_000,
    graceMs: 100,
    sandbox: null,
    keep: [],
    mask: masker({}),
    stop: new AbortController().signal,
    onEntry: () => {},
  })
  return { end, log: readFileSync(logPath, 'utf8') }
}

test('the commit of an agent has git pack in front, so that nothing is left behind to be ended before it is done', async () => {
  const place = await worthPacking()
  const { end } = await worked(place, 'echo more > more.txt; git add -A; git commit -q -m "feat: more"')
  assert.deepEqual([end.how, end.code, end.killed, packedOf(place)], ['exited', 0, 0, { packs: 1, garbage: 0 }])
})

test('an agent has the git settings of its environment, and those that keep packing in front behind them', async () => {
  const place = await committed()
  const own = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: 'from the environment' }
  const ask = 'for key in user.name gc.autoDetach maintenance.autoDetach; do git config --get $key; done'
  assert.equal((await worked(place, ask, own)).log, 'from the environment\nfalse\nfalse\n')
})

test('our own commits start no git that packs', async () => {
  const place = await worthPacking()
  const trace = `${newFolder()}.txt`
  const git = await openGit(place.top, { ...env, GIT_TRACE: trace })
  assert(git)
  place.write({ 'work.txt': 'work\n', '.ralph/login/progress.txt': 'memory\n' })
  const made = [await git.commitPaths('feat: work', ['work.txt'], { hooks: true }), await git.commitState('state')]
  git.close()
  assert.deepEqual(made, [{ commit: place.sh('rev-parse', 'HEAD~') }, { commit: place.sh('rev-parse', 'HEAD') }])
  const commands = [...readFileSync(trace, 'utf8').matchAll(/built-in: git (\S+)/g)].map(([, verb]) => verb)
  assert.equal(commands.filter((verb) => verb === 'commit').length, 1) // the state is committed from trees
  assert.deepEqual(
    commands.filter((verb) => verb === 'maintenance' || verb === 'gc'),
    [],
  )
  assert.deepEqual(packedOf(place), { packs: 0, garbage: 0 })
})

test('asked to tidy, git packs what is worth it, and is done when it says so', async () => {
  const place = await worthPacking()
  await place.git.tidy()
  assert.deepEqual(packedOf(place), { packs: 1, garbage: 0 })
})

test('a repository whose user wants no packing, or that is gone, is left alone without a word', async () => {
  const place = await worthPacking()
  place.sh('config', 'gc.auto', '0')
  await place.git.tidy()
  assert.deepEqual(packedOf(place), { packs: 0, garbage: 0 })
  rmSync(place.top, { recursive: true })
  await place.git.tidy()
})
