import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Failure } from '../../core/failure.ts'
import { runWords } from './complete-words.ts'
import { runCompletion } from './completion.ts'

const commands = [
  { name: 'config', flags: [] },
  { name: 'diff', flags: [] },
  { name: 'retry', flags: ['-f', '--feature'] },
  { name: 'run', flags: ['-n', '--max-iterations', '--dry-run', '--dirty'] },
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
    const ralph = 'ralph() { [ "$4" = -f ] && echo "of-$5" || printf "%s-1\\n%s-2\\n" "$3" "$3"; }'
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', `${ralph}\n${text}\n${ask}`], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    assert.equal(stderr, '')
    return stdout.trim()
  }
  assert.equal(complete('ralph', ''), 'config diff retry run status help')
  assert.equal(complete('ralph', 'st'), 'status')
  assert.equal(complete('ralph', 'run', '--'), '--max-iterations --dry-run --dirty')
  assert.equal(complete('ralph', 'status', '-'), '--json')
  assert.equal(complete('ralph', 'help', '-'), '')
  assert.equal(complete('ralph', 'run', '-f', ''), 'features-1 features-2')
  assert.equal(complete('ralph', 'retry', 'st'), 'stories-1 stories-2')
  assert.equal(complete('ralph', 'diff', ''), 'stories-1 stories-2')
  assert.equal(complete('ralph', 'config', 's'), 'show set schema')
  assert.equal(complete('ralph', 'config', 'set', ''), 'keys-1 keys-2')
  assert.equal(complete('ralph', 'run', '-f', 'login', '--story', ''), 'of-login')
  assert.equal(complete('ralph', 'run', '--dirty', ''), 'leave include refuse')
})

test('features, stories, agents, settings and runs of the project are named; an id that a shell would obey is not', async () => {
  const root = mkdtempSync(join(tmpdir(), 'ralph-words-'))
  after(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, '.ralph', 'login'), { recursive: true })
  const story = (id: string) => ({ id, title: id, description: '', acceptanceCriteria: ['it works'], priority: 1, passes: false })
  const plan = { project: 'x', branchName: '', description: '', userStories: ['US-1', '$(touch x)', 'US-2'].map(story) }
  writeFileSync(join(root, '.ralph', 'login', 'prd.json'), JSON.stringify(plan))
  writeFileSync(join(root, '.ralph', 'login', 'events.jsonl'), '')
  const words = async (what: string, feature = 'login'): Promise<string[]> => {
    let text = ''
    const out = (more: string) => void (text += more)
    const io = { cwd: root, env: { HOME: root }, out, raw: out, err: assert.fail, isTerminal: false, isAttended: false }
    assert.equal(await runWords({ what, feature }, io), 0)
    return text.split('\n').filter((word) => word !== '')
  }
  assert.deepEqual(await words('features'), ['login'])
  assert.deepEqual(await words('stories'), ['US-1', 'US-2'])
  assert.deepEqual([await words('runs'), await words('stories', 'no-such'), await words('nonsense')], [[], [], []])
  assert.ok((await words('agents')).includes('scripted'))
  assert.ok((await words('settings')).includes('gates.tests='))
  assert.ok((await words('keys')).includes('gates.tests'))
})

test('the zsh and fish scripts name every command and flag', async () => {
  const zsh = await script('zsh')
  assert.match(zsh, /^#compdef ralph\n/)
  assert.match(zsh, /compadd -- config diff retry run status help\n/)
  assert.match(zsh, /run\) compadd -- -n --max-iterations --dry-run --dirty ;;/)
  assert.match(zsh, /retry\) compadd -- \S+f\S+.*; return ;;/, 'stories without flags and files among them')
  const fish = await script('fish')
  assert.match(fish, /^complete -c ralph -n __fish_use_subcommand -f -a "config diff retry run status help"$/m)
  assert.match(fish, /^complete -c ralph -n "__fish_seen_subcommand_from run" -s n$/m)
  assert.match(fish, /^complete -c ralph -n "__fish_seen_subcommand_from status" -l json$/m)
  assert.match(zsh, /^ {4}--on-limit\) compadd -- auto wait exit ask; return ;;$/m)
  assert.match(fish, /-l dirty -x -a "leave include refuse"$/m)
})

test('an unknown shell is wrong usage', async () => {
  await assert.rejects(script('tcsh'), new Failure(64, 'Unknown shell "tcsh"; use one of: bash, zsh, fish.'))
  await assert.rejects(script('toString'), Failure)
})
