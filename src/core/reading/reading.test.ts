import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claims, coded, kinds, read, statusBlock, tag } from '../../../test/support/answers.ts'
import { defaultPromise, withoutSignals } from './reading.ts'

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

test('R-SIG-1: a promise that is denied or foreseen in another language, still to be ticked off or struck out is none', () => {
  for (const text of [
    `Noch nicht fertig, daher kein ${tag('COMPLETE')}`,
    `Sobald alles fertig ist, sende ich ${tag('COMPLETE')}`,
    `Je ne peux pas encore envoyer ${tag('COMPLETE')}`,
    `Quand tout sera terminé, j’enverrai ${tag('COMPLETE')}`,
    `Todavía no puedo enviar ${tag('COMPLETE')}`,
    `Cuando termine, enviaré ${tag('COMPLETE')}`,
    `Quando avrò finito invierò ${tag('COMPLETE')}`,
    `Ainda não posso enviar ${tag('COMPLETE')}`,
    `Пока не отправляю ${tag('COMPLETE')}`,
    `任务尚未完成，所以我不会发送 ${tag('COMPLETE')}`,
    `まだ完了していないので送信しません: ${tag('COMPLETE')}`,
    `Withholding ${tag('COMPLETE')}`,
    `- [ ] Send ${tag('COMPLETE')}`,
    `1. [ ] ${tag('COMPLETE')}`,
    `~~${tag('COMPLETE')}~~`,
  ]) {
    assert.deepEqual(read(text).signals, [], text)
  }
  for (const text of [
    `Alles erledigt, keine Fehler: ${tag('COMPLETE')}`,
    `Tout est terminé, pas d’erreur. ${tag('COMPLETE')}`,
    `Todo está listo: ${tag('COMPLETE')}`,
    `Все готово. ${tag('COMPLETE')}`,
    `全部完成，没有问题。${tag('COMPLETE')}`,
    `問題ありません。${tag('COMPLETE')}`,
    `- [x] ${tag('COMPLETE')}`,
  ]) {
    assert.equal(claims(text), true, text)
  }
  assert.deepEqual(kinds(`Ich kann nicht weiter: ${tag('BLOCKED:kein Passwort')}`), ['blocked'])
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
  assert.deepEqual(kinds(`${withoutSignals(prompt, defaultPromise)}\nReading the files.`), ['unclear'])
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
