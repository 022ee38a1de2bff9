// Puts a real transcript of the demo into README.md: node tools/readme.ts
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { stableWords } from './samples/normal.ts'

export const readmePath = fileURLToPath(new URL('../README.md', import.meta.url))

export function withDemo(readme: string, printed: string): string {
  const [project] = /\/\S*ralph-demo-\w+/.exec(printed)!
  const transcript = stableWords({ root: '/nowhere', home: '/nowhere' }).shown(printed.replaceAll(project, '/tmp/ralph-demo'))
  return readme.replace(
    /<!-- demo -->[\s\S]*<!-- \/demo -->/,
    () => `<!-- demo -->\n\`\`\`console\n$ npm run demo\n${transcript.trimEnd()}\n\`\`\`\n<!-- /demo -->`,
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const program = fileURLToPath(new URL('../bin/ralph.js', import.meta.url))
  const env = { PATH: process.env['PATH'], HOME: '/nonexistent', LANG: 'C.UTF-8', TERM: 'dumb' }
  const { stdout, status } = spawnSync(process.execPath, [program, 'demo'], { encoding: 'utf8', env })
  if (status !== 0) throw new Error(`the demo ended with ${status}: ${stdout}`)
  writeFileSync(readmePath, withDemo(readFileSync(readmePath, 'utf8'), stdout))
}
