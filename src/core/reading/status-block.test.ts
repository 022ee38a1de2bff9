import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kinds, read, statusBlock, tag } from '../../../test/support/answers.ts'
import { summaryOf } from './reading.ts'

test('A01 R-SIG-2: a block with COMPLETE and EXIT_SIGNAL true is a claim with exit signal and full confidence', () => {
  const text = `Work is over.\n\n${statusBlock('STATUS: COMPLETE', 'TESTS_STATUS: PASSING', 'WORK_TYPE: IMPLEMENTATION', 'EXIT_SIGNAL: true')}\n`
  const evidence = 'status block: STATUS: COMPLETE TESTS_STATUS: PASSING WORK_TYPE: IMPLEMENTATION EXIT_SIGNAL: true'
  assert.deepEqual(read(text), {
    status: 'complete',
    exitSignal: true,
    confidence: 100,
    workType: 'implementation',
    tests: 'passing',
    evidence: [evidence],
    signals: [{ kind: 'claimed-done', by: 'status-block', exitSignal: true, evidence }],
  })
})

test('A02 R-SIG-2: COMPLETE with an explicit EXIT_SIGNAL false is no completion answer, whatever words stand beside it', () => {
  const text = `All tasks complete. Done!\n${statusBlock('STATUS: COMPLETE', 'EXIT_SIGNAL: false')}`
  const { status, exitSignal, confidence, signals } = read(text)
  assert.deepEqual(
    { status, exitSignal, confidence, signals },
    { status: 'in-progress', exitSignal: false, confidence: 20, signals: [] },
  )
})

test('A04 R-SIG-2: COMPLETE without EXIT_SIGNAL is a completion answer without exit signal, with or without TESTS_STATUS', () => {
  for (const lines of [['STATUS: COMPLETE'], ['STATUS: COMPLETE', 'TESTS_STATUS: PASSING']]) {
    const evidence = `status block: ${lines.join(' ')}`
    assert.deepEqual(read(statusBlock(...lines)).signals, [
      { kind: 'claimed-done', by: 'status-block', exitSignal: false, evidence },
    ])
    assert.equal(read(statusBlock(...lines)).exitSignal, false)
  }
})

test('A05 R-SIG-2: a block outside of a fence counts before one inside, wherever they stand', () => {
  const fenced = `\`\`\`\n${statusBlock('STATUS: COMPLETE', 'EXIT_SIGNAL: true')}\n\`\`\``
  const real = statusBlock('STATUS: IN_PROGRESS', 'EXIT_SIGNAL: false')
  for (const text of [`For example:\n${fenced}\n${real}`, `${real}\nAs in the example:\n${fenced}`]) {
    assert.equal(read(text).exitSignal, false)
    assert.deepEqual(read(text).signals, [])
  }
  assert.deepEqual(kinds(fenced), ['claimed-done'])
})

test('a fenced block with prose after it cannot claim, but its EXIT_SIGNAL false holds against keywords', () => {
  const fenced = (exit: string) =>
    `\`\`\`\n${statusBlock('STATUS: COMPLETE', `EXIT_SIGNAL: ${exit}`)}\n\`\`\`\nThat is where it stands.`
  assert.deepEqual(kinds(fenced('true')), [])
  assert.deepEqual(kinds(`${fenced('false')} All tasks complete.`), [])
  assert.deepEqual(kinds(`${fenced('true')} All tasks complete.`), ['claimed-done'])
})

test('A07 R-SIG-2: the colon form with indented keys is a block, also with leading spaces and bullets', () => {
  for (const text of [
    'RALPH_STATUS:\n  STATUS: COMPLETE\n  EXIT_SIGNAL: true',
    '   RALPH_STATUS:\n     STATUS: COMPLETE\n     EXIT_SIGNAL: true\n',
    '  RALPH_STATUS:\n  EXIT_SIGNAL: true',
    '**RALPH_STATUS:**\n- **STATUS**: COMPLETE\n- **EXIT_SIGNAL**: true',
    'RALPH_STATUS:\r\n\tSTATUS: COMPLETE\r\n\tEXIT_SIGNAL: true\r\n\r\nBye.',
  ]) {
    assert.equal(read(text).exitSignal, true, text)
    assert.deepEqual(kinds(text), ['claimed-done'], text)
  }
})

test('A08 R-SIG-2: prose that mentions the block is none', () => {
  for (const text of [
    'I will send RALPH_STATUS: with EXIT_SIGNAL: true later.',
    'RALPH_STATUS: a block where EXIT_SIGNAL: true ends the run.',
    'The block is called\nRALPH_STATUS:\nEXIT_SIGNAL: true would end it.',
    'It starts with\n---RALPH_STATUS---\nand has a line that reads EXIT_SIGNAL: true.',
  ]) {
    assert.equal(read(text).exitSignal, false, text)
    assert.deepEqual(kinds(text), [], text)
  }
})

