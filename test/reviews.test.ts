/** A reviewer's answer, and what follows from it: the flip stands, is refused, or a person is called. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { readReview } from '../src/core/review/answer.ts'
import { findingsAfter } from '../src/core/review/findings.ts'
import { endOf, eventsOf, finishes, told, verdictsOf } from './support/loop.ts'
import { type ProjectSketch, projectFor, type Steps } from './support/project.ts'
import { answers, ends, misses, passes, type ReviewedProject, reviewedProjectFor, reviewsOf, rowsOf } from './support/reviews.ts'

/** As a reviewer's finding is listed: by its words. */
const idOf = (words: string): string => {
  const { answer } = readReview(
    JSON.stringify({ missing: [words], extra: [], reason: '', verdict: 'fail' }),
    'spec',
  ) as ReviewRead
  return findingsAfter(answer, { open: [], dismissed: [], changed: null })[0]!.id
}
type ReviewRead = Extract<ReturnType<typeof readReview>, { ok: true }>

const reviewed = (t: TestContext, sketch: ProjectSketch = {}): ReviewedProject =>
  reviewedProjectFor(t, { ...sketch, script: { otherwise: finishes, ...sketch.script } })

test('a review that passes lets the story pass, and is in its receipt with answer, agent and cost [R-GATE-1] [R-GATE-5]', async (t) => {
  const project = projectFor(t, { script: { otherwise: finishes, reviews: { 'S-1': [passes] } } })
  const out = await ends(project, 0)
  assert.deepEqual([project.passing(), reviewsOf(project)], [['S-1'], ['spec S-1: pass']])
  const { receipts } = JSON.parse(project.read('.ralph/thing/report.json'))
  const { commits, tree, gates, proof, ...receipt } = receipts['S-1']
  assert.deepEqual(proof, { grade: 'reviewed', proven: true, reservations: [], census: null, examined: 'not needed' })
  assert.deepEqual(receipt, { iteration: 1, proven: true, agent: 'scripted', costUsd: 0.02, given: false })
  assert.deepEqual([commits.length, tree !== ''], [1, true])
  const [{ durationMs, outputHash, ...review }] = gates
  assert.deepEqual(review, {
    ...{
      name: 'spec',
      kind: 'review',
      story: 'S-1',
      command: 'review by scripted',
      passed: true,
      exitCode: null,
      ended: 'exited',
    },
    findings: [],
    output: 'All of it is there.',
  })
  assert.deepEqual([gates.length, durationMs > 0, outputHash !== ''], [1, true, true])
  assert.match(project.read('.ralph/thing/report.md'), /^- S-1 - Story S-1 \(iteration 1, \w+, proven by spec\)$/m)
  assert.match(out, /scripted reviews S-1 \(spec\)\n {2}✓ spec review passed \(.*, by scripted\)/)
})

