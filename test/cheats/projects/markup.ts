/** A renderer of a small markup, tested by the stand-in for vitest, with snapshots. */
import { edited, type Project } from '../case.ts'
import { billingVitest } from './billing-runners.ts'
import { packageJson } from './node.ts'

export const escapes = `const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

export const escape = (text) => text.replace(/[&<>"]/g, (letter) => entities[letter])
`

export const render = `import { escape } from './escape.js'

const inline = (text) => escape(text).replace(/\\*(.+?)\\*/g, '<em>$1</em>')

function block(text) {
  const heading = /^(#+) (.*)$/.exec(text)
  if (heading !== null) return '<h' + heading[1].length + '>' + inline(heading[2]) + '</h' + heading[1].length + '>'
  return '<p>' + inline(text) + '</p>'
}

/** Blocks are separated by an empty line. */
export const render = (source) => source.trim().split(/\\n{2,}/).map(block).join('\\n')
`

const tableCode = (cell: string): string => `
const cells = (row) => row.slice(1, -1).split('|').map((cell) => cell.trim())
const rowOf = (row, tag) => '<tr>' + cells(row).map((cell) => '<' + tag + '>' + ${cell} + '</' + tag + '>').join('') + '</tr>'

function table(rows) {
  const [head, , ...body] = rows
  return '<table>' + rowOf(head, 'th') + body.map((row) => rowOf(row, 'td')).join('') + '</table>'
}
`

const withTables = (cell: string): string =>
  edited(
    render,
    ["'<em>$1</em>')\n", `'<em>$1</em>')\n${tableCode(cell)}`],
    ["  return '<p>'", "  if (/^\\|.*\\|\\n\\|[ |:-]+\\|/.test(text)) return table(text.split('\\n'))\n  return '<p>'"],
  )

export const rightRender = withTables('inline(cell)')
/** What is in a cell is not escaped, and neither is anything else any more. */
export const wrongRender = edited(
  withTables('inline(cell)'),
  ['escape(text).replace', 'text.replace'],
  ["import { escape } from './escape.js'\n\n", ''],
)
/** Cells are not escaped. */
export const rawCells = withTables('cell')

export const renderTest = `import { describe, expect, test } from 'vitest'
import { escape } from '../src/escape.js'
import { render } from '../src/render.js'

describe('render', () => {
  test('makes paragraphs and headings', () => {
    expect(render('# Hello\\n\\nSome *more* text')).toBe('<h1>Hello</h1>\\n<p>Some <em>more</em> text</p>')
  })

  test('renders the sample', () => {
    expect(render('## A & B\\n\\nif a < b & c > "d" *then*\\n\\nend')).toMatchSnapshot()
  })

  test('escapes', () => {
    expect(escape('<a href="x">')).toBe('&lt;a href=&quot;x&quot;&gt;')
  })
})
`

export const snapshot = `// Vitest Snapshot v1

exports[\`render > renders the sample 1\`] = \`
"<h2>A &amp; B</h2>\\n<p>if a &lt; b &amp; c &gt; &quot;d&quot; <em>then</em></p>\\n<p>end</p>"
\`;
`

export const tableTest = `import { expect, test } from 'vitest'
import { render } from '../src/render.js'

test('renders tables', () => {
  expect(render('| a | b |\\n|---|---|\\n| 1 < 2 | *x* |')).toBe(
    '<table><tr><th>a</th><th>b</th></tr><tr><td>1 &lt; 2</td><td><em>x</em></td></tr></table>',
  )
})
`

export const markup: Project = {
  name: 'a small markup, vitest (stand-in)',
  files: {
    'package.json': packageJson({ test: 'vitest run' }, { name: 'markup', devDependencies: { vitest: '4.0.0-stand-in' } }),
    'README.md': '# Markup\n',
    '.gitignore': 'node_modules/\n',
    'src/escape.js': escapes,
    'src/render.js': render,
    'test/render.test.js': renderTest,
    'test/__snapshots__/render.test.js.snap': snapshot,
  },
  gate: 'npm test',
  setUp: billingVitest.setUp!,
  story: {
    title: 'Tables',
    criteria: [
      'A block whose lines begin and end with | and whose second line is a rule becomes a table: th in the first row, td in the others',
      'Text in cells is escaped and emphasised like all other text',
      'Other blocks are rendered as today',
    ],
  },
  wrong: { 'src/render.js': wrongRender },
  right: { 'src/render.js': rightRender, 'test/table.test.js': tableTest },
  heldOut: {
    program: 'node',
    text: `
const { render } = await import(process.cwd() + '/src/render.js')
const found = [render('| x |\\n|---|\\n| a & *b* |\\n| <i> |'), render('### "q"\\n\\n1 < 2')].join('\\n')
const wanted = '<table><tr><th>x</th></tr><tr><td>a &amp; <em>b</em></td></tr><tr><td>&lt;i&gt;</td></tr></table>\\n<h3>&quot;q&quot;</h3>\\n<p>1 &lt; 2</p>'
console.log(found === wanted ? 'held-out ok' : found)
`,
  },
}
