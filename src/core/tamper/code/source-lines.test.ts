import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { changesOf, freshIn } from './change.ts'
import { sourceLines, syntaxOf } from './source-lines.ts'

const codeOf = (path: string, text: string) => sourceLines(text, syntaxOf(path)).map(({ code }) => code)

test('what stands in strings and comments is no code, over many lines too', () => {
  const cases: [path: string, text: string, code: string[]][] = [
    ['a.js', "f('process.exit(0)') // process.exit(0)", ["f('')"]],
    ['a.js', 'const script = `\nprocess.exit(0)\n`\nnext()', ['const script = `', '', '`', 'next()']],
    ['a.js', `a(\`x \${process.exit(0)} y\`)`, [`a(\`\${process.exit(0)}\`)`]],
    ['a.js', `a(\`x \${b({ c: \`d\` })} y\`); e()`, [`a(\`\${b({ c: \`\` })}\`); e()`]],
    ['a.js', 'const quote = /[\'"]/; exit()', ['const quote = / /; exit()']],
    ['a.js', '/* one\ntwo */ three()', ['', ' three()']],
    ['a.js', "const url = 'http://x'; go()", ["const url = ''; go()"]],
    ['a.py', '"""\nos._exit(0)\n"""\nx = 1  # os._exit(0)', ['"""', '', '"""', 'x = 1']],
    ['a.py', "f'it' + \"it's\"", ['f\'\' + ""']],
    ['a.rs', "fn f<'a>(x: &'a str) { exit() }", ["fn f<''a str) { exit() }"]],
    ['a.go', 'x := `os.Exit(0)\n`; y()', ['x := `', '`; y()']],
    ['a.rb', "x\n=begin\nexit!\n=end\nputs 'exit!' # exit!", ['x', '', '', '', "puts ''"]],
    ['a.sh', 'echo $# "a # b"', ['echo $# "a']],
  ]
  for (const [path, text, code] of cases) assert.deepEqual(codeOf(path, text), code, text)
})

test('comments keep their words, and a long line is read in pieces', () => {
  assert.deepEqual(
    sourceLines('x() // eslint-disable-line', syntaxOf('a.ts')).map(({ comment, bare }) => [comment, bare]),
    [['// eslint-disable-line', 'x()']],
  )
  const pieces = sourceLines(`${'a;'.repeat(5000)}process.exit(0)`, syntaxOf('a.js'))
  assert.ok(pieces.length > 3 && pieces.every(({ at, text }) => at === 1 && text.length <= 2000))
  assert.ok(pieces.at(-1)?.code.includes('process.exit(0)'))
})

test('lines that moved or were only formatted neither came nor went', () => {
  const before = "a('x')\nb()\nc()\n"
  const found = changesOf([{ path: 'a.js', kind: 'modified', before, after: '  b();\n  a("x");\nd()\n' }]).map(
    ({ added, removed }) => [added.map(({ text }) => text), removed.map(({ text }) => text)],
  )
  assert.deepEqual(found, [[['d()'], ['c()']]])
})

test('lines came from another file if a line beside them did', () => {
  const [, now] = changesOf([
    { path: 'a.js', kind: 'deleted', before: 'one()\ntwo()\nthree()\n', after: '' },
    { path: 'b.js', kind: 'added', before: '', after: 'one()\n\ntwo()\nnew()\nthree()\n' },
  ])
  assert.deepEqual(
    [...(now?.movedFrom ?? [])].map(([{ text }, from]) => [text, from]),
    [
      ['one()', ['a.js']],
      ['two()', ['a.js']],
    ],
  )
  assert.deepEqual(now && freshIn(now, (path) => path === 'a.js').map(({ text }) => text), ['new()', 'three()'])
})

test('every text has all its lines, whatever is in it', () => {
  const piece = fc.constantFrom('"', "'", '`', '${', '}', '{', '/', '*', '#', '\\', '\n', 'a', '"""', '=begin', '<!--', '(', '[')
  const path = fc.constantFrom('a.js', 'a.py', 'a.go', 'a.rs', 'a.rb', 'a.xml', 'a.php', '.env')
  fc.assert(
    fc.property(fc.array(piece), path, (pieces, name) => {
      const text = pieces.join('')
      const lines = sourceLines(text, syntaxOf(name))
      assert.deepEqual(lines.map((line) => line.text).join('\n'), text.replace(/\n$/, ''))
    }),
  )
})
