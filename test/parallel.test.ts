/** Several stories at once: each in a worktree of its own, landing one by one, with the gates' word on the whole. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { projectFor, type Steps } from './support/project.ts'
import { eventsOf, hold, leftovers, meet, nothingLeft, onBranch, stories, work } from './support/together.ts'

test('twelve stories with six workers take twelve calls, and nothing is left behind but their work [T47] [T48]', async (t) => {
  const project = projectFor(t, { stories: stories(12), branch: 'ralph/thing', config: { gates: { tests: 'true' } } })
  const { code, out, err } = await project.run('run', '--parallel', '6', '--no-archive')
  assert.equal(code, 0, out + err)
  const ids = stories(12).map(({ id }) => id)
  assert.deepEqual(project.passing(), ids)
  assert.deepEqual(onBranch(project), ids.toSorted())
  assert.equal(eventsOf(project, 'iteration.started').length, 12)
  assert.equal(project.git('stash', 'list'), '')
  assert.equal(project.git('status', '--porcelain'), '')
  assert.deepEqual(leftovers(project), nothingLeft)
  assert.equal(project.git('symbolic-ref', '--short', 'HEAD'), 'ralph/thing')
})

test('as many agents as there are workers are at work at the same time', async (t) => {
  const ids = ['S-1', 'S-2', 'S-3']
  const script = { stories: Object.fromEntries(ids.map((id) => [id, [work(id, meet(id, ...ids))]])) }
  const project = projectFor(t, { stories: stories(3), script })
  const { code, out, err } = await project.run('run', '--parallel', '3', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.deepEqual(project.passing(), ids)
})

test("a flip counts only in the plan of the agent's own worktree: one in the main checkout is put back and told [R-PLAN-4] [R-PROOF-6]", async (t) => {
  const flip = `const f=process.env.MAIN_PLAN,fs=require('fs');fs.writeFileSync(f,fs.readFileSync(f,'utf8').replaceAll('"passes": false','"passes": true'))`
  const project = projectFor(t, {
    stories: stories(4),
    files: { 'flip.cjs': flip },
    script: { otherwise: [...work('$RALPH_STORY').filter((step) => !('flip' in step)), { run: 'node flip.cjs' }] },
    config: { gates: { tests: 'true' } },
  })
  project.env['MAIN_PLAN'] = project.path('.ralph/thing/prd.json')
  const { code, out, err } = await project.run('run', '--parallel', '2', '--no-archive', '-n', '4')
  assert.notEqual(code, 0, out + err)
  assert.deepEqual([project.passing(), eventsOf(project, 'plan.changed')], [[], []])
  assert.match(out, /the plan was changed while .*; restored/)
})

test('a story that depends on another starts where that one has landed [T54]', async (t) => {
  const project = projectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }, { id: 'S-3', dependsOn: ['S-1', 'S-2'] }],
    script: {
      stories: {
        'S-1': [work('S-1')],
        'S-2': [work('S-2')],
        'S-3': [work('S-3', { run: 'cat S-1.txt S-2.txt > both.txt' })],
      },
    },
  })
  const { code, out, err } = await project.run('run', '--parallel', '3', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.equal(project.read('both.txt'), 'of S-1\nof S-2\n')
})

test('a worker that is free takes the next story that is ready, and waits for no round to end [T50]', async (t) => {
  const slow = work('S-1', meet('S-1', 'S-4'))
  const project = projectFor(t, {
    stories: stories(4),
    script: { stories: { 'S-1': [slow], 'S-4': [work('S-4', meet('S-4'))] }, otherwise: work('$RALPH_STORY') },
  })
  // The first ends only once the last has begun: with a barrier between rounds it never would.
  const { code, out, err } = await project.run('run', '--parallel', '2', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.equal(project.passing().length, 4)
})

test('the next story begins before the work of the last is looked at; where money is limited, once it is known what that has cost', async (t) => {
  const together = { 'S-1': [work('S-1', meet('S-1', 'S-2'))], 'S-2': [work('S-2', meet('S-2', 'S-1'))] }
  const script = { stories: together, otherwise: work('$RALPH_STORY') }
  const begunBeforeAnyLook = async (...args: string[]): Promise<number> => {
    const project = projectFor(t, { stories: stories(4), script })
    const { code, out, err } = await project.run('run', '--parallel', '2', '--no-archive', ...args)
    assert.equal(code, 0, out + err)
    const kinds = project.kinds()
    assert.ok(kinds.includes('agent.returned'))
    return kinds.slice(0, kinds.indexOf('iteration.ended')).filter((kind) => kind === 'iteration.started').length
  }
  assert.ok((await begunBeforeAnyLook()) > 2)
  assert.equal(await begunBeforeAnyLook('--max-cost', '100'), 2)
})

test('an agent whose words concern all keeps its worker until they are heard: nothing begins after them', async (t) => {
  const looked =
    'until grep -q iteration.ended "$(git rev-parse --git-common-dir)/../.ralph/thing/events.jsonl"; do sleep 0.01; done'
  const project = projectFor(t, {
    stories: stories(4),
    script: {
      stories: {
        'S-1': [[meet('S-1', 'S-2'), { say: '<promise>BLOCKED:no key for the shop</promise>' }]],
        'S-2': [work('S-2', meet('S-2', 'S-1'), { run: looked })],
      },
    },
  })
  const { code, out, err } = await project.run('run', '--parallel', '2', '--no-archive')
  assert.equal(code, 2, out + err)
  assert.equal(eventsOf(project, 'iteration.started').length, 2)
  assert.deepEqual(
    eventsOf(project, 'agent.returned').map(({ iteration }) => iteration),
    [2],
  )
})

test('two that change the same lines: the second is sent back with the conflict, and its next attempt mends it [T51]', async (t) => {
  const write = (id: string): Steps => [
    { write: { path: 'shared.txt', text: `${id}\n` } },
    { commit: `feat: ${id}` },
    { flip: id },
    { say: 'Done.' },
  ]
  const mend: Steps = [
    { expect: { prompt: 'CONFLICT .content.: Merge conflict in shared.txt' } },
    { run: 'git merge main >/dev/null 2>&1; printf "S-1\\nS-2\\n" > shared.txt; git add shared.txt; git commit -qm "merge"' },
    { flip: 'S-2' },
    { say: 'Both.' },
  ]
  const project = projectFor(t, {
    stories: stories(2),
    files: { 'shared.txt': 'nobody\n' },
    config: { gates: { tests: 'true' } },
    script: {
      stories: {
        'S-1': [[meet('S-1', 'S-2'), ...write('S-1')]],
        'S-2': [
          [
            meet('S-2', 'S-1'),
            { run: 'while ! git -C "$PWD" log main --format=%s | grep -q S-1; do sleep 0.01; done' },
            ...write('S-2'),
          ],
          mend,
        ],
      },
    },
  })
  const { code, out, err } = await project.run('run', '--parallel', '2', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.match(out, /S-2 ✗ not merged, goes back to the agent: The work conflicts with what landed on main meanwhile:/)
  assert.equal(project.read('shared.txt'), 'S-1\nS-2\n')
  assert.deepEqual(
    eventsOf(project, 'iteration.judged').map((event) => [event.verdict, event.passed, event.failedGates]),
    [
      ['done', ['S-1'], []],
      ['failed', [], ['landing']],
      ['done', ['S-2'], []],
    ],
  )
  assert.deepEqual(leftovers(project), nothingLeft)
})

test('green alone and red together: the gates run again after the merge, and the second is sent back', async (t) => {
  const project = projectFor(t, {
    stories: stories(2),
    config: { gates: { tests: 'test ! -e one || test ! -e two' } },
    script: {
      stories: {
        'S-1': [
          [
            meet('S-1', 'S-2'),
            { write: { path: 'one', text: '1\n' } },
            { commit: 'feat: S-1' },
            { flip: 'S-1' },
            { say: 'Done.' },
          ],
        ],
        'S-2': [
          [
            meet('S-2', 'S-1'),
            { run: 'while ! git log main --format=%s | grep -q S-1; do sleep 0.01; done' },
            { write: { path: 'two', text: '2\n' } },
            { commit: 'feat: S-2' },
            { flip: 'S-2' },
            { say: 'Done.' },
          ],
          [{ run: 'test -e one && git mv two three' }, { commit: 'feat: S-2 again' }, { flip: 'S-2' }, { say: 'Now.' }],
        ],
      },
    },
  })
  const { code, out, err } = await project.run('run', '--parallel', '2', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.match(out, /S-2 ✗ after the merge: gate tests failed/)
  assert.equal(project.git('ls-files', 'one', 'two', 'three'), 'one\nthree')
})

test('.ralph/ is never merged from a worktree, whatever an agent commits of it', async (t) => {
  const project = projectFor(t, {
    stories: stories(2),
    script: {
      stories: {
        'S-1': [
          [
            { run: 'mkdir -p .ralph/other && echo x > .ralph/other/file && echo "agent: { name: evil }" > .ralph/config.yaml' },
            ...work('S-1'),
            { flip: 'S-2' },
            { commit: 'chore: all of it' },
          ],
        ],
      },
      otherwise: work('$RALPH_STORY'),
    },
  })
  const before = project.read('.ralph/config.yaml')
  const { code, out, err } = await project.run('run', '--parallel', '2', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.equal(project.read('.ralph/config.yaml'), before)
  assert.equal(project.git('ls-files', '.ralph/other'), '')
  assert.equal(existsSync(project.path('.ralph/other')), false)
  assert.deepEqual(project.passing(), ['S-1', 'S-2'])
})

test('stories that will touch the same files are not worked on at the same time', async (t) => {
  const project = projectFor(t, {
    stories: [
      { id: 'S-1', touches: ['src/api/'] },
      { id: 'S-2', touches: ['src/api/users.ts'] },
      { id: 'S-3', touches: ['docs/'] },
    ],
    script: {
      stories: { 'S-1': [work('S-1', meet('S-1', 'S-3'))], 'S-3': [work('S-3', meet('S-3', 'S-1'))] },
      otherwise: work('$RALPH_STORY'),
    },
  })
  const { code, out, err } = await project.run('run', '--parallel', '3', '--no-archive')
  assert.equal(code, 0, out + err)
  const order = project.events().flatMap((event) => {
    if (event.kind === 'iteration.started') return [`start ${event.story}`]
    return event.kind === 'iteration.settled' ? ['settled'] : []
  })
  assert.deepEqual(order.slice(0, 2), ['start S-1', 'start S-3'])
  assert.ok(order.indexOf('start S-2') > order.indexOf('settled'), order.join())
})

test('a story that starts after another has landed begins with its work', async (t) => {
  const project = projectFor(t, {
    stories: [
      { id: 'S-1', touches: ['S-1.txt'] },
      { id: 'S-2', touches: ['S-2.txt'] },
      { id: 'S-3', touches: ['S-1.txt'] }, // starts when S-1 has landed, while S-2 is at work
    ],
    script: {
      stories: {
        'S-1': [work('S-1')],
        'S-2': [work('S-2', meet('S-2', 'S-3'))],
        'S-3': [work('S-3', meet('S-3'), { run: 'git log --format=%s | grep -qx "feat: S-1" && cat S-1.txt > seen.txt' })],
      },
    },
  })
  const { code, out, err } = await project.run('run', '--parallel', '2', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.equal(project.read('seen.txt'), 'of S-1\n')
  assert.equal(eventsOf(project, 'iteration.started').length, 3)
  assert.deepEqual(leftovers(project), nothingLeft)
})

test('a worktree gets its setup, its copied files and its ports, and work left lying is committed', async (t) => {
  const project = projectFor(t, {
    stories: stories(2),
    files: { '.gitignore': '.env\nprepared\n' },
    config: { worktree: { setup: 'echo "$RALPH_WORKER" > prepared', copy: ['.env', 'absent'], port_base: 4000 } },
    script: {
      stories: Object.fromEntries(
        ['S-1', 'S-2'].map((id) => [
          id,
          [
            [
              meet(id, 'S-1', 'S-2'),
              { run: `echo "$(cat .env) $(cat prepared) $RALPH_PORT_BASE" > ${id}.txt` },
              { flip: id },
              { say: 'Done.' },
            ],
          ],
        ]),
      ),
    },
  })
  project.write('.env', 'KEY=1')
  const { code, out, err } = await project.run('run', '--parallel', '2', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.deepEqual([project.read('S-1.txt'), project.read('S-2.txt')].sort(), ['KEY=1 1 4000\n', 'KEY=1 2 4020\n'])
  assert.match(out, /worktree\.copy: absent does not exist/)
  assert.equal(project.git('status', '--porcelain'), '')
})

test('without a git repository several workers are refused, with what to do', async (t) => {
  const project = projectFor(t, { stories: stories(2), isGit: false })
  const { code, err } = await project.run('run', '--parallel', '2')
  assert.equal(code, 78)
  assert.match(err, /parallel: 2 workers need a git repository\. Run "git init" and commit, or set it to 1\./)
})

/** Marks a story done in the plan of that story's own worktree, whoever runs it. */
const flipThere = (id: string): Steps[number] => ({
  run: `RALPH_PLAN="$(git worktree list --porcelain | grep '^worktree .*/${id}$' | cut -c10-)/.ralph/thing/prd.json" node -e '
    const fs = require("fs"), file = process.env.RALPH_PLAN, plan = JSON.parse(fs.readFileSync(file))
    plan.userStories.find(({ id }) => id === "${id}").passes = true
    fs.writeFileSync(file, JSON.stringify(plan, null, 2) + "\\n")'; touch "$HOME/flipped"`,
})

