// Puts a real transcript of the demo into README.md: node tools/readme.ts
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const { stdout, status } = spawnSync(process.execPath, [join(root, 'bin', 'ralph.js'), 'demo'], {
  encoding: 'utf8',
  env: { PATH: process.env['PATH'], HOME: '/nonexistent', LANG: 'C.UTF-8' },
})
if (status !== 0) throw new Error(`the demo ended with ${status}: ${stdout}`)
const transcript = stdout
  .replace(/\/\S*ralph-demo-\w+/g, '/tmp/ralph-demo')

  .trimEnd()
const path = join(root, 'README.md')
const readme = readFileSync(path, 'utf8')
writeFileSync(
  path,
  readme.replace(
    /<!-- demo -->[\s\S]*<!-- \/demo -->/,
    `<!-- demo -->\n\`\`\`console\n$ npm run demo\n${transcript}\n\`\`\`\n<!-- /demo -->`,
  ),
)
