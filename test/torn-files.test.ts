/** Files that a power cut left empty, half written or full of zeros: what they were comes back, or the run says what to do. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { projectFor, type TestProject } from './support/project.ts'

const ways: Record<string, (text: Buffer) => Buffer> = {
  empty: () => Buffer.of(),
  'half written': (text) => text.subarray(0, text.length >> 1),
  'full of zeros': (text) => Buffer.alloc(text.length),
}

/** After a run that has done the first of two stories, this file is torn, and the run goes on. */
async function tornIn(
  t: TestContext,
  path: (project: TestProject) => string,
  how: string,
): Promise<{ made: TestProject; code: number | null; said: string }> {
  const made = projectFor(t, { stories: [{ id: 'S-1' }, { id: 'S-2' }], config: { gates: { tests: 'true' } } })
  await made.run('run', '--no-archive', '-n', '1')
  const text = readFileSync(path(made))
  writeFileSync(path(made), ways[how]!(text))
  const { code, out, err } = await made.run('run', '--no-archive')
  return { made, code, said: out + err }
}

const isDone = ({ made, code, said }: { made: TestProject; code: number | null; said: string }): void => {
  assert.equal(code, 0, said)
  assert.deepEqual(made.passing(), ['S-1', 'S-2'])
  assert.equal(made.git('show', 'HEAD:S-2.txt'), 'done')
}

for (const how of Object.keys(ways)) {
  test(`a HEAD that is ${how} is the branch of the run again, which is said, and the run goes on with git`, async (t) => {
    const found = await tornIn(t, (made) => made.path('.git/HEAD'), how)
    isDone(found)
    assert.match(found.said, /was damaged, as after a power cut, and was repaired: HEAD was empty or torn/)
    assert.doesNotMatch(found.said, /not a git repository/)
  })

  test(`a plan that is ${how} is restored as the last run knew it, which is said`, async (t) => {
    const found = await tornIn(t, (made) => made.path('.ralph/thing/prd.json'), how)
    isDone(found)
    assert.match(found.said, /! \.ralph\/thing\/prd\.json was empty or torn, as after a power cut: it was restored/)
  })

  test(`calls.json that is ${how} is kept aside, and counting starts again`, async (t) => {
    const found = await tornIn(t, ({ home }) => join(home, '.ralph', 'calls.json'), how)
    isDone(found)
    assert.match(found.said, /calls\.json, where calls are counted, was not readable\. It is kept as calls\.json\.bad/)
    assert.ok(existsSync(join(found.made.home, '.ralph', 'calls.json.bad')))
  })

  test(`status.json that is ${how} is written again from the log`, async (t) => {
    const found = await tornIn(t, (made) => made.path('.ralph/thing/status.json'), how)
    isDone(found)
    assert.equal(JSON.parse(found.made.read('.ralph/thing/status.json')).state, 'ended')
  })
}

test('settings that are full of zeros are named, and no agent starts', async (t) => {
  const { made, code, said } = await tornIn(t, (project) => project.path('.ralph/config.yaml'), 'full of zeros')
  assert.equal(code, 78, said)
  assert.match(said, /\.ralph\/config\.yaml:1:1: the file is /)
  assert.deepEqual(made.passing(), ['S-1'])
})
