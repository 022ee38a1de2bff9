// What the runs with real agents have shown, agent by agent: the table of docs/agents-proven.md.
import { writeFileSync } from 'node:fs'
import { basename } from 'node:path'

export type Result = { file: string; name: string; hasPassed: boolean }

/** What is proven, by the words of the tests that prove it. */
const proofs: [title: string, words: RegExp][] = [
  ['commit made, story proven', /^two stories are done/],
  ['false claim refused', /^a false COMPLETE/],
  ['usage told', /\b(?:usage is told|tokens are told|paid for)\b/],
  ['usage limit', /\b(?:usage limit|quota)\b/],
  ['refused login', /^a refused key/],
  ['tree ended at the time limit', /\bhangs\b/],
  ['tree ended by SIGTERM', /^SIGTERM/],
]

const versions: Record<string, string> = {
  claude: '2.1.325',
  codex: '0.166.0',
  gemini: '0.61.0',
  qwen: '0.24.4',
  opencode: '1.18.33',
  copilot: '1.0.102',
  pi: '0.73.1',
}

export function writeAgentsTable(path: string, results: Result[]): void {
  const rows = Object.entries(versions).map(([agent, version]) => {
    const own = results.filter(({ file }) => basename(file).split(/[-.]/)[0] === agent)
    return `| ${[agent, version, ...proofs.map(([, words]) => mark(own.filter(({ name }) => words.test(name))))].join(' | ')} |`
  })
  const head = ['agent', 'version', ...proofs.map(([title]) => title)]
  writeFileSync(
    path,
    `# What was proven with the real programs

Written by \`npm run test:agents\`: whole runs of Ralph with the real agents from the npm registry against a scripted model on this machine.
✓ the test passed, ✗ it failed, – there is no such test for this agent.

| ${head.join(' | ')} |
|${head.map(() => '---').join('|')}|
${rows.join('\n')}
`,
  )
}

const mark = (results: Result[]): string => (results.length === 0 ? '–' : results.every(({ hasPassed }) => hasPassed) ? '✓' : '✗')
