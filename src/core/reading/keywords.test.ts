import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Keywords } from './keywords.ts'
import { defaultPromise, readAnswer } from './reading.ts'

const read = (text: string, keywords: Keywords = {}) => readAnswer(text, { promise: defaultPromise, keywords })
const statusOf = (text: string) => read(text).status

test('R-SIG-3: completion words are a claim by keywords without exit signal', () => {
  assert.deepEqual(read('I implemented the login. All tasks complete.'), {
    status: 'complete',
    exitSignal: false,
    confidence: 20,
    workType: 'implementation',
    tests: '',
    evidence: ['keyword all tasks complete (complete): I implemented the login. All tasks complete.'],
    signals: [
      {
        kind: 'claimed-done',
        by: 'keywords',
        exitSignal: false,
        evidence: 'keyword all tasks complete (complete): I implemented the login. All tasks complete.',
      },
    ],
  })
  for (const text of [
    'Done!',
    'The login is finished.',
    'Implementation complete',
    'I completed the story.',
    'The parser is 100% complete.',
    'All 5 of 5 stories are done.',
    'I did not touch the API, and the login is done.',
    'There were no surprises. Everything is done.',
    'The wrapped line says that it is all\ndone.',
    '- The project ready for release',
    'Changes to the parser are done.',
    'No stories remain. Done.',
  ]) {
    assert.equal(statusOf(text), 'complete', text)
  }
})

test('A10 A11 R-SIG-3: denied, foreseen, partial, conditional and quoted words are no completion', () => {
  for (const text of [
    'not done yet, I will continue',
    'Dependencies are up to date. Writing the feature now.',
    'This isn’t finished.',
    "I haven't completed the login.",
    'Almost done.',
    'The rest will be done in the next step.',
    'Two things remain to be done.',
    'I keep going until the whole plan is complete.',
    'It is not\ndone.',
    '3 of 5 stories are done.',
    'The parser is 80% complete.',
    'It is complete except for the tests.',
    'Is it done?',
    'I need to complete the form first.',
    'Complete the form first.',
    'Here is what I have done:',
    'The story is incomplete.',
    'The `done` flag is read from "complete".',
    'The flag is in done.txt and src/done.',
    'Story 1 is done, continuing with story 2.',
    'Story 1 is complete. Remaining: stories 2 and 3.',
    '> All tasks complete',
    '```\nAll tasks complete\n```',
    'STATUS: COMPLETE',
  ]) {
    const claims = read(text).signals.filter((signal) => signal.kind === 'claimed-done')
    assert.deepEqual([statusOf(text) === 'complete', claims], [false, []], text)
  }
})

test('R-SIG-3: what was not done, half done or went wrong is never labelled complete', () => {
  for (const text of [
    'I have done nothing.',
    'Complete failure: nothing works.',
    'Completed: 3/7',
    'No changes made: permission denied.',
    'Done 3 of 7 tasks.',
    'Tasks completed: 0',
    'Completed: none',
    'Progress: 40% complete, the rest follows.',
    'Complete disaster.',
    'A complete rewrite is needed.',
    'Only the login is done.',
    'Some of it is done.',
    'Part of the work is finished.',
    'Most stories are done.',
    'Finished with errors.',
    'Done, but the tests fail.',
    'Done. The build is red.',
    'I am done trying: it does not compile.',
    'I finished reading the files.',
    'Done with step 1 of the plan.',
    'I gave up. Done.',
    'I could not open the file. Done.',
    'Done for now.',
    'Everything is done except the tests.',
    'No changes: the disk is full and writing failed.',
    'The previous agent claimed that it is done.',
    'It seems done.',
    'I hope it is complete.',
    'Finished? No.',
    'Completed with 3 failures.',
    'complete: no',
    '2 tests failing. Finished.',
  ]) {
    assert.notEqual(statusOf(text), 'complete', text)
    assert.deepEqual(
      read(text).signals.filter((signal) => signal.kind === 'claimed-done'),
      [],
      text,
    )
  }
})

