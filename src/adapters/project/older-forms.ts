/** Finds plans and prompts of older Ralph versions in a project without features. */
import { basename, dirname, join, relative } from 'node:path'
import { readIfThere } from '../files/files.ts'
import { reservedNames, STATE_FOLDER } from './layout.ts'

const folders = ['', STATE_FOLDER, 'scripts/ralph', 'ralph']
const planNames = ['@fix_plan.md', 'fix_plan.md', 'prd.json']

/** A sentence that says how to import them; undefined: there are none. */
export function olderForms(root: string): string | undefined {
  const plan = firstThere(root, planNames)
  const prompt = firstThere(root, ['PROMPT.md'])
  const feature = suggestedName(root)
  if (plan !== undefined) {
    const [there, become] =
      prompt === undefined ? [`${plan} is`, ''] : [`${plan} and ${prompt} are`, ` (${prompt} becomes its prompt.md)`]
    return `${there} there. Import with: ralph import ${plan} -f ${feature} --yes${become}`
  }
  if (prompt === undefined) return undefined
  return `${prompt} is there. To turn it into stories: ralph import ${prompt} -f ${feature}. Or run it without a plan: mkdir -p .ralph/${feature} && cp ${prompt} .ralph/${feature}/prompt.md && ralph run`
}

/** The prompt that belongs to an imported plan: next to it, or in the project's root. */
export function olderPrompt(root: string, planPath: string): { path: string; text: string } | undefined {
  for (const folder of [dirname(planPath), ...folders.map((name) => join(root, name))]) {
    const path = join(folder, 'PROMPT.md')
    const text = readIfThere(path)
    if (text !== null && text.trim() !== '') return { path: relative(root, path), text }
  }
  return undefined
}

function firstThere(root: string, names: string[]): string | undefined {
  const all = names.flatMap((name) => folders.map((folder) => join(folder, name)))
  return all.find((path) => readIfThere(join(root, path)) !== null)
}

/** The folder's name, if it is a valid feature name. */
function suggestedName(root: string): string {
  const name = basename(root)
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|-+$/g, '')
  return name === '' || reservedNames.includes(name) ? 'feature' : name
}
