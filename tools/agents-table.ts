// What agents can do, and what runs with the real ones have shown: the tables in docs/agents.md.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { agentNamed, realAgentNames } from '../src/adapters/agents/list.ts'
import type { Entry } from '../src/core/reading/transcript.ts'
import type { Agent, Task } from '../src/ports.ts'

export type Result = { file: string; name: string; hasPassed: boolean }

/** What is proven, by words in the names of the tests. */
const proofs: [title: string, words: RegExp][] = [
  ['commit made, story proven', /^two stories are done/],
  ['false claim refused', /^a false COMPLETE/],
  ['usage told', /\b(?:usage is told|tokens are told|paid for)\b/],
  ['usage limit', /\b(?:usage limit|quota)\b/],
  ['refused login', /^a refused key/],
  ['read-only call', /^a read-only call/],
  ['no order left for a reviewer reaches it', /\bno order, setting, hook or server\b/],
  ['report by tool', /\btool to report with\b|\bits report arrives$/],
  ['tree ended at the time limit', /\bhangs\b/],
  ['tree ended by SIGTERM', /^SIGTERM/],
]

/** Over the Agent Client Protocol, with the version of the program that speaks it. */
const overAcp: Record<string, string> = { 'claude-acp': '0.99.0', 'gemini-acp': '0.61.0', 'opencode-acp': '1.18.33' }
const options = { allowedTools: '', skipPermissions: false, root: '/' }

/** Puts the tables between their markers in docs/agents.md; without results, only the one that needs none. */
export function writeAgentsTable(path: string, results?: Result[]): void {
  const page = withTable(readFileSync(path, 'utf8'), 'abilities', abilitiesTable())
  writeFileSync(path, results ? withTable(page, 'proven', provenTable(results)) : page)
}

/** As the adapters themselves say, or as their launches show. */
export function abilitiesTable(): string {
  const rows = [...realAgentNames, 'format: acp', 'format: stream-json', 'format: text'].map((name) => {
    const format = /^format: (.*)$/.exec(name)?.[1] as 'acp' | 'stream-json' | 'text' | undefined
    const agent = agentNamed(format ? { name: 'mine', command: ['mine'], format } : { name }, options)
    return [format ? `your command, \`${name}\`` : `\`${name}\``, ...abilitiesOf(agent)]
  })
  return tableOf(
    [
      ...['agent', 'cost', 'usage while it works', 'usage when Ralph ends it', 'usage limit seen', 'denied tool seen'],
      ...[
        'stops at a cost',
        'continues a session',
        'answers in a schema',
        'read-only calls',
        'kept from files live',
        'reports by tool',
      ],
    ],
    rows,
  )
}

/** What its reader finds in recordings of the real program; a command of the user's has none. */
function seenIn(agent: Agent): { isLive: boolean; isLimitSeen: boolean; isDenialSeen: boolean } {
  const folder = join(import.meta.dirname, '..', 'recordings', agent.name)
  const entriesOf = (name: string): Entry[] => {
    const read = agent.reader()
    const text = existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : ''
    return text.split('\n').flatMap((line) => read(line, 'out'))
  }
  const success = entriesOf('success.jsonl')
  const first = success.findIndex(({ kind }) => kind === 'usage')
  const isLimit = (entry: Entry): boolean => entry.kind === 'throttled' && entry.by === 'usage-limit'
  const refusals = ['permission-denied.jsonl', 'outside-the-sandbox.jsonl'].flatMap(entriesOf)
  return {
    isLive: first >= 0 && first < success.findLastIndex(({ kind }) => kind === 'said'),
    isLimitSeen: ['usage-limit.jsonl', 'quota-exceeded.jsonl'].flatMap(entriesOf).some(isLimit),
    isDenialSeen: refusals.some(({ kind }) => kind === 'denied'),
  }
}

function abilitiesOf(agent: Agent): string[] {
  const task: Task = { prompt: '', cwd: '/', model: '', env: {} }
  const obeys = (more: Partial<Task>): boolean =>
    JSON.stringify(agent.launch({ ...task, ...more }).args) !== JSON.stringify(agent.launch(task).args)
  const isAsked = agent.launch({ ...task, isReadOnly: true }).env['RALPH_READ_ONLY'] === '1'
  const { isLive, isLimitSeen, isDenialSeen } = seenIn(agent)
  return [
    { cost: 'told', tokens: 'by price list', nothing: 'unknown' }[agent.tells],
    yes(isLive || agent.isUsageLeftLive),
    yes(isLive || agent.reportsAtInterrupt === true || agent.usageLeft !== undefined),
    yes(isLimitSeen),
    yes(isDenialSeen),
    yes(obeys({ maxCostUsd: 1 })),
    yes(agent.resumes !== undefined),
    agent.answersInSchema ? 'held to it' : 'asked for it',
    isAsked ? 'asked for it' : 'held to it',
    yes(obeys({ guard: { denied: ['/.ralph/x'] } })),
    yes(agent.takesStatusTool),
  ]
}

const yes = (it: boolean | undefined): string => (it ? 'yes' : '')

function provenTable(results: Result[]): string {
  const rows = [...realAgentNames, ...Object.keys(overAcp)].map((name) => {
    const tested = overAcp[name] ?? agentNamed({ name }, options).tested ?? ''
    const own = results.flatMap((result) => {
      const isNamed = result.name.startsWith(`${name}: `)
      if (!isNamed && basename(result.file).split(/[-.]/)[0] !== name) return []
      return [{ ...result, name: isNamed ? result.name.slice(name.length + 2) : result.name }]
    })
    return [name, tested, ...proofs.map(([, words]) => mark(own.filter((result) => words.test(result.name))))]
  })
  return tableOf(['agent', 'version', ...proofs.map(([title]) => title)], rows)
}

export const tableOf = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

export const withTable = (page: string, name: string, table: string): string =>
  page.replace(new RegExp(`<!-- ${name} -->[\\s\\S]*<!-- /${name} -->`), `<!-- ${name} -->\n${table}\n<!-- /${name} -->`)

const mark = (results: Result[]): string => (results.length === 0 ? '–' : results.every(({ hasPassed }) => hasPassed) ? '✓' : '✗')
