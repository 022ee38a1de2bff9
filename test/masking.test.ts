/** Whatever an agent or a gate prints: of its keys nothing is seen in anything that Ralph keeps, shows or sends. */

import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { samples, secretParts } from './support/credentials.ts'
import { projectFor, type TestProject } from './support/project.ts'
import { receiver } from './support/receiver.ts'

const printed = samples.map(({ what, text }) => `${what}: ${text}`).join('\n')
const ofVariable = 'Quiet-Zebra:Under"Glass'
/** Pieces long enough to be of use, and never there by chance. */
const pieces = [...samples.flatMap(secretParts), ofVariable].flatMap((part) =>
  (part.match(/.{1,16}/g) ?? []).filter((piece) => piece.length > 9),
)

const places: Record<string, { agent: object; script: object; exit: number }> = {
  'an agent that prints plain text': {
    agent: { name: 'mine', command: ['sh', './.ralph/agent.sh'], format: 'text' },
    script: {},
    exit: 1,
  },
  'an agent that prints JSON': {
    agent: { name: 'scripted', script: '.ralph/agent.json' },
    exit: 2,
    script: {
      stories: {
        'S-1': [
          [
            { run: 'cat "$TMPDIR/keys.txt"' },
            { stderr: printed },
            { say: printed },
            { write: { path: 'a.txt', text: 'a\n' } },
            { commit: 'feat: S-1' },
            { flip: 'S-1' },
            { say: `It is there. ${printed}` },
          ],
          [
            { tool: { name: 'Bash', target: printed, text: printed, failed: true } },
            { say: `<promise>BLOCKED:${printed}</promise>` },
          ],
        ],
      },
    },
  },
}

for (const [name, { agent, script, exit }] of Object.entries(places)) {
  test(`R-FILE-3: of what ${name} and its gates print, no key is kept, shown or sent`, async (t) => {
    const { got, host } = await receiver(t, (response) => void response.writeHead(204).end())
    const url = `http://${host}/`
    const p = projectFor(t, {
      script,
      files: { '.ralph/agent.sh': plainAgent },
      config: {
        agent,
        gates: { tests: 'cat "$TMPDIR/keys.txt"; cat "$TMPDIR/keys.txt" >&2; exit 1' },
        notify: { webhook: { url }, on: ['stop', 'blocked', 'gates.ended', 'iteration.ended', 'iteration.judged'] },
      },
    })
    const base = dirname(p.root)
    p.env['SOME_PASSWORD'] = ofVariable
    writeFileSync(join(base, 'keys.txt'), `${printed}\n${ofVariable}\n${JSON.stringify({ text: `${printed}\n${ofVariable}` })}\n`)
    mkdirSync(join(base, 'prompts'))

    const json = await p.run('run', '--json', '--verbose', '-n', '2')
    assert.equal(json.code, exit, json.err.slice(-2000))
    const kept = filesUnder(base).filter(([path]) => !given.some((own) => path.startsWith(own)))
    const shown: [string, string][] = [
      ['ralph run --json', json.out],
      ['its standard error', json.err],
    ]
    for (const command of ['status', 'status --json', 'why', 'logs 1', 'logs 2', 'report', 'report --html', 'run'])
      shown.push([`ralph ${command}`, await said(p, command)])
    shown.push(...filesUnder(base).filter(([path]) => path.endsWith('.html')))
    shown.push(['git log', p.git('log', '-p', '--all', '--format=%B', '--', '.', ':!.ralph/agent.*')])
    shown.push(['notices', got.map(({ body }) => body).join('\n')])
    assert.ok(got.length > 3 && kept.length > 8, 'there was little to look at')
    assert.deepEqual(
      [...kept, ...shown].flatMap(([where, text]) => leaks(where, text)),
      [],
    )
    assert.match(kept.find(([path]) => path.endsWith('state.md'))![1], /sk-\*\*\*.*\[RALPH masked SOME_PASSWORD\]/s)
  })
}

/** What the test itself put there. */
const given = ['keys.txt', 'project/.ralph/agent.', 'project/.git/']

const plainAgent = `mkdir -p "$TMPDIR/prompts"
cat > "$TMPDIR/prompts/$RALPH_ITERATION"
cat "$TMPDIR/keys.txt"
cat "$TMPDIR/keys.txt" >&2
if [ "$RALPH_ITERATION" = 1 ]; then
  echo a > a.txt; git add a.txt; git commit -qm 'feat: S-1'
  sed -i 's/"passes": false/"passes": true/' "$RALPH_PLAN"
fi
`

function leaks(where: string, text: string): string[] {
  const found = pieces.find((piece) => text.includes(piece))
  if (found === undefined) return []
  const at = text.indexOf(found)
  return [`${where}: …${text.slice(Math.max(0, at - 60), at + 40)}…`]
}

function filesUnder(base: string): [string, string][] {
  return readdirSync(base, { recursive: true, encoding: 'utf8' })
    .map((name) => join(base, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => [
      relative(base, path),
      (path.endsWith('.gz') ? gunzipSync(readFileSync(path)) : readFileSync(path)).toString(),
    ])
}

async function said(p: TestProject, command: string): Promise<string> {
  const { out, err } = await p.run(...command.split(' '))
  return out + err
}
