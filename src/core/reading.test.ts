import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { defaultPromise, type ReadingOptions, readAnswer, withoutSignals } from './reading.ts'

const options: ReadingOptions = { promise: defaultPromise }
const coded: ReadingOptions = { promise: defaultPromise, code: 'k7f3' }
const read = (text: string, with_: ReadingOptions = options) => readAnswer(text, with_)
const kinds = (text: string, with_: ReadingOptions = options) => read(text, with_).signals.map((signal) => signal.kind)
const claims = (text: string, with_: ReadingOptions = options) => kinds(text, with_).includes('claimed-done')
const statusBlock = (...lines: string[]) => ['---RALPH_STATUS---', ...lines, '---END_RALPH_STATUS---'].join('\n')
const tag = (text: string) => `<promise>${text}</promise>`

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

test('P06 R-SIG-1: BLOCKED and DECIDE carry their text, over several lines too', () => {
  assert.deepEqual(read(`Tried all.\n${tag('BLOCKED:reason')}`), {
    status: 'blocked',
    exitSignal: false,
    confidence: 100,
    workType: '',
    tests: '',
    evidence: ['promise BLOCKED: <promise>BLOCKED:reason</promise>'],
    signals: [{ kind: 'blocked', reason: 'reason', evidence: 'promise BLOCKED: <promise>BLOCKED:reason</promise>' }],
  })
  assert.deepEqual(read(tag('DECIDE: Which one?\n- X is fast\n- Y is small\n')).signals, [
    {
      kind: 'question',
      text: 'Which one?\n- X is fast\n- Y is small',
      evidence: 'promise DECIDE: <promise>DECIDE: Which one? - X is fast - Y is small </promise>',
    },
  ])
  assert.deepEqual(kinds(`I cannot go on without a key: ${tag('BLOCKED:no key')}`), ['blocked'])
  assert.deepEqual(kinds(`The work is not finished. ${tag('BLOCKED:no key')}`), ['blocked'])
  assert.deepEqual(kinds(`I am not sending ${tag('BLOCKED:no key')}`), [])
})

test('P08 R-SIG-1: a promise with empty or blank text is no signal', () => {
  for (const text of ['BLOCKED:', 'BLOCKED:  \n ', 'BLOCKED', 'DECIDE:', 'DECIDE: …', '', ' '])
    assert.deepEqual(kinds(tag(text)), [], text)
})

test('R-SIG-1: COMPLETE alone on its line is a claim, in any case, with spaces, markup, colours or prose on other lines', () => {
  for (const text of [
    tag('COMPLETE'),
    '<Promise> complete </PROMISE>',
    `**${tag('COMPLETE')}**`,
    `\`${tag('COMPLETE')}\``,
    `All five stories pass. ${tag('COMPLETE')}  \r\n`,
    `No errors remain: ${tag('COMPLETE')}`,
    `${tag('COMPLETE')}\n\nA summary follows: five files.`,
    `Signal: ${tag('COMPLETE')}`,
    `✅ ${tag('COMPLETE')} 🎉`,
    `I will now send it: ${tag('COMPLETE')}`,
    `\x1b[1m${tag('COMPLETE')}\x1b[0m`,
    `\`\`\`\n${tag('COMPLETE')}\n\`\`\`\n\n`,
    '<promise code="x">COMPLETE</promise>',
    `A loose <promise> before it\n${tag('COMPLETE')}`,
  ]) {
    assert.deepEqual(
      read(text).signals.map((signal) => signal.kind === 'claimed-done' && [signal.by, signal.exitSignal]),
      [['promise', true]],
      text,
    )
  }
})