for (const { what, ends } of [
  { what: 'says nothing of it', ends: [{ say: 'Looked around.' }] },
  { what: 'crashes', ends: [{ exit: 3 }] },
])
  test(`a story that another one's agent marks done in its worktree, and whose own agent does nothing and ${what}, does not pass [R-PLAN-6] [R-PROOF-6]`, async (t) => {
    const project = projectFor(t, {
      stories: stories(2),
      config: { gates: { tests: 'true' } },
      script: {
        stories: {
          'S-1': [work('S-1', meet('S-1', 'S-2'), flipThere('S-2'))],
          'S-2': [
            [meet('S-2', 'S-1'), hold('flipped'), ...ends],
            work('S-2', { expect: { prompt: 'S-2 was marked done, but nothing changed' } }),
          ],
        },
      },
    })
    const { code, out, err } = await project.run('run', '--parallel', '2', '--no-archive')
    assert.equal(code, 0, out + err)
    assert.match(out, /story S-2 was marked done, but nothing changed and its agent did not report it as done; set back to open/)
    assert.deepEqual(
      eventsOf(project, 'iteration.judged').flatMap(({ iteration, passed }) => (passed.includes('S-2') ? [iteration] : [])),
      [3],
    )
  })

test('a story that its agent finds done already, says so and marks, passes without a change of its own', async (t) => {
  const project = projectFor(t, {
    stories: stories(2),
    config: { gates: { tests: 'true' } },
    script: {
      stories: {
        'S-1': [work('S-1')],
        'S-2': [[{ flip: 'S-2' }, { say: 'S-2 is already implemented, no changes needed. All done.' }]],
      },
    },
  })
  const { code, out, err } = await project.run('run', '--parallel', '2', '--no-archive', '-n', '2')
  assert.equal(code, 0, out + err)
})

test('in a worktree of its own an agent marks its own story alone: that of another one is put back there and told', async (t) => {
  const project = projectFor(t, {
    stories: stories(3),
    script: {
      stories: { 'S-1': [[...work('S-1').slice(0, 2), { flip: ['S-1', 'S-3'] }, { say: 'Both.' }]] },
      otherwise: work('$RALPH_STORY'),
    },
  })
  const { code, out, err } = await project.run('run', '--parallel', '2', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.match(out, /story S-3 was marked done in an iteration on S-1; set back to open/)
  assert.equal(eventsOf(project, 'iteration.started').length, 3)
})
