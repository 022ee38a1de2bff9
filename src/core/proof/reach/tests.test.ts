import assert from 'node:assert/strict'
import { test } from 'node:test'
import { probesFor, unreachedOf } from './probes.ts'

type Run = (test: (name: string, body: () => unknown) => void, assert: object, say: (id: number) => void, cases: number[]) => void

/** Runs a new test file with its probes, and says what they tell; `work`: other files of the story. */
async function told(text: string, cases: number[] = [], work: Record<string, string> = {}): Promise<string[]> {
  const files = Object.entries({ ...work, 'test/a.test.js': text })
  const { probes, texts } = probesFor(
    files.map(([path, after]) => ({ path, kind: 'added', before: '', after })),
    (_, id) => `say(${id})`,
  )
  const reached = new Set<number>()
  const waiting: unknown[] = []
  const run = new Function(
    'test',
    'assert',
    'say',
    'cases',
    (texts.get('test/a.test.js') ?? text).replace(/^import .*$/gm, ''),
  ) as Run
  run(
    (_, body) => waiting.push(body()),
    assert,
    (id) => reached.add(id),
    cases,
  )
  await Promise.allSettled(waiting)
  return unreachedOf(probes, reached).map(({ told, shown, line }) => `${line} ${told}: ${shown}`)
}

test('a test whose assertions are in a callback that is never called, a loop over nothing or behind a return', async () => {
  const bodies = [
    "later.on('done', (count) => assert.equal(count, 2))",
    'for (const each of cases) assert.equal(each, 1)\n  const more = cases.map(String)\n  more.forEach((each) => {\n    assert.equal(each, 1)\n  })',
    'const check = () => { assert.equal(1, 2) }\n  return check',
    'if (cases.length === 0) return\n  assert.deepEqual(cases, [])',
    'try {\n    cases.at(0)\n  } catch (error) {\n    assert.equal(error.message, 2)\n  }',
    'cases.map((each) => {\n    const found = each\n    assert.equal(found, 1)\n  })',
  ]
  for (const body of bodies) {
    const text = `const later = { on() {} }\ntest('says it', async () => {\n  ${body}\n})\n`
    assert.deepEqual(await told(text), ['2 assertions: "says it"'], body)
  }
})

test('assertions that run, one of several, and those that nobody expects to run', async () => {
  const bodies = [
    'for (const each of cases) assert.equal(each, 1)',
    'const found = cases.length\n  assert.equal(found, 1)\n  later.on((each) => assert.equal(each, 2))',
    'if (cases.length > 5) {\n    assert.equal(cases, 1)\n  } else {\n    assert.equal(cases.length, 1)\n  }',
    "later.on('failed', () => assert.fail('no'))\n  later.on('failed', (error) => assert.ifError(error))",
    'same(cases, 1)\n  later.on((found) => assert.equal(found, 1))',
    'money(cases, 1)\n  later.on((found) => assert.equal(found, 1))',
  ]
  const top =
    "import { money } from './money.js'\nconst later = { on() {} }\nconst money = () => {}\nconst same = (found) => {\n  assert.equal(found.length, 1)\n}\n"
  for (const body of bodies) assert.deepEqual(await told(`${top}test('says it', () => {\n  ${body}\n})\n`, [1]), [], body)
})

test('tests in a loop over nothing, and in one that has something', async () => {
  const text = 'for (const each of cases) {\n  test(String(each), () => {\n    assert.equal(each, 1)\n  })\n}\n'
  assert.deepEqual(await told(text), ['1 declares: for (const each of cases) {'])
  assert.deepEqual(await told(text, [1]), [])
})

test('a test that does not run at all is for other rules', async () => {
  assert.deepEqual(
    await told("if (cases.length > 0)\n  test('says it', () => {\n    cases.map((each) => assert.equal(each, 1))\n  })\n"),
    [],
  )
})