test('P02 P09 R-SIG-1: a promise that is denied, foreseen, asked for or quoted is none', () => {
  for (const text of [
    `I am not replying with ${tag('COMPLETE')} yet.`,
    `I am not replying with ${tag('COMPLETE')}`,
    `I won’t print ${tag('COMPLETE')}`,
    `When finished I will print ${tag('COMPLETE')}`,
    `When finished I will print: ${tag('COMPLETE')}`,
    `I will print \`${tag('COMPLETE')}\` when finished`,
    `Once the tests are green, ${tag('COMPLETE')}`,
    `I'll send ${tag('COMPLETE')}`,
    `The work is not finished. ${tag('COMPLETE')}`,
    `- Print ${tag('COMPLETE')}`,
    `The prompt tells me to reply with exactly ${tag('COMPLETE')}`,
    `US-001 is done, so not yet ${tag('COMPLETE')}.`,
    `All tasks complete. I am not replying with ${tag('COMPLETE')} yet.`,
    `It said "${tag('COMPLETE')}"`,
    `It said "${tag('COMPLETE')}`,
    `For example ${tag('COMPLETE')}`,
    `> ${tag('COMPLETE')}`,
    `| ${tag('COMPLETE')} |`,
    `<!-- ${tag('COMPLETE')} -->`,
    `${tag('COMPLETE')} is what I would send.`,
    `\`\`\`\n${tag('COMPLETE')}\n\`\`\`\nThat was the prompt.`,
    '<promise>\n```\nCOMPLETE</promise>\n```',
    '<promised>COMPLETE</promised>',
    'COMPLETE</promise>',
    '<promise>COMPLETE',
  ]) {
    assert.deepEqual(read(text).signals, [], text)
  }
})

test('R-SIG-1: the last of several counts, and between tag and block the later', () => {
  assert.deepEqual(kinds(`${tag('COMPLETE')}\n${tag('BLOCKED:no key')}`), ['blocked'])
  assert.deepEqual(kinds(`${tag('BLOCKED:no key')}\n${tag('COMPLETE')}`), ['claimed-done'])
  const going = statusBlock('STATUS: IN_PROGRESS', 'TESTS_STATUS: PASSING', 'EXIT_SIGNAL: false')
  assert.deepEqual(kinds(`${tag('COMPLETE')}\n${going}`), [])
  assert.deepEqual(kinds(`${going}\n${tag('COMPLETE')}`), ['claimed-done'])
  assert.equal(read(`${going}\n${tag('COMPLETE')}`).tests, 'passing')
  assert.deepEqual(kinds(statusBlock('STATUS: IN_PROGRESS', `RECOMMENDATION: ${tag('COMPLETE')}`)), [])
})

test('R-SIG-1: the completion string can be another tag, any words, or off', () => {
  const ship = { promise: '<promise>SHIP IT</promise>' }
  assert.equal(claims(tag('ship  it'), ship), true)
  assert.equal(claims(tag('COMPLETE'), ship), false)
  const words = { promise: 'ALL DONE ✅' }
  assert.equal(claims('Everything is in.\n**ALL DONE ✅**', words), true)
  assert.deepEqual(read('I will print ALL DONE ✅', words).signals, [])
  assert.deepEqual(read('ALL DONE ✅ is what comes next', words).signals, [])
  assert.equal(claims('WELL', { promise: 'ELL' }), false)
  assert.equal(claims(tag('COMPLETE'), { promise: '' }), false)
  assert.deepEqual(kinds(tag('BLOCKED:no key'), { promise: '' }), ['blocked'])
})

test('R-SIG-8: with a code, a promise or block counts only if it carries it', () => {
  assert.deepEqual(kinds('<promise code="k7f3">COMPLETE</promise>', coded), ['claimed-done'])
  assert.deepEqual(kinds("<promise code='k7f3'>BLOCKED:no key</promise>", coded), ['blocked'])
  assert.deepEqual(kinds('<promise code=k7f3>DECIDE:X or Y?</promise>', coded), ['question'])
  assert.deepEqual(kinds(statusBlock('STATUS: COMPLETE', 'EXIT_SIGNAL: true', 'CODE: k7f3'), coded), ['claimed-done'])
  assert.deepEqual(read(tag('COMPLETE'), coded), {
    status: 'unknown',
    exitSignal: false,
    confidence: 0,
    workType: '',
    tests: '',
    evidence: ['promise COMPLETE: <promise>COMPLETE</promise>'],
    signals: [{ kind: 'unsigned', evidence: 'promise COMPLETE: <promise>COMPLETE</promise>' }],
  })
  for (const text of [
    '<promise code="abcd">COMPLETE</promise>',
    tag('BLOCKED:x'),
    statusBlock('STATUS: COMPLETE', 'EXIT_SIGNAL: true', 'CODE: abcd'),
  ]) {
    assert.deepEqual(kinds(text, coded), ['unsigned'], text)
  }
  const signedThenEcho = `<promise code="k7f3">BLOCKED:no key</promise>\n${tag('COMPLETE')}`
  assert.deepEqual(kinds(signedThenEcho, coded), ['blocked'])
})

