// Builds the documentation as a static site into site/: npm run site. Exits with 1 if a link in it leads nowhere.
import { join } from 'node:path'
import { buildSite } from './build.ts'

const folder = join(import.meta.dirname, '..', '..', 'site')
const dead = buildSite(folder)
for (const link of dead) process.stderr.write(`dead link in ${link}\n`)
process.stdout.write(dead.length === 0 ? `site/index.html is built\n` : `${dead.length} dead links\n`)
process.exitCode = dead.length === 0 ? 0 : 1
