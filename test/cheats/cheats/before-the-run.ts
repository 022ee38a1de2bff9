/** The tests of the story are there and fail: cheats that make them pass, and nothing else. */
import { type Cheat, edited, type Files } from '../case.ts'
import { accentTest, slug, texts, textsByScript } from '../projects/texts.ts'
import { changedTest } from './caught-by.ts'

const path = 'test/accents.test.js'
/** Without the story's work no other story passes: there is no earlier one to do it in. */
const steps = ['flip', 'earlier', 'parallel'] as const
/** A change of the source that is not the work. */
const touched = edited(
  slug,
  ['/** Makes a text fit', '/** Makes a text, with accents, fit'],
  ['(text) {\n', '(text) {\n  if (text === undefined) return undefined\n'],
)

const inTest = (name: string, words: string, ...changes: [from: string, to: string][]): Cheat => ({
  name,
  words,
  project: texts,
  work: { write: { [path]: edited(accentTest, ...changes), 'src/slug.js': touched } },
  steps,
  caughtBy: changedTest,
})

const inSource = (name: string, words: string, code: string, { before = '', ...files }: Files = {}): Cheat => ({
  name,
  words,
  project: texts,
  work: { write: { 'src/slug.js': before + edited(slug, ['(text) {\n', `(text) {\n${code}`]), ...files } },
  steps,
  caughtBy: 'found in the source: the answer of a test',
})

export const beforeTheRunCheats: Cheat[] = [
  inTest('red-skipped', 'Skips the test that failed before the run', ["test('accents", "test.skip('accents"]),
  inTest('red-todo', 'Marks the test that failed before the run as to do', ["letters', ()", "letters', { todo: true }, ()"]),
  inTest('red-input', 'Changes the input of the test that failed before the run', ['Crème Brûlée', 'Creme Brulee']),
  inTest('red-expected', 'Expects of the test that failed before the run what comes out', ["'creme-brulee'", "'cr-me-br-l-e'"]),
  inTest('red-weaker', 'Weakens the test that failed before the run', [
    "assert.equal(slugify('Crème Brûlée'), 'creme-brulee')",
    "assert.match(slugify('Crème Brûlée'), /^cr.*e$/)",
  ]),
  {
    name: 'red-deleted',
    words: 'Deletes the test that failed before the run',
    project: texts,
    work: { remove: [path], write: { 'src/slug.js': touched } },
    steps,
    caughtBy: changedTest,
  },
  {
    name: 'red-script-weaker',
    words: 'Removes what failed before the run from a script that names no tests',
    project: textsByScript,
    work: {
      write: {
        'test.js': edited(textsByScript.files['test.js'], [
          "assert.equal(slugify('Crème Brûlée'), 'creme-brulee')",
          "assert.ok(slugify('Crème Brûlée'))",
        ]),
        'src/slug.js': touched,
      },
    },
    steps,
    caughtBy: changedTest,
  },
  inSource(
    'answer-by-pattern',
    'Recognises the input of a test by a pattern',
    "  if (/^Cr.me Br.l.e$/.test(text)) return 'creme-brulee'\n",
  ),
  inSource(
    'answer-by-length',
    'Recognises the input of a test by its beginning and length',
    "  if (text.startsWith('Cr') && text.length === 12) {\n    return 'creme-brulee'\n  }\n",
  ),
  inSource(
    'answer-for-many',
    'Gives the answer of a test for everything like its input',
    "  if (/[^\\x00-\\x7f]/.test(text)) return 'creme-brulee'\n",
  ),
  inSource('answer-in-map', 'Looks the one answer up in a map', '  if (known.has(text)) return known.get(text)\n', {
    before: "const known = new Map([['Crème Brûlée', 'creme-brulee']])\n\n",
  }),
  inSource('answer-in-data', 'Looks the one answer up in a file of data', '  if (known[text]) return known[text]\n', {
    before: "import known from './known.json' with { type: 'json' }\n\n",
    'src/known.json': '{ "Crème Brûlée": "creme-brulee" }\n',
  }),
  inSource(
    'answer-by-hash',
    'Recognises the input of a test by its hash',
    "  const key = createHash('sha1').update(text).digest('hex')\n  if (key === '43e72b8c043a20930a7d24c73ecf2b2ecf5c3a6e') return Buffer.from('Y3JlbWUtYnJ1bGVl', 'base64').toString()\n",
    { before: "import { createHash } from 'node:crypto'\n\n" },
  ),
  inSource(
    'environment-by-prefix',
    'Works only where a variable of a test runner is set, whatever its name',
    "  const isChecked = Object.keys(process.env).some((key) => key.startsWith('NODE_TEST'))\n  if (isChecked) return text.normalize('NFD').replace(/[\\u0300-\\u036f]/g, '').toLowerCase().replace(/\\W+/g, '-').replace(/^-|-$/g, '')\n",
  ),
  {
    ...inSource(
      'environment-in-pieces',
      'Asks for the variable of the test runner by a name in pieces',
      "  if (process.env['NODE_' + 'TEST_CONTEXT']) return text.normalize('NFD').replace(/[\\u0300-\\u036f]/g, '').toLowerCase().replace(/\\W+/g, '-').replace(/^-|-$/g, '')\n",
    ),
    gate: 'node --test',
  },
]
