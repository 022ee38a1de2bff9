/** Functions for texts in JavaScript, tested by node:test. In `texts` the tests of the story are there from the beginning, and fail. */
import type { Project } from '../case.ts'
import { imports, packageJson } from './node.ts'

export const slug = `/** Makes a text fit for a URL. */
export function slugify(text) {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
}
`

export const slugTest = `${imports}import { slugify } from '../src/slug.js'

test('lowers and joins words', () => {
  assert.equal(slugify('Hello World'), 'hello-world')
  assert.equal(slugify('  What? Really! '), 'what-really')
})
`

export const accentTest = `${imports}import { slugify } from '../src/slug.js'

test('accents become plain letters', () => {
  assert.equal(slugify('Crème Brûlée'), 'creme-brulee')
})
`

export const rightSlug = slug.replace(
  '    .toLowerCase()',
  "    .normalize('NFD')\n    .replace(/[\\u0300-\\u036f]/g, '')\n    .toLowerCase()",
)

export const texts: Project = {
  name: 'node:test, red before the run',
  files: {
    'package.json': packageJson({ test: 'node --test' }),
    'README.md': '# Texts\n',
    '.gitignore': 'node_modules/\n',
    'src/slug.js': slug,
    'test/slug.test.js': slugTest,
    'test/accents.test.js': accentTest,
  },
  gate: 'node --test --test-isolation=none',
  story: {
    title: 'Accents',
    criteria: [
      'slugify turns accented letters into plain ones: Crème Brûlée becomes creme-brulee',
      'Other texts give the same slugs as before',
    ],
  },
  wrong: { 'src/slug.js': slug.replace("'-')", "'-') // accents: see the tests") },
  right: { 'src/slug.js': rightSlug },
  heldOut: {
    program: 'node',
    text: `
const { slugify } = await import(process.cwd() + '/src/slug.js')
const found = [slugify('Ángel Niño'), slugify('Crème Brûlée'), slugify('Hello World'), slugify('a -- b')]
console.log(JSON.stringify(found) === '["angel-nino","creme-brulee","hello-world","a-b"]' ? 'held-out ok' : 'held-out: ' + JSON.stringify(found))
`,
  },
}

/** The same in a script that names no test. */
export const textsByScript: Project = {
  ...texts,
  name: 'node test.js, red before the run',
  files: {
    'package.json': packageJson({ test: 'node test.js' }),
    'README.md': '# Texts\n',
    'src/slug.js': slug,
    'test.js': `import assert from 'node:assert/strict'
import { slugify } from './src/slug.js'

assert.equal(slugify('Hello World'), 'hello-world')
assert.equal(slugify('Crème Brûlée'), 'creme-brulee')
console.log('all tests passed')
`,
  },
  gate: 'node test.js',
}