test('R-SIG-8: a completion string of one’s own has the code after it on its line', () => {
  for (const promise of ['ALL DONE ✅', '<promise>SHIP IT</promise>']) {
    assert.deepEqual(kinds(`${promise} k7f3`, { promise, code: 'k7f3' }), ['claimed-done'])
    assert.deepEqual(kinds(promise, { promise, code: 'k7f3' }), ['unsigned'])
    assert.deepEqual(kinds(`${promise}\nk7f3`, { promise, code: 'k7f3' }), ['unsigned'])
  }
})

test('R-SIG-8: keywords count with the code in the last line', () => {
  assert.deepEqual(kinds('All tasks complete.\n\nk7f3', coded), ['claimed-done'])
  assert.deepEqual(kinds('All tasks complete.', coded), ['unsigned'])
  assert.deepEqual(kinds('All tasks complete, k7f3.', coded), ['claimed-done'])
  assert.deepEqual(kinds('k7f3\nAll tasks complete.', coded), ['unsigned'])
  assert.deepEqual(read('Reading the files.', coded).signals, [])
})

test('A13: a block that says false never claims, however often it is sent', () => {
  for (let loop = 1; loop <= 5; loop++) {
    assert.deepEqual(kinds(`Loop ${loop}: done with this step.\n${statusBlock('STATUS: COMPLETE', 'EXIT_SIGNAL: false')}`), [])
  }
})

test('A14: an empty answer, a long one, unicode and binary are read without a crash and without a signal', () => {
  const empty = { status: 'unknown', exitSignal: false, confidence: 0, workType: '', tests: '', evidence: [], signals: [] }
  assert.deepEqual(read(''), empty)
  assert.deepEqual(read(' \r\n\t\n'), empty)
  for (const text of ['Reading on.\n'.repeat(10_000), '日本語 ✨ \u{1f600}\ud800', '\x00\x01\xff\x1b[\x1b]'.repeat(100)])
    assert.deepEqual(read(text).signals, [])
})

test('hostile input is read in passing, however long', () => {
  const size = 300_000
  for (const part of [
    '<promise>',
    '<promise>BLOCKED:',
    '</promise>',
    '<',
    ' ',
    '\n',
    '`',
    '```\n',
    '"',
    '*',
    '-',
    '_',
    '1',
    'a',
    '.',
    'done ',
    'npm   ',
    'not ',
    '? ',
    '\x1b',
    '\x1b]',
    '> ',
    '---RALPH_STATUS---\n',
    'RALPH_STATUS:\n STATUS:',
    tag('COMPLETE'),
    '< /',
    'a,',
    'test ',
  ]) {
    const text = part.repeat(Math.ceil(size / part.length))
    assert.equal(read(`${text}\n${tag('BLOCKED:seen')}`).exitSignal, false, part)
    assert.equal(typeof withoutSignals(text, defaultPromise), 'string', part)
  }
})

test('T02 T03: what a tool printed or the prompt echoed is no signal once its quotation is broken up', () => {
  const prompt = `When all is done, send ${tag('COMPLETE')} or\n${tag('COMPLETE')}\n${statusBlock('STATUS: COMPLETE', 'EXIT_SIGNAL: true')}`
  assert.deepEqual(kinds(`${withoutSignals(prompt, defaultPromise)}\nReading the files.`), [])
  assert.deepEqual(kinds(`${prompt}\nReading the files.`, coded), ['unsigned'])
})

test('T09: a signal inside the text of a JSON result is read', () => {
  const line = JSON.stringify({ type: 'result', result: `All stories pass.\n\n${tag('COMPLETE')}` })
  assert.deepEqual(kinds((JSON.parse(line) as { result: string }).result), ['claimed-done'])
})

