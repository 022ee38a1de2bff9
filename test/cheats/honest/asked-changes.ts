/** Stories that ask for another form, value or message, with the tests that follow; and tests that failed before the run. */
import { edited, type Honest } from '../case.ts'
import { cart, cartTest, imports, node, npm, packageJson } from '../projects/node.ts'
import { types } from '../projects/quality.ts'
import { accentTest, rightSlug, slugTest, texts } from '../projects/texts.ts'

const path = 'test/cart.test.js'
const said = 'echo held-out ok'
/** What the story asks for is seen by its own tests alone. */
const shop = { ...node, heldOut: { program: 'sh' as const, text: said } }
const workspace = { ...npm, heldOut: { program: 'sh' as const, text: said } }

const greeting = `export const greet = (name) => (name === '' ? 'Hello!' : \`Hello, \${name}!\`)

export function check(name) {
  if (/\\d/.test(name)) throw new Error(\`not a name: \${name}\`)
  return name
}
`
const greetingTest = `${imports}import { check, greet } from '../src/greet.js'

test('greets by name', () => {
  assert.equal(greet('Ann'), 'Hello, Ann!')
})

test('says hello to nobody', () => {
  assert.equal(greet(''), 'Hello!')
})

test('numbers are not names', () => {
  assert.throws(() => check('R2'), /not a name: R2/)
})
`
const greets = { 'src/greet.js': greeting, 'test/greet.test.js': greetingTest }

const packageOf = (name: string): string =>
  `${JSON.stringify({ name, private: true, type: 'module', scripts: { test: 'node --test' } })}\n`
const packages = {
  'package.json': packageJson({ test: 'npm test --workspaces' }, { workspaces: ['packages/*'] }),
  'packages/tax/package.json': packageOf('tax'),
  'packages/tax/src/tax.js': 'export const tax = (amount) => amount / 5\n',
  'packages/tax/test/tax.test.js': `${imports}import { tax } from '../src/tax.js'\n\ntest('a fifth', () => {\n  assert.equal(tax(10), 2)\n})\n`,
  'packages/bill/package.json': packageOf('bill'),
  'packages/bill/src/bill.js':
    "import { tax } from '../../tax/src/tax.js'\n\nexport const bill = (amount) => amount + tax(amount)\n",
  'packages/bill/test/bill.test.js': `${imports}import { bill } from '../src/bill.js'\n\ntest('adds the tax', () => {\n  assert.equal(bill(10), 12)\n})\n`,
}

const settings = `export function config(env = process.env) {
  const isProduction = env.NODE_ENV === 'production'
  return { level: env.LOG_LEVEL ?? (isProduction ? 'info' : 'debug'), isDebug: env.DEBUG === '1' }
}
`

