import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claims, coded, kinds, read, statusBlock, tag } from '../../../test/support/answers.ts'
import { defaultPromise, withoutSignals } from './reading.ts'

const none = (text: string) => assert.equal(claims(text), false, text)

test('R-SIG-1: a COMPLETE that is denied on its line is no claim in any language, for words that we do not know count against it', () => {
  for (const text of [
    'Ik ben nog niet klaar, dus ik stuur nog geen',
    'Henüz bitmedi, bu yüzden göndermiyorum:',
    'Jag är inte klar, så jag skickar inte',
    'لم أنتهِ بعد، لذلك لن أرسل',
    'काम अभी पूरा नहीं हुआ है, इसलिए मैं नहीं भेज रहा:',
    'Tôi chưa hoàn thành nên chưa gửi',
    'Ještě nejsem hotov, proto neposílám',
    'Jeszcze nie skończyłem, więc nie wysyłam',
    'En ole vielä valmis, joten en lähetä',
    'Jeg er ikke ferdig, så ingen',
    'Még nem vagyok kész, ezért nincs',
    'Δεν έχω τελειώσει ακόμα:',
    'Saya belum selesai, jadi saya tidak mengirim',
    'עוד לא סיימתי, אז אני לא שולח',
    'ยังไม่เสร็จ จึงไม่ส่ง',
    'Ще не готово, тому не надсилаю',
    'Hali tayyor emas:',
    '아직 끝나지 않아서 보내지 않습니다:',
    // And in English, in words that no list has.
    'It is premature to send',
    'I refrain from sending',
    'Still working on it:',
    'Too early for',
    'Half of the stories are left.',
    'Tests fail, so I hold off on',
    'Only 3 stories pass.',
    '3 of 5 stories pass:',
    '80 % done:',
    'No stories pass.',
    'Everything is broken.',
  ]) {
    none(`${text} ${tag('COMPLETE')}`)
    none(`${text.replace(/[.:]$/, '')}:\n${tag('COMPLETE')}`)
  }
})

test('R-SIG-1: words before a COMPLETE that surely do not deny it leave it a claim', () => {
  for (const text of [
    'All 5 of 5 stories are done and verified.',
    'US-001 and US-002 pass, no open stories remain:',
    'Since all acceptance criteria are met, I’m signalling completion:',
    'Final status:',
    '**Status:**',
    'Nothing is left to do.',
    '1.',
  ]) {
    assert.equal(claims(`${text} ${tag('COMPLETE')}`), true, text)
    assert.equal(claims(`${text}\n\n${tag('COMPLETE')}`), true, text)
  }
})

test('R-SIG-1: a COMPLETE that the line above denies or holds back is no claim, and is answered', () => {
  for (const text of [
    'I am not finished, so I will not print:',
    'I will not send this yet:',
    "I can't claim this:",
    'The work is not finished.',
    'Not all stories pass.',
    'The migration is incomplete.',
    'When everything is done, I will print:',
    'Ik ben nog niet klaar, dus dit stuur ik niet:',
    'Henüz bitmedi, göndermiyorum:',
  ]) {
    assert.deepEqual(kinds(`${text}\n${tag('COMPLETE')}`), ['unclear'], text)
    assert.deepEqual(kinds(`${text}\n\n\`\`\`\n${tag('COMPLETE')}\n\`\`\`\n`), ['unclear'], text)
  }
  assert.deepEqual(kinds(`Ik ben nog niet klaar.\n${tag('COMPLETE')}`), ['unclear'])
  assert.deepEqual(kinds(`I will not send:\n${tag('BLOCKED:no key')}`), ['unclear'])
  for (const text of [
    'I did not write new tests.',
    'I did not touch the API.',
    'Implemented the login form',
    '- no tests were needed',
    'Er is niets kapot.',
  ])
    assert.equal(claims(`${text}\n\n${tag('COMPLETE')}`), true, text)
  assert.deepEqual(kinds(`I cannot go on without a key:\n${tag('BLOCKED:no key')}`), ['blocked'])
})

test('R-SIG-1: a tag amid words that leave it open is no signal, and is answered in the next prompt', () => {
  assert.deepEqual(kinds(`Het werk is af. ${tag('COMPLETE')}`), ['unclear'])
  assert.deepEqual(kinds(`${tag('COMPLETE')} All stories pass.`), ['unclear'])
  assert.deepEqual(kinds(`${tag('BLOCKED:no key')} and so I stop`), ['unclear'])
  assert.equal(read(`Het werk is af. ${tag('COMPLETE')}`).exitSignal, false)
})

test('a signal copied in the form in which a prompt shows it is none, and is answered in the next prompt', () => {
  const shown = (text: string, promise = defaultPromise) => withoutSignals(text, promise)
  for (const text of [
    tag('COMPLETE'),
    tag('BLOCKED:no key'),
    tag('DECIDE:X or\nY?'),
    '<promise code="k7f3">COMPLETE</promise>',
  ]) {
    assert.deepEqual(kinds(`All done.\n\n${shown(text)}`), ['unclear'], text)
    assert.deepEqual(kinds(`All done.\n\n**${shown(text)}**\n`, coded), ['unclear'], text)
  }
  assert.deepEqual(kinds(shown(statusBlock('STATUS: COMPLETE', 'EXIT_SIGNAL: true'))), ['unclear'])
  assert.deepEqual(kinds('&lt;promise&gt;COMPLETE&lt;/promise&gt;'), ['unclear'])
  assert.deepEqual(kinds('[promise]COMPLETE[/promise]'), ['unclear'])
  const own = { promise: 'ALL DONE ✅' }
  assert.deepEqual(kinds(shown('ALL DONE ✅', 'ALL DONE ✅'), own), ['unclear'])
  assert.deepEqual(kinds('A L L   D O N E   ✅', own), ['unclear'])
  assert.deepEqual(kinds('> ‹promise›COMPLETE‹/promise›'), [])
  assert.deepEqual(kinds('The prompt shows ‹promise›COMPLETE‹/promise› to me.'), [])
  const prompt = `Do it, then send\n${shown(tag('COMPLETE'))}\nand stop.`
  assert.deepEqual(kinds(prompt, { promise: defaultPromise, prompt }), [])
  assert.deepEqual(kinds(`All is there.\n${shown(tag('COMPLETE'))}`, { promise: defaultPromise, prompt }), ['unclear'])
  // A real one beside it counts.
  assert.deepEqual(kinds(`‹promise›COMPLETE‹/promise›\n${tag('COMPLETE')}`), ['claimed-done'])
})