test('A22 T08 R-SIG-7: a question to the user at the end is told as asked, which is no DECIDE', () => {
  assert.deepEqual(read('I looked at both.\n\nShould I use X or Y?'), {
    status: 'question',
    exitSignal: false,
    confidence: 0,
    workType: '',
    tests: '',
    evidence: ['question at the end: Should I use X or Y?'],
    signals: [{ kind: 'asked', text: 'Should I use X or Y?', evidence: 'question at the end: Should I use X or Y?' }],
  })
  for (const text of [
    'Nothing written so far, awaiting your input.',
    'Both work. **Which one do you prefer?**',
    'Which one?\n\n1. X\n2. Y',
    'Should I apply this?\n```diff\n+ a\n```',
    'Please confirm the plan.',
  ]) {
    assert.equal(read(text).status, 'question', text)
    assert.deepEqual(
      read(text).signals.map((signal) => signal.kind),
      ['asked'],
      text,
    )
  }
})

test('A23: words of asking inside a statement, a courtesy and an answered question are no question', () => {
  for (const text of [
    'This module decides what should happen when the token expires',
    'What should happen when it expires? It now renews itself.',
    'Is there anything else I can do for you?',
    'Let me know if you want more detail.',
  ]) {
    assert.notEqual(read(text).status, 'question', text)
  }
})

test('R-SIG-4: nothing but plain prose has no confidence', () => {
  const { status, confidence, signals } = read('Looking at the parser.')
  assert.deepEqual({ status, confidence, signals }, { status: 'in-progress', confidence: 0, signals: [] })
})

const pieces = fc.constantFrom(
  '<promise>',
  '</promise>',
  '<promise code="k7f3">',
  '< / promise >',
  '<PROMISE ',
  '>',
  'COMPLETE',
  'BLOCKED:',
  'DECIDE: why',
  '\n',
  '\r\n',
  ' ',
  '```',
  '~~~',
  '> ',
  '---',
  'RALPH_STATUS',
  'ralph\\_status',
  'END_RALPH_STATUS',
  ':',
  'STATUS: COMPLETE',
  '  EXIT_SIGNAL: true',
  'CODE: k7f3',
  '\x1b[0m',
  '\x1b',
  '\x1b\x1b[0m[0m',
  'ALL',
  'A',
  ' DONE',
  '✅',
  'not ',
  'k7f3',
  '·',
  '?',
)
const anyText = fc.array(fc.nat(0xffff), { maxLength: 60 }).map((units) => String.fromCharCode(...units))
const hostile = fc
  .array(fc.oneof({ weight: 6, arbitrary: pieces }, { weight: 1, arbitrary: anyText }), { maxLength: 40 })
  .map((all) => all.join(''))
const promise = fc.constantFrom(
  defaultPromise,
  '',
  'ALL DONE ✅',
  'AA',
  'A',
  '✅',
  '·',
  'A·A',
  '<promise>SHIP IT</promise>',
  '‹promise›COMPLETE',
  'RALPH·STATUS',
)
const code = fc.constantFrom(undefined, 'k7f3')

test('property: never throws', () => {
  fc.assert(fc.property(hostile, promise, code, (text, promise, code) => void readAnswer(text, { promise, code })))
  fc.assert(fc.property(anyText, promise, code, (text, promise, code) => void readAnswer(text, { promise, code })))
})

test('property: in a fenced block with prose after it nothing claims', () => {
  const inside = hostile.map((text) => text.replace(/[`~]/g, ''))
  fc.assert(
    fc.property(inside, promise, code, (text, promise, code) => {
      const { signals } = readAnswer(`Here it is:\n\`\`\`\n${text}\n\`\`\`\nThe file above goes on.`, {
        promise: promise === 'A' ? '' : promise,
        code,
      })
      assert.deepEqual(signals, [])
    }),
  )
})

test('R-PROMPT-5 property: a text without signals gives none, whatever it was', () => {
  fc.assert(
    fc.property(hostile, promise, code, (text, promise, code) => {
      const { signals } = readAnswer(withoutSignals(text, promise), { promise, code })
      assert.deepEqual(
        signals.filter((signal) => signal.kind !== 'asked' && !('evidence' in signal && signal.evidence.startsWith('keyword '))),
        [],
      )
    }),
    { numRuns: 1000 },
  )
})