test('what a review finds missing refuses the flip; state.md and the next prompt have its words, and the next attempt is a fix [R-GATE-1] [R-GATE-2]', async (t) => {
  const finding = 'S-1 works: nothing calls it, S-1.txt:1'
  const project = reviewed(t, { script: { reviews: { 'S-1': [misses(finding), passes] } } })
  const before = project.read('.ralph/thing/prd.json')
  const out = await ends(project, 1, '-n', '1')
  assert.deepEqual(verdictsOf(project), ['failed, made'])
  assert.match(
    out,
    /✗ spec review failed .*\n {6}Missing: S-1 works: nothing calls it, S-1\.txt:1 \[[0-9a-f]{8}\]\n {6}Reason: Not all of it/,
  )
  assert.equal(project.read('.ralph/thing/prd.json'), before)
  const state = project.read('.ralph/thing/state.md')
  assert.match(state, /^last_gate: "spec"$/m)
  const line = `Missing: ${finding} [${idOf(finding)}]`
  const words = `${line}\nReason: Not all of it is there.\n`
  const progress = project.read('.ralph/thing/progress.txt')
  assert.ok(progress.includes(`Learnings:\n  - spec: ${line}\n  - spec: Reason: Not all of it is there.\n`), progress)
  assert.ok(state.includes(`## Spec Reviewer Output (verbatim)\n\`\`\`\n${words}\`\`\``), state)

  await ends(project, 0)
  assert.ok(project.prompt(2).includes(`~~~text\n${words}~~~`), project.prompt(2))
  assert.match(project.prompt(2), /### Iteration 1: Agent marked S-1 done, but spec failed/)
  assert.deepEqual(
    eventsOf(project, 'iteration.started').map(({ mode, attempt }) => `${mode} ${attempt}`),
    ['implement 1', 'fix 2'],
  )
  assert.deepEqual(rowsOf(project), ['1 implement S-1 failed', '1 review S-1 fail', '2 fix S-1 done', '2 review S-1 pass'])
  assert.equal(project.has('.ralph/thing/state.md'), false)
})

test('harm that nobody asked for refuses the flip too [R-GATE-1]', async (t) => {
  const harm = answers({ verdict: 'fail', extra: ['old.test.ts was deleted'] })
  const project = reviewed(t, { script: { reviews: { 'S-1': [harm] } } })
  await ends(project, 1, '-n', '1')
  assert.match(project.read('.ralph/thing/state.md'), /Extra: old\.test\.ts was deleted/)
})

test('a pass that comes with findings contradicts itself, and is a fail [R-GATE-1]', async (t) => {
  const project = reviewed(t, { script: { reviews: { 'S-1': [answers({ verdict: 'pass', missing: ['the second half'] })] } } })
  await ends(project, 1, '-n', '1')
  assert.deepEqual([project.passing(), reviewsOf(project)], [[], ['spec S-1: fail']])
  const said = `Missing: the second half [${idOf('the second half')}]\nReason: The verdict was pass, but it comes with findings: it counts as fail.`
  assert.equal(eventsOf(project, 'review.ended')[0]!.result!.output, said)
})

const unreadable: [string, Steps, RegExp][] = [
  ['no JSON', [{ say: 'Looks good to me.' }], /The answer has no valid JSON object with a "verdict"\./],
  ['an unknown verdict', answers({ verdict: 'lgtm' }), /"verdict" was "lgtm"; use one of pass, fail, blocked, question\./],
  ['no words at all', [{ tool: { name: 'Read', target: 'a.txt' } }], /The answer was empty\./],
]
for (const [what, steps, why] of unreadable) {
  test(`an answer with ${what} is asked for once more, and the second prompt says why [R-GATE-1]`, async (t) => {
    const project = reviewed(t, { script: { reviews: { 'S-1': [steps, passes] } } })
    await ends(project, 0)
    assert.deepEqual(reviewsOf(project), ['spec S-1: unread', 'spec S-1: pass'])
    assert.doesNotMatch(project.asked('S-1', 1), /could not be read/)
    assert.match(project.asked('S-1', 2), /## Your last answer could not be read\n/)
    assert.match(project.asked('S-1', 2), why)
    assert.equal(eventsOf(project, 'iteration.started').length, 1)
  })
}

test('the second answer that cannot be read fails the gate with that reason [R-GATE-1]', async (t) => {
  const project = reviewed(t, { script: { reviews: { 'S-1': [[{ say: 'Fine.' }], [{ say: 'Still fine.' }], passes] } } })
  await ends(project, 0)
  assert.deepEqual(reviewsOf(project), ['spec S-1: unread', 'spec S-1: unread', 'spec S-1: pass'])
  const why = /The reviewer's answer could not be read, twice: The answer has no valid JSON object with a "verdict"\./
  assert.match(project.prompt(2), why)
  assert.deepEqual(verdictsOf(project), ['failed, made', 'done, made'])
})

const calls: [string, number, string, RegExp][] = [
  ['blocked', 2, 'blocked.txt', /## Blocked \(from iteration 1, .*\)\nthe reviewer of S-1: red or blue\?\n/],
  ['question', 3, 'decide.txt', /## Question \(from iteration 1, .*\)\nthe reviewer of S-1: red or blue\?\n/],
]
for (const [verdict, exit, file, text] of calls) {
  test(`a reviewer's ${verdict} calls a person: exit ${exit}, and the story's counters are untouched [R-GATE-1] [R-HUM-3]`, async (t) => {
    const project = reviewed(t, { script: { reviews: { 'S-1': [answers({ verdict, reason: 'red or blue?' }), passes] } } })
    const before = project.read('.ralph/thing/prd.json')
    await ends(project, exit)
    assert.match(project.read(`.ralph/thing/${file}`), text)
    assert.equal(project.read('.ralph/thing/prd.json'), before)
    assert.deepEqual(rowsOf(project), [`1 implement S-1 ${verdict}`, `1 review S-1 ${verdict}`])
    assert.equal((await project.run('run')).code, exit)

    const answered = await (exit === 2 ? project.run('unblock', 'Red.') : project.run('answer', 'Red.'))
    assert.equal(answered.code, 0, answered.err)
    await ends(project, 0)
    assert.match(project.prompt(2), /Red\./)
    assert.deepEqual(
      eventsOf(project, 'iteration.started').map(({ mode, attempt }) => `${mode} ${attempt}`),
      ['implement 1', 'implement 1'],
    )
  })
}

test('the reviewer sees the story, its criteria and the diff with untracked files, and no word of the implementer [R-GATE-1]', async (t) => {
  const project = reviewed(t, {
    stories: [{ id: 'S-1', title: 'Count sheep', description: 'Sheep are counted.', acceptanceCriteria: ['From one', 'To ten'] }],
    config: { gates: { tests: 'true' } },
    script: {
      otherwise: [
        { write: { path: 'committed.txt', text: 'first half\n' } },
        { commit: 'feat: the boastful message' },
        { write: { path: 'left lying.txt', text: 'second half\n' } },
        { append: { path: '.ralph/thing/progress.txt', text: 'a boastful entry\n' } },
        { notes: { id: 'S-1', text: 'a boastful note' } },
        { flip: 'S-1' },
        { say: 'A boastful answer.' },
      ],
    },
  })
  await ends(project, 0)
  const asked = project.asked('S-1', 1)
  for (const part of [
    'S-1 - Count sheep\n\nSheep are counted.\n\nAcceptance criteria:\n1. From one\n2. To ten',
    'tests: true (passed)',
  ])
    assert.ok(asked.includes(part), part)
  assert.match(asked, /## What was changed since S-1 began\nFiles \(2\):\n~~~text\ncommitted\.txt\nleft lying\.txt\n~~~/)
  assert.match(asked, /\n\+first half\n[\s\S]*\n\+second half\n/)
  assert.doesNotMatch(asked, /boastful/)
  assert.deepEqual(project.git('show', '--name-only', '--format=%s', ':/^feat: S-1').split('\n'), [
    'feat: S-1 - Count sheep',
    '',
    'left lying.txt',
  ])
})

test('a diff too long for a prompt is cut, and the command that shows the rest works [R-GATE-1]', async (t) => {
  const command = 'sh -c "$(grep -o "git diff [0-9a-f]*" "$TMPDIR/review-S-1-1.txt") -- long.txt" > "$TMPDIR/rest.txt"'
  const project = reviewed(t, {
    script: {
      otherwise: [{ run: 'seq 1 30000 > long.txt; echo the end >> long.txt' }, ...finishes],
      reviews: { 'S-1': [[{ run: command }, ...passes]] },
    },
  })
  await ends(project, 0)
  const asked = project.asked('S-1', 1)
  assert.ok(asked.length < 120_000 && !asked.includes('\n+the end\n'))
  assert.match(
    asked,
    /The diff is truncated. Before you judge, see the rest with `git diff [0-9a-f]{40} -- <file>`, and read new files\./,
  )
  assert.match(project.read('../rest.txt'), /\n\+the end\n/)
})

test('a reviewer is told what the checks lost [R-GATE-1] [R-GATE-7]', async (t) => {
  const project = reviewed(t, {
    files: { 'sum.test.js': "test('adds', () => {})\n" },
    script: { otherwise: [{ run: 'git rm -q sum.test.js' }, ...finishes] },
  })
  await ends(project, 0)
  assert.match(project.asked('S-1', 1), /## Suspicions\n[\s\S]*deleted the test file sum\.test\.js/)
})

test('a reviewer judges by the specs, templates and instructions of the beginning, whatever the implementer writes or adds there [R-PROOF-6]', async (t) => {
  const lowers = (path: string, text: string): Steps[number] => ({ write: { path: `.ralph/thing/${path}`, text } })
  const project = reviewedProjectFor(t, {
    files: { '.ralph/thing/specs/login.md': 'Ten characters.\n', '.ralph/thing/prompt.md': 'With care.\n' },
    script: {
      otherwise: [
        lowers('specs/login.md', 'One.\n'),
        lowers('specs/more.md', 'Pass.\n'),
        lowers('prompt.md', 'Pass.\n'),
        { write: { path: '.ralph/templates/review-spec.md', text: 'Pass.\n' } },
        ...finishes,
      ],
      reviews: {
        'S-1': [
          [{ run: 'cat .ralph/thing/specs/* .ralph/thing/prompt.md $(ls .ralph/templates/*) > "$TMPDIR/seen"' }, ...passes],
        ],
      },
    },
  })
  await ends(project, 0)
  assert.equal(project.read('../seen'), 'Ten characters.\nWith care.\n')
  assert.deepEqual(
    [project.read('.ralph/thing/specs/login.md'), project.has('.ralph/thing/specs/more.md')],
    ['Ten characters.\n', false],
  )
})

test('gates come first: a red one means that no reviewer is called [R-GATE-1]', async (t) => {
  const project = reviewed(t, {
    config: { gates: { tests: 'test -f good' } },
    script: { stories: { 'S-1': [finishes, [{ write: { path: 'good', text: '' } }, ...finishes]] } },
  })
  await ends(project, 0)
  assert.deepEqual(reviewsOf(project), ['spec S-1: pass'])
  assert.deepEqual(rowsOf(project), ['1 implement S-1 failed', '2 fix S-1 done', '2 review S-1 pass'])
})

test('an iteration that flips nothing is not reviewed; a flip of work done before is [R-GATE-1] [R-PLAN-6]', async (t) => {
  const project = reviewed(t, { script: { stories: { 'S-1': [finishes.slice(0, 2), [{ flip: 'S-1' }, { say: 'Done.' }]] } } })
  await ends(project, 0)
  assert.deepEqual(rowsOf(project), ['1 implement S-1 worked', '2 implement S-1 done', '2 review S-1 pass'])
  assert.match(project.asked('S-1', 1), /\n\+there\n/)
})

test('an own template replaces the shipped one [R-PROMPT-1]', async (t) => {
  const project = reviewed(t, { files: { '.ralph/templates/review-spec.md': 'Look at the moon.\n' } })
  await ends(project, 0)
  assert.match(project.asked('S-1', 1), /\n\nLook at the moon\.\n\n## Your answer\n/)
  assert.doesNotMatch(project.asked('S-1', 1), /# How to review/)
})

test('each story that flips is reviewed by itself, and one that fails leaves the other standing [R-GATE-1]', async (t) => {
  const project = reviewed(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    config: { defaults: { pick: 'agent' } },
    script: {
      iterations: [
        [
          ...finishes.slice(0, 0),
          { write: { path: 'both.txt', text: 'x\n' } },
          { commit: 'feat: both' },
          { flip: ['S-1', 'S-2'] },
        ],
        [{ flip: 'S-2' }],
      ],
      reviews: { 'S-1': [passes], 'S-2': [misses('half of S-2'), passes] },
    },
  })
  await ends(project, 0)
  assert.deepEqual(reviewsOf(project), ['spec S-1: pass', 'spec S-2: fail', 'spec S-2: pass'])
  assert.match(project.asked('S-1', 1), /## What was changed since the iteration began\nFiles \(1\):\n~~~text\nboth\.txt\n/)
  assert.equal(endOf(project).outcome, 'complete')
})

test('a plain text command reviews too where it is asked to [R-GATE-1]', async (t) => {
  const flip = `sed -i 's/"passes": false/"passes": true/' .ralph/thing/prd.json`
  const agent = [
    'cat > /dev/null',
    'if [ "$RALPH_ROLE" = reviewer ]; then',
    '  echo "I looked at $RALPH_STORY for $RALPH_REVIEW."',
    `  if [ -f late.txt ]; then echo '{"missing": [], "extra": [], "reason": "", "verdict": "pass"}'`,
    `  else echo '{"missing": ["late.txt"], "extra": [], "reason": "", "verdict": "fail"}'; fi`,
    'else',
    `  if [ $RALPH_ATTEMPT = 2 ]; then touch late.txt; fi; date +%N > work.txt; git add -A; git commit -qm work; ${flip}`,
    'fi\n',
  ]
  const project = projectFor(t, {
    files: { '.ralph/agent.sh': agent.join('\n') },
    config: { agent: { name: 'plain', command: ['sh', '.ralph/agent.sh'] }, review: { enabled: true } },
  })
  await ends(project, 0)
  assert.deepEqual(reviewsOf(project), ['spec S-1: fail', 'spec S-1: pass'])
})

test('words of the implementer that look like a verdict are no review [R-GATE-1]', async (t) => {
  const project = reviewed(t, {
    script: {
      otherwise: [...finishes.slice(0, 3), ...passes],
      reviews: { 'S-1': [misses('everything')] },
    },
  })
  await ends(project, 1, '-n', '1')
  assert.deepEqual([project.passing(), reviewsOf(project)], [[], ['spec S-1: fail']])
})

test('the findings of several attempts reach the next one, which is told to find another way when they are alike [R-ESC-1]', async (t) => {
  const project = reviewed(t, {
    script: {
      stories: { 'S-1': [finishes, finishes, finishes, told('Try another approach', ...finishes)] },
      reviews: { 'S-1': [misses('x'), misses('x'), misses('x'), passes] },
    },
  })
  await ends(project, 0)
  assert.deepEqual(
    verdictsOf(project).map((verdict) => verdict.split(',')[0]),
    ['failed', 'failed', 'failed', 'done'],
  )
})

test('a later review may only add what is about lines that changed since: the rest is a reservation, and the story passes', async (t) => {
  const finding = 'S-1 works: nothing calls it, S-1.txt:1'
  const added = 'README.md:1 does not say how to call it'
  const second = answers({ verdict: 'fail', fixed: [idOf(finding)], missing: [added], reason: 'One thing.' })
  const project = reviewed(t, { files: { 'README.md': 'thing\n' }, script: { reviews: { 'S-1': [misses(finding), second] } } })
  const out = await ends(project, 0)
  assert.deepEqual(reviewsOf(project), ['spec S-1: fail', 'spec S-1: pass'])
  const asked = project.asked('S-1', 2)
  assert.ok(asked.includes(`~~~text\n[${idOf(finding)}] ${finding}\n~~~`), asked)
  assert.match(asked, /The last review saw `\w{40}`; `git diff \w{40} HEAD` shows what changed since\./)
  assert.match(asked, /"fixed":\["<id>"\]/)
  assert.doesNotMatch(project.asked('S-1', 1), /Earlier reviews|fixed/)
  const words = `a finding of a later review, about unchanged code: ${added} [${idOf(added)}]`
  const { receipts, reserved } = JSON.parse(project.read('.ralph/thing/report.json'))
  const { grade, proven, reservations } = receipts['S-1'].proof
  assert.deepEqual([reserved, grade, proven], [['S-1'], 'gated', false])
  assert.deepEqual(reservations, [{ rule: 'review-finding', file: 'README.md', line: 1, words, id: idOf(added) }])
  assert.match(out, /✓ spec review passed .*\n {2}! Warning, new and not about changed lines: Missing: README\.md:1/)
  assert.match(
    project.prompt(2),
    /The next review checks whether these findings are fixed, and looks at the lines that you change\./,
  )

  const { out: said } = await project.run('dismiss', idOf(added), 'it', 'has', 'a', 'man', 'page')
  assert.match(said, /^Dismissed \w{8} of S-1: .*\nIts receipt says that you accepted this\. /)
  const why = await project.run('why', '--json')
  const [{ proof }] = JSON.parse(why.out).stories
  assert.deepEqual(
    [proof.proven, proof.reservations[0].answer.replace(/ by .*:/, ' by somebody:')],
    [true, 'accepted by somebody: it has a man page'],
  )
})

test('what is new about lines that changed since the last review refuses the story again', async (t) => {
  const first = 'S-1 works: nothing calls it'
  const second = answers({ verdict: 'fail', fixed: [idOf(first)], missing: ['more.txt:1 is wrong'], reason: 'One thing.' })
  const more: Steps = [{ append: { path: 'more.txt', text: 'more\n' } }, ...finishes]
  const project = reviewed(t, { script: { iterations: [finishes, more], reviews: { 'S-1': [misses(first), second, passes] } } })
  await ends(project, 0)
  assert.deepEqual(reviewsOf(project), ['spec S-1: fail', 'spec S-1: fail', 'spec S-1: pass'])
  assert.equal(eventsOf(project, 'review.ended')[1]!.result!.findings![0]!.standing, 'open')
})

test('a finding that a person dismisses does not come back: the story is checked again without an agent, and passes', async (t) => {
  const finding = '1. There is no manual'
  const again = misses(`[${idOf(finding)}] There is still no manual`)
  const project = reviewed(t, { script: { reviews: { 'S-1': [misses(finding), again] } } })
  await ends(project, 1, '-n', '1')
  const none = await project.run('dismiss')
  assert.equal(none.code, 64)
  assert.ok(
    none.err.includes(`Which finding? Use: ralph dismiss <id> "<why>". Open findings:\n  ${idOf(finding)}  S-1: ${finding}`),
    none.err,
  )
  assert.equal((await project.run('dismiss', 'ffffffff')).code, 64)
  const { code, out } = await project.run('dismiss', idOf(finding).slice(0, 5), 'nobody reads it')
  assert.equal(code, 0)
  assert.match(out, /^Dismissed \w{8} of S-1: 1\. There is no manual\nS-1 is checked again before an agent works on it\. /)
  await ends(project, 0)
  assert.deepEqual(
    eventsOf(project, 'iteration.started').map(({ mode }) => mode),
    ['implement', 'check'],
  )
  assert.match(
    project.asked('S-1', 2),
    /A person has decided that this is not to be changed\. Do not find it again\.\n~+text\n\[\w{8}\] 1\. There is no manual/,
  )
  assert.deepEqual(reviewsOf(project), ['spec S-1: fail', 'spec S-1: pass'])
  const { receipts } = JSON.parse(project.read('.ralph/thing/report.json'))
  const [reservation] = receipts['S-1'].proof.reservations
  assert.equal(reservation.words, `a reviewer's finding: ${finding} [${idOf(finding)}]`)
  assert.match(reservation.answer, /^accepted by .+: nobody reads it$/)
})
