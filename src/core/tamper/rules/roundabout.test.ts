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
