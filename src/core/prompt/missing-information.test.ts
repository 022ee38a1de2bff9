import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { missingFrom } from './missing-information.ts'

const names = (output: string) => missingFrom(output, '/home/me/shop')?.names

test('R-ESC-1: the missing name is read from the errors of many languages', () => {
  const cases: [output: string, ...names: string[]][] = [
    ["ModuleNotFoundError: No module named 'shop.cart'", 'cart'],
    ["ImportError: cannot import name 'total' from 'shop' (/home/me/shop/shop/__init__.py)", 'total'],
    ["NameError: name 'total' is not defined", 'total'],
    ["AttributeError: module 'shop' has no attribute 'total'", 'total'],
    ["FileNotFoundError: [Errno 2] No such file or directory: 'data/prices.csv'", 'prices.csv'],
    ["Error: Cannot find module './lib/cart.js'", 'cart'],
    ["Error: Cannot find module 'left-pad'", 'left-pad'],
    ["Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@shop/cart' imported from /home/me/shop/a.js", '@shop/cart'],
    ["[ERR_MODULE_NOT_FOUND]: Cannot find module '/home/me/shop/src/cart.js' imported from /home/me/shop/a.js", 'cart.js'],
    ['ReferenceError: total is not defined', 'total'],
    ["SyntaxError: The requested module './cart.js' does not provide an export named 'total'", 'total'],
    ["Error: ENOENT: no such file or directory, open 'data/prices.json'", 'prices.json'],
    ["src/a.ts(3,5): error TS2304: Cannot find name 'total'.", 'total'],
    ["src/a.ts(3,5): error TS2552: Cannot find name 'totl'. Did you mean 'total'?", 'totl'],
    [`src/a.ts:1:10 - error TS2305: Module '"./cart"' has no exported member 'total'.`, 'total'],
    ["src/a.ts(1,1): error TS2307: Cannot find module './cart' or its corresponding type declarations.", 'cart'],
    ['./main.go:7:2: undefined: total', 'total'],
    ['./main.go:7:2: undefined: cart.Total', 'Total'],
    ['main.go:4:2: no required module provides package example.com/shop/cart; to add it:', 'cart'],
    ['error[E0432]: unresolved import `crate::cart`', 'cart'],
    ['error[E0433]: failed to resolve: use of undeclared type `Cart`', 'Cart'],
    ['error[E0425]: cannot find function `total` in this scope', 'total'],
    ['A.java:3: error: cannot find symbol\n  symbol:   class Cart\n  location: class A', 'Cart'],
    ['A.java:1: error: package shop.cart does not exist', 'cart'],
    ["a.rb:1:in `<main>': uninitialized constant Shop::Cart (NameError)", 'Cart'],
    ['<internal>:require: cannot load such file -- shop/cart (LoadError)', 'cart'],
    ['a.c:1:10: fatal error: shop/cart.h: No such file or directory', 'cart.h'],
    ['sh: 1: cart-tool: not found', 'cart-tool'],
    ['bash: line 1: cart-tool: command not found', 'cart-tool'],
    ['cat: data/prices.csv: No such file or directory', 'prices.csv'],
    ['./check.sh: line 3: ./lint.sh: No such file or directory', 'lint.sh'],
    [
      "\x1b[31mReferenceError: total is not defined\x1b[0m\nNameError: name 'sum' is not defined\nNameError: name 'sum' is not defined",
      'total',
      'sum',
    ],
  ]
  for (const [output, ...expected] of cases) assert.deepEqual(names(output), expected, output)
})

test('an error of another kind is none of missing information', () => {
  const outputs = [
    'AssertionError: expected 2 to equal 3',
    '✔ fails if the total is not defined: ReferenceError: total is not defined',
    'ok 1 - No module named "x" is told',
    "TypeError: Cannot read properties of undefined (reading 'total')",
    '404 page not found',
    '',
  ]
  assert.deepEqual(
    outputs.map((output) => missingFrom(output, '/home/me/shop')),
    outputs.map(() => null),
  )
})

test('R-ESC-1: the files of the trace are those inside the root, five at most, in order, with their lines', () => {
  const python = [
    'Traceback (most recent call last):',
    '  File "/usr/lib/python3/runpy.py", line 12, in run',
    '  File "/home/me/shop/app/main.py", line 3, in <module>',
    '  File "/home/me/shop/.venv/lib/site-packages/x.py", line 9, in x',
    '  File "shop/cart.py", line 41, in total',
    "NameError: name 'total' is not defined",
  ].join('\n')
  assert.deepEqual(missingFrom(python, '/home/me/shop/'), {
    names: ['total'],
    files: [
      { path: 'app/main.py', line: 3 },
      { path: 'shop/cart.py', line: 41 },
    ],
  })
  const node = [
    "Error: Cannot find module './cart'",
    'Require stack:',
    '- /home/me/shop/src/a.js',
    '    at Object.<anonymous> (/home/me/shop/src/a.js:7:1)',
    '    at file:///home/me/shop/src/b.mjs:8:1',
    '    at node:internal/modules/cjs/loader:1051:15',
    '    at run (/home/me/shop/node_modules/x/index.js:1:1)',
    '../outside.ts:1:1',
    'src/c.ts(12,5): error TS2304',
    '   --> src/d.rs:3:5',
    './e.go:10:2: undefined: x',
    'src/f.ts:1',
  ].join('\n')
  assert.deepEqual(missingFrom(node, '/home/me/shop')?.files, [
    { path: 'src/a.js', line: 7 },
    { path: 'src/b.mjs', line: 8 },
    { path: 'src/c.ts', line: 12 },
    { path: 'src/d.rs', line: 3 },
    { path: 'e.go', line: 10 },
  ])
})

test('a root with odd characters is known in a trace', () => {
  const output = 'ReferenceError: x is not defined\n    at file:///my (own) shop/src/a.js:3:1\n    at /other/shop/b.js:1:1'
  assert.deepEqual(missingFrom(output, '/my (own) shop')?.files, [{ path: 'src/a.js', line: 3 }])
})

test('no output is too odd to be read, and no path leads out of the root', () => {
  const piece = fc.constantFrom(
    '../',
    '/',
    './',
    'a',
    '.ts',
    ':3',
    ' ',
    '\n',
    '"',
    ', line 4',
    'file://',
    "No module named 'x'",
    '~',
    '..',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const files = missingFrom(pieces.join(''), '/a')?.files ?? []
      assert.deepEqual(
        files.filter(({ path }) => /^[/~]|(^|\/)\.\.(\/|$)/.test(path)),
        [],
      )
    }),
  )
})
