// Writes docs/configuration.md from the table of settings, what each agent can do into docs/agents.md, and the plays into docs/rehearse.md: node tools/docs.ts
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expectation } from '../src/config/check.ts'
import type { Setting } from '../src/config/setting.ts'
import { envName, type Key, table } from '../src/config/table.ts'
import { yamlValue } from '../src/config/text.ts'
import { playList } from '../src/rehearse/plays/list.ts'
import { playGroups } from '../src/views/rehearsal.ts'
import { tableOf, withTable, writeAgentsTable } from './agents-table.ts'

export const configurationPath = fileURLToPath(new URL('../docs/configuration.md', import.meta.url))

export function configurationPage(): string {
  const rows = Object.entries<Setting>(table).map(([key, setting]) => row(key as Key, setting))
  return `# Settings

A value comes from the first of these that has one:

1. a flag of \`ralph run\`
2. a \`RALPH_*\` variable
3. the project's file, \`.ralph/config.yaml\`
4. your own file, \`~/.ralph/config.yaml\` (\`RALPH_HOME\` moves its folder)
5. the default

\`ralph config show\` prints every value and where it comes from; \`ralph config schema\` prints a JSON Schema for your editor. A dot in
a key below is a level in the file: \`gates.tests\` is \`tests\` under \`gates:\`. An unknown key or a value that does not fit stops with exit 78
and the place; a flag that does not fit, with exit 64.

Durations are written \`90s\`, \`15m\`, \`1h\`, \`1h30m\`, or as a bare number of minutes. In a variable, lists are separated by commas
(\`RALPH_PROCESS_KEEP=a,b\`) and maps are written as JSON.

| key | default | takes | flag | variable | |
|---|---|---|---|---|---|
${rows.join('\n')}
`
}

export const rehearsePath = fileURLToPath(new URL('../docs/rehearse.md', import.meta.url))

/** The page of `ralph rehearse` with the list of plays as it is. */
export function rehearsePage(): string {
  const rows = playList.map(({ id, name, group, isCertain, isQuick }) =>
    [playGroups[group], name, code(id), isCertain ? 'yes' : '', isQuick ? 'yes' : ''].map(cell),
  )
  const head = ['', 'the agent', 'id', 'certain', '`--quick`']
  return withTable(readFileSync(rehearsePath, 'utf8'), 'plays', tableOf(head, rows))
}

function row(key: Key, setting: Setting): string {
  const flags = [setting.flag, setting.alias].flatMap((flag) => (flag === undefined ? [] : [code(flag)])).join(', ')
  return `| ${[code(key), code(yamlValue(setting.default)), expectation(setting), flags, code(envName(key)), setting.doc].map(cell).join(' | ')} |`
}

const code = (text: string): string => `\`${text}\``
const cell = (text: string): string => text.replaceAll('|', '\\|')

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(configurationPath, configurationPage())
  writeFileSync(rehearsePath, rehearsePage())
  writeAgentsTable(fileURLToPath(new URL('../docs/agents.md', import.meta.url)))
}