test('R-SIG-2: any case, odd spacing, CRLF, markdown, missing end and unknown keys are tolerated', () => {
  for (const text of [
    '--- ralph_status ---\r\n  status :  Complete\r\nexit signal = TRUE\r\n--- end_ralph_status ---',
    '**---RALPH_STATUS---**\n**STATUS**: COMPLETE ✅\n- `EXIT_SIGNAL`: **true**\n**---END_RALPH_STATUS---**',
    '---RALPH_STATUS---\nSTATUS: COMPLETE\nMOOD: good\nEXIT\\_SIGNAL: true (all 5 stories)\n---END_RALPH_STATUS---',
    'Text before.\n---RALPH_STATUS---\nSTATUS: "COMPLETE"\nEXIT_SIGNAL: "true",',
    '\x1b[32m---RALPH_STATUS---\x1b[0m\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---',
  ]) {
    const { status, exitSignal, confidence } = read(text)
    assert.deepEqual({ status, exitSignal, confidence }, { status: 'complete', exitSignal: true, confidence: 100 }, text)
  }
})

test('R-SIG-2: the template sent back is no block, and a placeholder is no value', () => {
  const template = statusBlock(
    'STATUS: COMPLETE | IN_PROGRESS | BLOCKED',
    'TASKS_COMPLETED_THIS_LOOP: <number>',
    'WORK_TYPE: IMPLEMENTATION | TESTING',
    'EXIT_SIGNAL: true | false',
    'RECOMMENDATION: <summary>',
  )
  assert.deepEqual(kinds(template), [])
  assert.deepEqual(kinds(`${statusBlock('STATUS: COMPLETE', 'EXIT_SIGNAL: true')}\n${template}`), ['claimed-done'])
  assert.deepEqual(kinds(statusBlock('STATUS: COMPLETE', 'EXIT_SIGNAL: true/false')), ['claimed-done'])
  assert.equal(read(statusBlock('STATUS: COMPLETE', 'EXIT_SIGNAL: true/false')).exitSignal, false)
})

test('R-SIG-2: the last block counts', () => {
  const done = statusBlock('STATUS: COMPLETE', 'EXIT_SIGNAL: true')
  const going = statusBlock('STATUS: IN_PROGRESS', 'EXIT_SIGNAL: false')
  assert.equal(read(`${done}\n${going}`).exitSignal, false)
  assert.equal(read(`${going}\n${done}`).exitSignal, true)
})

test('R-SIG-2: BLOCKED has the recommendation as reason, or says that none was given', () => {
  const reasonOf = (text: string) => read(text).signals.map((signal) => (signal.kind === 'blocked' ? signal.reason : signal.kind))
  assert.deepEqual(reasonOf(statusBlock('STATUS: BLOCKED', 'RECOMMENDATION: get an API key', 'from the admin')), [
    'get an API key\nfrom the admin',
  ])
  assert.deepEqual(reasonOf(statusBlock('STATUS: BLOCKED', 'RECOMMENDATION: <summary>')), ['no reason given'])
  assert.deepEqual(reasonOf(statusBlock('STATUS: BLOCKED')), ['no reason given'])
})

test('R-SIG-2: WORK_TYPE TESTING is testing-only', () => {
  const { status, workType, tests, confidence, signals } = read(
    statusBlock('STATUS: IN_PROGRESS', 'WORK_TYPE: TESTING', 'TESTS_STATUS: FAILING (2 of 9)'),
  )
  const evidence = 'status block: STATUS: IN_PROGRESS WORK_TYPE: TESTING TESTS_STATUS: FAILING (2 of 9)'
  assert.deepEqual(
    { status, workType, tests, confidence, signals },
    { status: 'testing', workType: 'testing', tests: 'failing', confidence: 20, signals: [{ kind: 'testing-only', evidence }] },
  )
})

test('an exit signal beside IN_PROGRESS is shown, and is no claim; alone it is one', () => {
  assert.deepEqual(kinds(statusBlock('STATUS: IN_PROGRESS', 'EXIT_SIGNAL: true')), [])
  assert.deepEqual(kinds(statusBlock('EXIT_SIGNAL: true')), ['claimed-done'])
})

test('R-SIG-2: tasks and files that a block reports are in the reading, where they are numbers', () => {
  const reported = (...lines: string[]) => read(statusBlock('STATUS: IN_PROGRESS', ...lines)).reported
  assert.deepEqual(reported('TASKS_COMPLETED_THIS_LOOP: 2', 'FILES_MODIFIED: 3 (a.ts, b.ts, c.ts)'), { tasks: 2, files: 3 })
  assert.deepEqual(reported('TASKS_COMPLETED_THIS_LOOP: 2/5', 'FILES_MODIFIED: a.ts'), undefined)
  assert.deepEqual(read(`${statusBlock('FILES_MODIFIED: 1')}\n${tag('COMPLETE')}`).reported, { files: 1 })
})

test('a summary is what the block recommends, or the words around block and promise, and never a marker', () => {
  const block = statusBlock('STATUS: IN_PROGRESS', 'EXIT_SIGNAL: false')
  assert.equal(
    summaryOf(`Did the login.\n\n${statusBlock('STATUS: COMPLETE', 'RECOMMENDATION: review the login')}`),
    'review the login',
  )
  assert.equal(summaryOf(`${block}\nDid the login.`), 'Did the login.')
  assert.equal(summaryOf(`Did the login.\n\n${block}\n${tag('COMPLETE')}`), 'Did the login.')
  assert.equal(summaryOf(`  ${block}`), 'STATUS: IN_PROGRESS EXIT_SIGNAL: false')
  assert.equal(summaryOf(tag('BLOCKED:no key')), tag('BLOCKED:no key'))
  assert.equal(summaryOf('Did the login.\n\n‹promise›COMPLETE‹/promise›'), 'Did the login.') // copied as a prompt quotes it
  assert.equal(summaryOf(''), '')
})
