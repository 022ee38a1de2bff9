/** Writes the screen in docs/monitor.md: the monitor in a terminal of 80 by 24 next to a scripted run. */
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { until } from '../test/support/processes.ts'
import { makeProject, prd } from '../test/support/project.ts'
import { openTerminal } from '../test/support/terminal.ts'
import { search, searchScript, shop } from './screenshots/scene.ts'

const page = join(dirname(fileURLToPath(import.meta.url)), '..', 'docs', 'monitor.md')
const made = makeProject({ ...shop, script: { stories: { ...shop.script!.stories, ...searchScript } } })
try {
  made.write('.ralph/search/prd.json', prd('search', '', search.stories ?? []))
  made.git('add', '-A')
  made.git('commit', '-q', '-m', 'Plans')
  await made.run('run', '-f', 'search')
  const run = made.start('run', '-f', 'checkout', '--no-archive')
  await until('the mail', () => made.has('src/mail.js'))
  const terminal = openTerminal(made, ['monitor', '-f', 'checkout'], { columns: 80, rows: 24 })
  try {
    const lines = await until('the monitor', () => terminal.lines().some((line) => line.includes('--watch')) && terminal.lines())
    const block = `\`\`\`console\n$ ralph monitor\n${lines.join('\n').trimEnd()}\n\`\`\``
    writeFileSync(
      page,
      readFileSync(page, 'utf8').replace(/```console\n\$ ralph monitor\n[\s\S]*?\n```/, () => block),
    )
  } finally {
    terminal.close()
  }
  made.write('../go', '')
  await run.ended
} finally {
  made.remove()
}
