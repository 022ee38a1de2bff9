import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { Failure } from '../../core/failure.ts'
import { runCompletion } from './completion.ts'

const commands = [
  { name: 'run', flags: ['-n', '--max-iterations', '--dry-run'] },
  { name: 'status', flags: ['--json'] },
  { name: 'help', flags: [] },
]

async function script(shell: string): Promise<string> {
  let text = ''
  const io = {
    cwd: '/',
    env: {},
    out: () => {},
    raw: (more: string) => void (text += more),
    err: () => {},
    isTerminal: false,
    isAttended: false,
  }
  assert.equal(await runCompletion({ shell, commands }, io), 0)
  return text
}

test('the bash script completes commands, and the flags of each', async () => {
  const text = await script('bash')
  const complete = (...words: string[]): string => {
    const ask = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _ralph; echo "\${COMPREPLY[*]}"`
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', `${text}\n${ask}`], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    assert.equal(stderr, '')
    return stdout.trim()
  }
  assert.equal(complete('ralph', ''), 'run status help')
  assert.equal(complete('ralph', 'st'), 'status')
  assert.equal(complete('ralph', 'run', '--'), '--max-iterations --dry-run')
  assert.equal(complete('ralph', 'status', '-'), '--json')
  assert.equal(complete('ralph', 'help', '-'), '')
})

test('the zsh and fish scripts name every command and flag', async () => {
  const zsh = await script('zsh')
  assert.match(zsh, /^#compdef ralph\n/)
  assert.match(zsh, /compadd -- run status help\n/)
  assert.match(zsh, /run\) compadd -- -n --max-iterations --dry-run ;;/)
  const fish = await script('fish')
  assert.match(fish, /^complete -c ralph -n __fish_use_subcommand -f -a "run status help"$/m)
  assert.match(fish, /^complete -c ralph -n "__fish_seen_subcommand_from run" -s n$/m)
  assert.match(fish, /^complete -c ralph -n "__fish_seen_subcommand_from status" -l json$/m)
})

test('an unknown shell is wrong usage', async () => {
  await assert.rejects(script('tcsh'), new Failure(64, 'Unknown shell "tcsh"; use one of: bash, zsh, fish.'))
  await assert.rejects(script('toString'), Failure)
})
