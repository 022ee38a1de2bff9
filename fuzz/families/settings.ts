/** Settings: config.yaml of project and user, RALPH_* variables, flags. */
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { stringify } from 'yaml'
import { flagSettings, runOptions } from '../../src/config/flags.ts'
import type { Setting } from '../../src/config/setting.ts'
import { loadSettings } from '../../src/config/sources.ts'
import { envName, table } from '../../src/config/table.ts'
import { shownSettings } from '../../src/config/text.ts'
import { EXIT, Failure } from '../../src/core/failure.ts'
import { asBytes, family, orRefusal, scratch } from '../family.ts'
import { mutatedBytes, nastyText, nastyValue } from '../nasty.ts'

type Given = { project: string; user: string; env: Record<string, string>; options: Record<string, unknown> }

const keys = Object.keys(table) as (keyof typeof table)[]
const known = fc.constantFrom(...keys)
const value = (key: keyof typeof table): fc.Arbitrary<unknown> => {
  const setting: Setting = table[key]
  const good = setting.type === 'choice' ? fc.constantFrom<unknown>(...setting.values) : fc.constant<unknown>(setting.default)
  return fc.oneof(
    { weight: 3, arbitrary: good },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 99 }) },
    { weight: 1, arbitrary: nastyValue },
  )
}
const one = known.chain((key) => value(key).map((given) => ({ key, given })))
const file = fc.array(one, { maxLength: 5 }).map((all) => {
  const whole: Record<string, unknown> = {}
  for (const { key, given } of all) {
    const words = key.split('.')
    let at = whole
    for (const word of words.slice(0, -1)) at = (at[word] ??= {}) as Record<string, unknown>
    at[words.at(-1)!] = given
  }
  return stringify(whole)
})
const words = [
  '&a ',
  '*a',
  '<<: *a',
  '- ',
  ': ',
  'defaults:\n  ',
  '__proto__: {}\n',
  '!!binary ',
  '? ',
  '| \n',
  '\n---\n',
  '%YAML 1.2\n',
  'agent: {name: x, command: [y]}\n',
  'max_iteratons: 3\n',
  '{a: b}',
]
const text = mutatedBytes(file, words)
const variable = fc.tuple(
  fc.oneof({ weight: 5, arbitrary: known.map(envName) }, { weight: 1, arbitrary: fc.stringMatching(/^RALPH_[A-Z_]{1,12}$/) }),
  fc.oneof(nastyText, fc.json({ maxDepth: 2 }), fc.constantFrom('1', '15m', 'true', 'a,b', '[1, 2]', '{"name": "x"}')),
)
const option = fc
  .constantFrom(...runOptions.map((each) => each.name))
  .chain((name) =>
    fc
      .oneof<fc.Arbitrary<unknown>[]>(nastyText, fc.constantFrom('1', '90s', 'wait', 'agent'), fc.constant(true))
      .map((given): [string, unknown] => [name, given]),
  )

export const settings = family<Given>({
  name: 'settings',
  what: 'config.yaml of project and user, RALPH_* variables, flags of run',
  weight: 4,
  inputs: fc.record({
    project: text,
    user: fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight: 1, arbitrary: text }),
    env: fc.array(variable, { maxLength: 2 }).map((all) => Object.fromEntries(all)),
    options: fc.array(option, { maxLength: 2 }).map((all) => Object.fromEntries(all)),
  }),
  async check({ project, user, env, options }) {
    const [root, home] = [join(scratch(), 'settings'), join(scratch(), 'settings-home')]
    mkdirSync(join(root, '.ralph'), { recursive: true })
    mkdirSync(home, { recursive: true })
    const own = join(root, '.ralph', 'config.yaml')
    writeFileSync(own, asBytes(project))
    writeFileSync(join(home, 'config.yaml'), asBytes(user))
    const loaded = await orRefusal(() => loadSettings({ root, home, env, flags: flagSettings(options) }))
    if (loaded instanceof Failure) return assertRefusal(loaded, [own, join(home, 'config.yaml')])
    for (const key of keys) assert.ok(isOf(table[key], loaded.settings[key]), `${key} is ${JSON.stringify(loaded.settings[key])}`)
    // What is shown can be given back.
    writeFileSync(own, shownSettings(loaded.settings, loaded.sources, null))
    rmSync(join(home, 'config.yaml'))
    const again = await loadSettings({ root, home, env: {}, flags: {} })
    assert.equal(JSON.stringify(again.settings), JSON.stringify(loaded.settings))
  },
})

/** Of the kind that its setting says. */
function isOf(setting: Setting, given: unknown): boolean {
  if (given === null) return setting.default === null
  switch (setting.type) {
    case 'whole':
      return Number.isSafeInteger(given)
    case 'number':
    case 'minutes':
      return Number.isFinite(given)
    case 'bool':
      return typeof given === 'boolean'
    case 'text':
      return typeof given === 'string'
    case 'choice':
      return setting.values.includes(given as string)
    case 'list':
      return Array.isArray(given) && given.every((item) => typeof item === 'string')
    case 'limits':
      return Array.isArray(given) && given.length === 2 && given.every(Number.isFinite)
    case 'commands':
    case 'prices':
    case 'keywords':
      return typeof given === 'object' && !Array.isArray(given)
    case 'agent':
      return typeof given === 'string' || typeof (given as { name?: unknown }).name === 'string'
  }
}

/** Each problem of a file is told with the file and the place in it. */
function assertRefusal({ exit, message }: Failure, files: string[]): void {
  assert.ok(exit === EXIT.config || exit === EXIT.usage, `exit ${exit}: ${message}`)
  for (const path of files) {
    const rest = message.split(path).slice(1)
    for (const after of rest) assert.match(after, /^:[1-9]\d*:[1-9]\d*|^:\d+\)|^: cannot be read|^:[1-9]\d*$/m)
  }
  assert.notEqual(message.trim(), '')
}
