/** What an output may use, and how lines look there. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outcomeWords } from '../../core/decide/outcome.ts'
import { outcomes } from '../../core/exit-codes.ts'
import { dressed, dressText } from './dress.ts'
import { inAscii } from './glyphs.ts'
import { lookOf, plainLook } from './look.ts'
import { cutTo, widthOf, wrapped } from './wrap.ts'

const utf8 = { LANG: 'en_US.UTF-8', TERM: 'xterm' }
const terminal = (env: Record<string, string> = {}, columns = 80) =>
  lookOf({ env: { ...utf8, ...env }, isTerminal: true, columns })

test('a terminal has colours, glyphs, a width and a cursor; a pipe has words alone', () => {
  assert.deepEqual(terminal(), { hasColour: true, hasGlyphs: true, columns: 80, hasCursor: true })
  assert.deepEqual(lookOf({ env: utf8, isTerminal: false, columns: 80 }), plainLook)
})

test('NO_COLOR and a dumb terminal turn colours off, FORCE_COLOR says it for every output', () => {
  const colour = (env: Record<string, string>, isTerminal = true) => lookOf({ env: { ...utf8, ...env }, isTerminal }).hasColour
  assert.deepEqual(
    [colour({}), colour({ NO_COLOR: '1' }), colour({ NO_COLOR: '' }), colour({ TERM: 'dumb' })],
    [true, false, true, false],
  )
  assert.deepEqual(
    [colour({ FORCE_COLOR: '1' }, false), colour({ FORCE_COLOR: '0' }), colour({ FORCE_COLOR: '' }, false)],
    [true, false, false],
  )
  assert.equal(terminal({ TERM: 'dumb' }).hasCursor, false)
})

test('the locale says whether glyphs are shown: LC_ALL before LC_CTYPE before LANG', () => {
  const glyphs = (env: Record<string, string>) => lookOf({ env, isTerminal: true }).hasGlyphs
  assert.deepEqual([glyphs({}), glyphs({ LANG: 'C' }), glyphs({ LANG: 'de_DE.utf8' })], [true, false, true])
  assert.deepEqual([glyphs({ LC_ALL: 'POSIX', LANG: 'C.UTF-8' }), glyphs({ LC_CTYPE: 'C.UTF-8', LANG: 'C' })], [false, true])
  const shown = dressed({ tone: 'good', text: '  ✓ gate tests … passed → next' }, terminal({ LC_ALL: 'C', NO_COLOR: '1' }))
  assert.equal(shown, '  + gate tests ... passed -> next')
  assert.equal(inAscii('? S-1  A long ti…    0.2s · $0.01'), '? S-1  A long ti...  0.2s - $0.01')
  assert.equal(inAscii('one…  two → 3'), 'one...  two -> 3')
})

test('the head of a table is dim', () => {
  assert.match(dressText('FEATURE  STATE      LAST RUN\n', terminal()), /^\x1b\[2m/)
  assert.doesNotMatch(dressText('DONE\n', terminal()), /\x1b\[2m/)
})

test('rows of a table have the colour of how a feature or a run ended, in the words that the table uses', () => {
  const colour = (text: string): string => dressText(text, terminal()).replace(text, ' ')
  for (const outcome of outcomes)
    for (const word of [`ended: ${outcomeWords(outcome)}`, outcomeWords(outcome)])
      assert.match(colour(`login     ${word}        2/2  17:14`), /^\x1b\[3[123]m /, word)
  assert.equal(colour('login     ended: gate cannot run   0/2  17:14'), '\u001b[31m \u001b[0m')
  assert.equal(colour('login     killed                   0/2  17:14'), '\u001b[31m \u001b[0m')
  assert.equal(colour('login     ended: complete        2/2  17:14'), '\u001b[32m \u001b[0m')
  assert.equal(colour('checkout  ended: stories failed  0/2  17:14'), '\u001b[31m \u001b[0m')
  assert.equal(colour('20261118  17:14  51s  interrupted  0  $0.00'), '\u001b[33m \u001b[0m')
  assert.equal(colour('shop      never run              0/2  never'), ' ')
})

test('findings of lint have the colour of their severity', () => {
  const shown = (text: string): string => dressText(`${text}\n`, terminal())
  const bad = shown('prd.json:5:20: error: story S-1: missing "title"')
  assert.match(bad, /^\x1b\[31m/)
  assert.match(shown('prd.json:3:3: warning: the plan: unknown "branchNam"'), /^\x1b\[33m/)
  assert.match(shown('prd.json:3:3: note: unknown field "labels"'), /^\x1b\[2m/)
  assert.doesNotMatch(shown('an error: of another kind'), /\x1b\[3[13]m/)
})

test('lines break between words and continue below the words, after a mark or a label', () => {
  const because = 'Because:     every story passes, and so does every gate of this project, and nothing is left to do'
  for (const width of [60, 80, 120]) {
    const rows = wrapped(because, width)
    assert.ok(rows.every((row) => widthOf(row) <= width))
    assert.equal(rows.map((row) => row.trim()).join(' '), because)
  }
  assert.deepEqual(wrapped(because, 60), [
    'Because:     every story passes, and so does every gate of',
    '             this project, and nothing is left to do',
  ])
  assert.deepEqual(wrapped('  ✓ gate tests passed in 0.2s', 20), ['  ✓ gate tests', '    passed in 0.2s'])
  assert.deepEqual(wrapped('a/path/that/is/far/too/long/for/it and words', 20), [
    'a/path/that/is/far/too/long/for/it',
    'and words',
  ])
  assert.deepEqual(wrapped('  ralph run      works through the plan', 32), [
    '  ralph run      works through',
    '                 the plan',
  ])
  assert.deepEqual(wrapped('✓ agent           claude: /usr/local/bin/claude (2.1.200)', 50), [
    '✓ agent           claude: /usr/local/bin/claude',
    '                  (2.1.200)',
  ])
  assert.deepEqual(wrapped('short', 60), ['short'])
})

test('width is counted in columns: East Asian letters take two', () => {
  assert.deepEqual([widthOf('abc'), widthOf('✓ é'), widthOf('日本'), widthOf('e\u0301')], [3, 3, 4, 1])
  assert.deepEqual([cutTo('日本語', 4), cutTo('abcdef', 4), cutTo('abcd', 4)], ['日…', 'abc…', 'abcd'])
})

test('marks and labels say the colour: green done, red failed, yellow needs you, bold next', () => {
  const paint = (text: string) => dressText(text, terminal())
  assert.equal(paint('✓ git  2.39\n! gates  none\n'), '\u001b[32m✓ git  2.39\u001b[0m\n\u001b[33m! gates  none\u001b[0m\n')
  assert.equal(paint('  ✗ US-2  Log in'), '\u001b[31m  ✗ US-2  Log in\u001b[0m')
  assert.equal(paint('Exit:        COMPLETE (code 0)'), '\u001b[2mExit:        \u001b[0m\u001b[32mCOMPLETE (code 0)\u001b[0m')
  assert.equal(
    paint('State:       ended: stories failed'),
    '\u001b[2mState:       \u001b[0m\u001b[31mended: stories failed\u001b[0m',
  )
  assert.equal(paint('Exit:        QUESTION (code 3)'), '\u001b[2mExit:        \u001b[0m\u001b[33mQUESTION (code 3)\u001b[0m')
  assert.equal(paint('Cost:        $0.05'), '\u001b[2mCost:        \u001b[0m$0.05')
  assert.equal(paint('Next:        ralph run'), '\u001b[1mNext:        ralph run\u001b[0m')
})

test('a Markdown table is aligned on a terminal, and long cells take several lines where it is narrow', () => {
  const text = '| story | read as |\n|---|---|\n| S-1 | done, confidence 90 (the words of the agent) |\n| S-2 | - |\n'
  const look = (columns: number) => terminal({ NO_COLOR: '1' }, columns)
  assert.equal(
    dressText(text, look(60)),
    `story  read as\n─────  ${'─'.repeat(44)}\nS-1    done, confidence 90 (the words of the agent)\nS-2    -\n`,
  )
  assert.equal(
    dressText(text, look(36)),
    `story  read as\n─────  ${'─'.repeat(24)}\nS-1    done, confidence 90 (the\n       words of the agent)\nS-2    -\n`,
  )
})

test('a table below a head in capitals fits a narrow terminal: cells break between words, then after hyphens', () => {
  const text = [
    'RUN                   STARTED        TOOK  OUTCOME         ITERATIONS  COST',
    '20261118-171409-29bd  17:14          9.5s  complete        2           $0.02',
    '20261117-151252-d542  Nov 17, 15:12  51s   stories failed  12          $0.00',
    '',
    'Done.',
  ].join('\n')
  const look = (columns: number) => terminal({ NO_COLOR: '1' }, columns)
  assert.equal(dressText(text, look(80)), text)
  assert.deepEqual(dressText(text, look(60)).split('\n'), [
    'RUN               STARTED  TOOK  OUTCOME   ITERATIONS  COST',
    '20261118-171409-  17:14    9.5s  complete  2           $0.02',
    '29bd',
    '20261117-151252-  Nov 17,  51s   stories   12          $0.00',
    'd542              15:12          failed',
    '',
    'Done.',
  ])
})

test('a line outside a table continues below its words, not at the margin', () => {
  const text = 'Cost:        $0.03 for 3 implementer calls (3,600 tokens in, 900 out)'
  assert.equal(dressText(text, terminal({ NO_COLOR: '1' }, 60)), text.replace(' 900', '\n             900'))
})

test('JSON is never touched, and nothing is for a pipe', () => {
  const json = `{"because": "${'long '.repeat(40)}"}\n`
  assert.equal(dressText(json, terminal()), json)
  const text = `✓ ${'long '.repeat(40)}\n`
  assert.equal(dressText(text, plainLook), text)
})
