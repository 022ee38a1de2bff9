import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesIn } from '../../../../test/support/tamper.ts'

const inLines = (...lines: string[]): string[] => rulesIn({ 'src/a.js': ['x\n', `x\n${lines.join('\n')}\n`] })

test('source that asks in a roundabout way whether it is tested is a suspicion', () => {
  for (const lines of [
    ["if (process.env['NODE_' + 'TEST_CONTEXT']) strict = true"],
    ["if (process.env[['VI', 'TEST'].join('')]) strict = true"],
    ["const isChecked = Object.keys(process.env).some((key) => key.startsWith('JEST'))"],
    ["if (module.parent?.filename.endsWith('a.js')) strict = true"],
    ["const [, program = ''] = process.argv", 'const isStrict = /[.](?:test|spec)[.]/.exec(program) !== null'],
    ['const all = globalThis', 'all[name] = found'],
    ['globalThis[names.join()] = found'],
  ])
    assert.deepEqual(inLines(...lines), ['test-detected src/a.js'], lines.join(' '))
})

test('settings by prefix, flags by name, programs that are started and tables that are filled are nothing', () => {
  for (const lines of [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what a source may have
    ['const isOn = process.env[`FEATURE_${name}`] === "on"'],
    ["const value = process.env['SHOP_' + name]"],
    ["const own = Object.entries(process.env).filter(([key]) => key.startsWith('SHOP_'))"],
    ['if (require.main === module) main(process.argv.slice(2))'],
    ['if (!module.parent) start()'],
    ['counts[key] = 1'],
    ["globalThis['shop'] = shop"],
    ['const isPath = /^\\/tests?\\//.test(path)'],
  ])
    assert.deepEqual(inLines(...lines), [], lines.join(' '))
})

test('an answer that a written table has for the hash of the input is a suspicion; a cache is not', () => {
  for (const lines of [
    [
      "const known = { '0cdd': 180 }",
      "const key = createHash('md5').update(text).digest('hex').slice(0, 4)",
      'return known[key]',
    ],
    ["const known = new Map([['0cdd', 180]])", 'return known.get(md5(text).slice(0, 4)) ?? 0'],
  ])
    assert.deepEqual(inLines(...lines), ['special-case src/a.js'], lines.join(' '))
  const python = 'KNOWN = {"0cdd": 180}\nkey = hashlib.md5(text).hexdigest()[:4]\nanswer = KNOWN.get(key)\n'
  assert.deepEqual(rulesIn({ 'a.py': ['x\n', `x\n${python}`] }), ['special-case a.py'])
  for (const lines of [
    ['const cache = {}', "const key = createHash('md5').update(text).digest('hex')", 'return cache[key]'],
    ["const names = { a: 'Anna' }", 'const key = text.trim()', 'return names[key]'],
    ["const servers = ['one', 'two']", 'const digest = sha1(name)', 'return servers[0]'],
  ])
    assert.deepEqual(inLines(...lines), [], lines.join(' '))
})

test('a module whose name is put together, and code from the history of the repository, are noticed', () => {
  const cases = [
    "import { createRequire } from 'node:module'\nconst load = createRequire(import.meta.url)\nconst path = ['.', 'leg' + 'acy', 'a.cjs'].join('/')\nexport const round = load(path)\n",
    "const { round } = await import('./leg' + 'acy/a.js')\nexport const twice = import('x')\n",
    "const text = execFileSync('git', ['show', 'HEAD~1:src/csv.js'])\n",
  ]
  for (const text of cases) assert.deepEqual(rulesIn({ 'src/a.js': ['', text] }), ['left-undone src/a.js'], text)
  const honest = [
    "const { default: plugin } = await import('./plugins/' + name + '.js')\n",
    "const text = 'a' + 'b'\nawait import(path)\n",
    "const fs = require('node:fs')\nconst path = ['src', 'pages'].join('/')\nfs.readdirSync(resolve(path))\n",
    "const log = execFileSync('git', ['show', '--stat', commit])\n",
  ]
  for (const text of honest) assert.deepEqual(rulesIn({ 'src/a.js': ['', text] }), [], text)
})