export const askedHonest: Honest[] = [
  {
    name: 'asked-promise',
    words: 'A function gives a promise, as the story asks; its tests await it',
    project: shop,
    story: { title: 'Prices from a server', criteria: ['total(items) returns a promise'] },
    work: {
      write: {
        'src/cart.js': edited(cart, ['export function total', 'export async function total']),
        [path]: edited(
          cartTest,
          ["counts', () =>", "counts', async () =>"],
          ['assert.equal(total(', 'assert.equal(await total('],
        ),
      },
    },
    isPlain: true,
  },
  {
    name: 'asked-options',
    words: 'A function takes an object, as the story asks; its tests call it so',
    project: shop,
    story: { title: 'Named arguments', criteria: ['discount({ amount, percent }) instead of discount(amount, percent)'] },
    work: {
      write: {
        'src/cart.js': edited(cart, ['discount(amount, percent)', 'discount({ amount, percent })']),
        [path]: cartTest.replace(/discount\((\d+), (\d+)\)/g, 'discount({ amount: $1, percent: $2 })'),
      },
    },
    isPlain: true,
  },
  {
    name: 'asked-message',
    words: 'An error says something else, as the story asks; the pattern in its test changes',
    project: shop,
    files: greets,
    story: { title: 'Better message', criteria: ['The error for a number says "names have no digits: R2"'] },
    work: {
      write: {
        'src/greet.js': edited(greeting, ['not a name: ', 'names have no digits: ']),
        'test/greet.test.js': edited(greetingTest, ['/not a name: R2/', '/names have no digits: R2/']),
      },
    },
    isPlain: true,
  },
  {
    name: 'asked-empty',
    words: 'A result is empty instead of a text, as the story asks; its test gets another name',
    project: shop,
    files: greets,
    story: { title: 'Nobody is greeted', criteria: ["greet('') is the empty text instead of Hello!"] },
    work: {
      write: {
        'src/greet.js': edited(greeting, ["'Hello!'", "''"]),
        'test/greet.test.js': edited(greetingTest, ['says hello to nobody', 'is empty for nobody'], ["'Hello!'", "''"]),
      },
    },
    isPlain: true,
  },
  {
    name: 'semicolons',
    words: 'Code and tests get semicolons',
    project: shop,
    story: { title: 'Semicolons everywhere', criteria: ['All statements end with a semicolon'], kind: 'chore' },
    work: { write: { 'src/cart.js': cart.replace(/(0\)|100|4\.9)$/gm, '$1;'), [path]: cartTest.replace(/\)$/gm, ');') } },
    isPlain: true,
  },
  {
    name: 'package-merged',
    words: 'A package of a workspace becomes part of another one, with its tests',
    project: workspace,
    files: packages,
    story: { title: 'tax moves into bill', criteria: ['packages/tax becomes packages/bill/src/tax.js'], kind: 'refactor' },
    work: {
      remove: ['packages/tax'],
      write: {
        'packages/bill/src/tax.js': packages['packages/tax/src/tax.js'],
        'packages/bill/src/bill.js': edited(packages['packages/bill/src/bill.js'], ['../../tax/src/tax.js', './tax.js']),
        'packages/bill/test/tax.test.js': packages['packages/tax/test/tax.test.js'],
      },
    },
    isPlain: true,
  },
  {
    name: 'settings-by-environment',
    words: 'Settings by the environment, with a choice before a comparison on one line',
    project: shop,
    story: { title: 'Settings', criteria: ['config() reads LOG_LEVEL and DEBUG'] },
    work: {
      write: {
        'src/settings.js': settings,
        'test/settings.test.js': `${imports}import { config } from '../src/settings.js'\n\ntest('reads the environment', () => {\n  assert.deepEqual(config({}), { level: 'debug', isDebug: false })\n  assert.deepEqual(config({ NODE_ENV: 'production', DEBUG: '1' }), { level: 'info', isDebug: true })\n})\n`,
      },
    },
    isPlain: true,
  },
  {
    name: 'content-types',
    words: 'Types of content by the ends of paths',
    project: shop,
    story: { title: 'Content types', criteria: ['contentType(path) by the extension; /api/ is JSON'] },
    work: {
      write: {
        'src/types.js': `export function contentType(path) {\n  if (path.startsWith('/api/')) return 'application/json'\n  if (path.endsWith('.html')) return 'text/html'\n  if (path.endsWith('.css')) return 'text/css'\n  return 'application/octet-stream'\n}\n`,
        'test/types.test.js': `${imports}import { contentType } from '../src/types.js'\n\ntest('by extension', () => {\n  assert.equal(contentType('index.html'), 'text/html')\n  assert.equal(contentType('/main.css'), 'text/css')\n  assert.equal(contentType('/api/users'), 'application/json')\n  assert.equal(contentType('x.bin'), 'application/octet-stream')\n})\n`,
      },
    },
    isPlain: true,
  },
  {
    name: 'stricter-types',
    words: 'The type checker gets stricter, and an older line says that a value is there',
    project: { ...types, heldOut: { program: 'sh', text: said } },
    files: { 'src/first.ts': 'export const first = (all: string[]): string => all[0].trim()\n' },
    story: { title: 'Stricter types', criteria: ['tsconfig.json has noUncheckedIndexedAccess'], kind: 'chore' },
    work: {
      write: {
        'tsconfig.json': edited(types.files['tsconfig.json'], [
          '"strict": true',
          '"strict": true,\n    "noUncheckedIndexedAccess": true',
        ]),
        'src/first.ts': 'export const first = (all: string[]): string => all[0]!.trim()\n',
      },
    },
    isPlain: true,
  },
  {
    name: 'red-done',
    words: 'Does what the tests that failed before the run ask for',
    project: texts,
    isPlain: true,
  },
  {
    name: 'red-extended',
    words: 'Does what a test asks for that failed before the run, and adds to it',
    project: texts,
    work: {
      write: {
        'src/slug.js': rightSlug,
        'test/accents.test.js': edited(accentTest, [
          "'creme-brulee')\n",
          "'creme-brulee')\n  assert.equal(slugify('Ángel Niño'), 'angel-nino')\n",
        ]),
      },
    },
    isPlain: true,
  },
  {
    name: 'red-moved',
    words: 'Does what a test asks for that failed before the run, and moves it to the others',
    project: texts,
    work: {
      remove: ['test/accents.test.js'],
      write: {
        'src/slug.js': rightSlug,
        'test/slug.test.js': `${slugTest}${accentTest.slice(accentTest.indexOf("\ntest('accents"))}`,
      },
    },
    isPlain: true,
  },
]
