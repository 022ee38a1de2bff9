/** Words of an agent, a gate or a plan that would take over a terminal or a page: they arrive as text, or not at all. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { projectFor, type Steps, type TestProject } from './support/project.ts'

const esc = String.fromCharCode(27)
const bell = String.fromCharCode(7)
/** The clipboard, the title, a link, the screen, the cursor, a report typed back, the one-byte forms, right-to-left, and nothing. */
const tricks = [
  `${esc}]52;c;ZXZpbA==${bell}`,
  `${esc}]0;owned${bell}`,
  `${esc}]8;;http://evil.example/${esc}\\click${esc}]8;;${esc}\\`,
  `${esc}[2J${esc}[H`,
  `${esc}[6n${esc}[c`,
  `${esc}P$q"p${esc}\\`,
  `${esc}c`,
  '\u009b2J\u009d0;owned\u0007',
  '\u202etxet sdrawkcab\u202c',
  '\u2066isolated\u2069',
  '\rOVERWRITTEN',
  '\u0000\u0008\u0008',
]
const hostile = `before${tricks.join('')}after`

/** A title is refused where it has a line end in it. */
const oneLine = '\u202etxet\u202c'

/** Nothing that moves a cursor, hides text or speaks to the terminal; line ends and tabs are fine. */
function controlsIn(where: string, text: string): string[] {
  const found = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/u.exec(text)
  if (found === null) return []
  const around = text.slice(Math.max(0, found.index - 60), found.index + 20)
  return [`${where}: ${JSON.stringify(around)}`]
}

const script = {
  stories: {
    'S-1': [
      [
        { say: hostile },
        { tool: { name: 'Bash', target: hostile, text: hostile, failed: true } },
        { stderr: hostile },
        { print: hostile },
        { write: { path: 'S-1.txt', text: hostile } },
        { commit: `feat: ${hostile}` },
        { flip: 'S-1' },
        { say: `Done. ${hostile}` },
      ],
      [{ say: `<promise>BLOCKED:${hostile}</promise>` }],
    ],
  },
}

test('no control character of an agent, a gate or a plan reaches the terminal, whichever command shows it', async (t) => {
  const p = projectFor(t, {
    stories: [{ id: 'S-1', title: `Title ${oneLine}`, description: hostile, acceptanceCriteria: [hostile] }],
    script,
    config: { gates: { tests: 'cat S-1.txt; exit 1' } },
  })
  const first = await p.run('run', '--verbose', '--no-archive')
  assert.equal(first.code, 2, first.out + first.err)
  const shown: [string, string][] = [['run --verbose', first.out + first.err]]
  for (const command of [
    'status',
    'why',
    'logs 1',
    'logs 2',
    'logs',
    'report',
    'run',
    'run --dry-run',
    'unblock',
    'say x',
    'skip S-1',
    'retry S-1',
    'breaker',
  ])
    shown.push([command, await said(p, command)])
  assert.deepEqual(
    shown.flatMap(([where, text]) => controlsIn(where, text)),
    [],
  )
})

const markup =
  '<script>alert(1)</script><img src=x onerror=alert(1)>"\'><svg onload=alert(1)>[x](javascript:alert(1)) ![y](http://evil.example/p.png) </td></table> `</code>'

test('markup in what an agent, a gate or a plan says is text in the page of the report, and in the report that is committed', async (t) => {
  const words = (steps: object[]): object[] => [...steps, { say: `Done. ${markup}` }]
  const p = projectFor(t, {
    stories: [{ id: 'S-1', title: `Title ${markup}`, description: markup, acceptanceCriteria: [markup] }],
    script: {
      stories: {
        'S-1': [
          words([{ write: { path: 'a.txt', text: `${markup}\n` } }, { commit: `feat: ${markup}` }, { flip: 'S-1' }]),
          [{ say: `<promise>BLOCKED:${markup}</promise>` }],
        ] as Steps[],
      },
    },
    config: { gates: { tests: 'cat a.txt; exit 1' } },
  })
  await p.run('run', '--no-archive')
  await p.run('report', '--html')
  const html = p.read('.ralph/thing/report.html')
  assert.ok(html.includes('&lt;script&gt;alert(1)'), 'the words are there')
  assert.deepEqual(html.match(/<script>alert|<img\b|<svg onload|(?:href|src)="(?:javascript|http:\/\/evil)[^"]*/g) ?? [], [])
  const markdown = p.read('.ralph/thing/report.md')
  assert.ok(markdown.includes('alert(1)'), 'the words are there')
  assert.deepEqual(markdown.match(/(?<![\\`])<(?:script|img|svg)|(?<!\\)\]\((?:javascript|http):/g) ?? [], [], markdown)
})

const said = async (p: TestProject, command: string): Promise<string> => {
  const { out, err } = await p.run(...command.split(' '))
  return out + err
}
