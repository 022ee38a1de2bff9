/** Edits of protected files are refused in the same turn by the real Claude Code, and in the end for every agent; gates inside the session. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { eventsOf, finishes, verdictsOf } from './support/loop.ts'
import { type ModelServer, startModelServer, type Turn } from './support/model-server.ts'
import { makeProject, type ProjectSketch } from './support/project.ts'
import { claude } from './support/real-claude.ts'
import { does, realProject } from './support/real-project.ts'

const claudeProject = (t: TestContext, turns: Turn[], sketch?: ProjectSketch) => realProject(t, claude, turns, sketch)
const heard = ({ requests }: ModelServer): string => JSON.stringify(requests.at(-1)?.body.messages)
const count = (text: string, part: string): number => text.split(part).length - 1

const test1 = 'test/acceptance/sum.test.js'
const edits = (path: string): Turn => ({ tool: { name: 'Write', args: { file_path: path, content: 'true\n' } } })

test('Claude Code is refused an edit of a protected file with our reason, and of Ralph’s files, under skipped permissions [R-PROOF-12]', async (t) => {
  const { project } = await claudeProject(t, [{ text: '' }], {
    files: { [test1]: 'assert(sum(1, 2) === 3)\n', 'snap/a.snap': 'old\n' },
    config: { gates: { protected: ['test/acceptance/', '*.snap'], tests: 'true' } },
  })
  const at = (path: string): string => project.path(path)
  const server = await startModelServer([
    { tool: { name: 'Read', args: { file_path: at(test1) } } },
    { tool: { name: 'Edit', args: { file_path: at(test1), old_string: '=== 3', new_string: '=== 4' } } },
    edits(at('test/acceptance/new.test.js')),
    edits(at('snap/b.snap')),
    edits(at('.ralph/config.yaml')),
    edits(at('.ralph/thing/events.jsonl')),
    edits(at('.git/hooks/pre-commit')),
    { tool: { bash: 'echo "gates: {}" > .ralph/config.yaml' } },
    edits(at('test/other.test.js')),
    does('S-1'),
    { text: 'Done.' },
  ])
  t.after(() => server.close())
  Object.assign(project.env, { ANTHROPIC_BASE_URL: server.url })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  const results = heard(server)
  assert.deepEqual(
    [count(results, 'Ralph protects this file (setting gates.protected)'), count(results, 'denied by your permission settings')],
    [3, 3],
    results,
  )
  assert.match(results, /Permission to use Bash with command echo .*config\.yaml has been denied/)
  assert.deepEqual(
    [project.read(test1), project.has('snap/b.snap'), project.has('.git/hooks/pre-commit'), project.read('test/other.test.js')],
    ['assert(sum(1, 2) === 3)\n', false, false, 'true\n'],
  )
  const [ended] = eventsOf(project, 'iteration.ended')
  assert.equal(ended?.findings, undefined)
  // Nothing had to be restored: it did not happen.
  assert.deepEqual(
    eventsOf(project, 'noticed').filter(({ what }) => what.endsWith('-restored')),
    [],
  )
})

test('with gates.in_session Claude Code hears of a failing gate before it stops, and goes on in the same session [R-PROOF-12]', async (t) => {
  const { project, server } = await claudeProject(
    t,
    [
      does('S-1'),
      { text: 'Done.' },
      { tool: { bash: 'echo x > good.txt && git add good.txt && git commit -qm good' } },
      { text: 'Now it is done.' },
    ],
    { config: { gates: { in_session: true, tests: 'test -f good.txt || { echo "good.txt is missing"; false; }' } } },
  )
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(verdictsOf(project), ['done, made'])
  assert.match(
    heard(server),
    /Ralph ran its gates before you stop \(1 of 3\)\. tests \(test -f good\.txt .*fails:\\ngood\.txt is missing/,
  )
})

test('a story that changes a protected file is refused with words, whatever tool or agent did it [R-PROOF-12]', async (t) => {
  const project = makeProject({
    files: { [test1]: 'assert(sum(1, 2) === 3)\n' },
    config: { gates: { protected: ['test/acceptance/**'], tests: 'true' } },
    script: {
      iterations: [
        [{ run: `sed -i s/3/4/ ${test1}` }, { commit: 'feat: looks good' }],
        finishes,
        [{ run: `git checkout -q HEAD~2 -- ${test1}` }, ...finishes],
      ],
    },
  })
  t.after(() => project.remove())
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(verdictsOf(project), ['worked, made', 'failed, made', 'done, made'])
  const words = `changed ${test1}, which gates.protected (test/acceptance/**) protects`
  assert.ok(eventsOf(project, 'iteration.judged')[1]?.because.includes('a check was weakened'), out)
  assert.deepEqual(
    eventsOf(project, 'iteration.ended').map(({ findings = [] }) =>
      findings.flatMap(({ rule, words: said }) => (rule === 'protected-file' ? [said] : [])),
    ),
    [[words], [words], []],
  )
})
