// What the runs with real agents have shown, agent by agent: the table in docs/agents.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { agentNamed } from '../src/adapters/agents/list.ts'

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

const costs = { cost: 'told', tokens: 'by price list', nothing: 'unknown' }
/** Over the Agent Client Protocol, with the version of the program that speaks it. */
const overAcp: Record<string, string> = { 'claude-acp': '0.99.0', 'gemini-acp': '0.61.0', 'opencode-acp': '1.18.33' }
const names = ['claude', 'codex', 'gemini', 'qwen', 'opencode', 'copilot', 'pi']

/** Puts the table between the marks in docs/agents.md. */
export function writeAgentsTable(path: string, results: Result[]): void {
  const options = { allowedTools: '', skipPermissions: false, root: '/' }
  const rows = [...names, ...Object.keys(overAcp)].map((name) => {
    const agent = agentNamed({ name, ...(name in overAcp ? { command: [name], format: 'acp' as const } : {}) }, options)
    const own = results.flatMap((result) => {
      const isNamed = result.name.startsWith(`${name}: `)
      if (!isNamed && basename(result.file).split(/[-.]/)[0] !== name) return []
      return [{ ...result, name: isNamed ? result.name.slice(name.length + 2) : result.name }]
    })
    const marks = proofs.map(([, words]) => mark(own.filter((result) => words.test(result.name))))
    return `| ${[name, agent.tested ?? overAcp[name] ?? '', ...marks, costs[agent.tells]].join(' | ')} |`
  })
  const head = ['agent', 'version', ...proofs.map(([title]) => title), 'cost']
  const table = [`| ${head.join(' | ')} |`, `|${head.map(() => '---').join('|')}|`, ...rows].join('\n')
  const page = readFileSync(path, 'utf8')
  writeFileSync(path, page.replace(/<!-- proven -->[\s\S]*<!-- \/proven -->/, `<!-- proven -->\n${table}\n<!-- /proven -->`))
}

const mark = (results: Result[]): string => (results.length === 0 ? '–' : results.every(({ hasPassed }) => hasPassed) ? '✓' : '✗')