test('R-PROMPT-5: lines of the prompt that an agent says back are no words of its own', () => {
  const prompt = '## How to signal\n\n- Everything is done: the word "COMPLETE".\nAll tasks complete.\nWhich one do you prefer?\n'
  const echo = (text: string) => readAnswer(text, { promise: defaultPromise, prompt })
  assert.deepEqual(echo(prompt).signals, [])
  assert.deepEqual(echo('> **All tasks complete.**\n  All tasks  complete.').signals, [])
  assert.equal(echo(prompt).status, 'in-progress')
  assert.equal(echo(`${prompt}\nThe login is finished.`).status, 'complete')
})

test('R-SIG-3: where trouble came is no condition for it', () => {
  for (const text of [
    'permission denied when writing',
    'When I run the build, it failed.',
    'Before the tests could start, the server failed.',
  ])
    assert.equal(statusOf(text), 'stuck', text)
  for (const text of ['I show a message if the login failed.', 'Did it fail with an error?', 'It never failed.'])
    assert.notEqual(statusOf(text), 'stuck', text)
})

test('R-SIG-3: only testing comes before everything, unless something was changed too', () => {
  const evidence = 'keyword npm test (testing): Ran `npm test`, all tests pass. Done.'
  const { status, workType, tests, signals } = read('Ran `npm test`, all tests pass. Done.')
  assert.deepEqual(
    { status, workType, tests, signals },
    { status: 'testing', workType: 'testing', tests: 'passing', signals: [{ kind: 'testing-only', evidence }] },
  )
  assert.equal(statusOf('I fixed the parser and ran `npm test`. Done.'), 'complete')
  assert.equal(statusOf('Running tests with pytest now.'), 'testing')
  assert.equal(statusOf('Nothing was added. I ran bats again.'), 'testing')
  assert.equal(statusOf('I did not run pytest.'), 'in-progress')
  assert.equal(statusOf('See pytest.ini and jest.config.js.'), 'in-progress')
})

test('R-SIG-3: no work to do is a completion', () => {
  for (const text of [
    'There is nothing to do.',
    'No changes needed.',
    'It was already implemented.',
    'No further action is required.',
  ]) {
    assert.equal(statusOf(text), 'complete', text)
    assert.deepEqual(
      read(text).signals.map((signal) => signal.kind),
      ['claimed-done'],
      text,
    )
  }
})

test('R-SIG-3: words of failure label the answer as stuck, and are no signal', () => {
  for (const text of [
    'The build failed.',
    'Permission denied on the socket.',
    'I am unable to open the file.',
    'I cannot find the module.',
  ]) {
    assert.equal(statusOf(text), 'stuck', text)
    assert.deepEqual(read(text).signals, [], text)
  }
  for (const text of [
    'The linter shows 0 errors.',
    'There were no errors.',
    'Now on to error handling.',
    'Looking at error_handler.ts.',
  ]) {
    assert.equal(statusOf(text), 'in-progress', text)
  }
})

test('R-SIG-3 R-SIG-4: lists of one’s own extend the built-in ones or add weight, to 60 at most', () => {
  const keywords: Keywords = {
    complete: ['c’est fini'],
    no_work: { words: ['rien à faire'], weight: 30 },
    deploy: { words: ['release candidate', 'deployed'], weight: 25 },
  }
  assert.equal(read('C’est fini !', keywords).status, 'complete')
  assert.equal(read('Rien à faire.', keywords).confidence, 30)
  const deployed = read('The release candidate is deployed.', keywords)
  assert.deepEqual([deployed.status, deployed.confidence, deployed.signals], ['in-progress', 25, []])
  assert.equal(read('Rien à faire, no changes, deployed.', keywords).confidence, 60)
  assert.equal(read('Done, complete, finished. All tasks complete. Implementation complete.').confidence, 60)
  assert.equal(read('A (b', { odd: ['(b', '', '*'] }).confidence, 10)
})
