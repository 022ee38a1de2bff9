import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, aStart, aStory, begun, eventOf, startOfTime } from '../../../sim/builders.ts'
import { fromProject } from '../../adapters/project/layout.ts'
import { emptyTranscript } from '../../core/reading/transcript.ts'
import { instantOf } from '../../core/text/time.ts'
import { openScreen } from './screen.ts'

test('the live line names a file from the project’s folder on, though agents name whole paths', () => {
  let shown = ''
  const screen = openScreen({
    mode: 'normal',
    look: () => ({ hasColour: false, hasGlyphs: true, columns: 80, hasCursor: true }),
    write: (text) => void (shown += text),
    now: () => startOfTime,
    shortened: fromProject({ root: '/home/me/shop', home: '/home/me/.ralph' }),
  })
  const started = aStart(1, 'A')
  screen.events([eventOf(started)], after([started], begun([aStory('A')])))
  const entry = { kind: 'tool', name: 'Edit', target: '/home/me/shop/src/a.ts', isSub: false } as const
  screen.entry(entry, { ...emptyTranscript(), tool: 'Edit /home/me/shop/src/a.ts' })
  screen.limited(900_000)
  screen.hide()
  screen.show()
  assert.match(shown, /0\/1 A · 0:00\/15:00 · Edit src\/a\.ts · \$0\.00/)
  screen.entry(entry, { ...emptyTranscript(), tool: 'Edit /home/me/.ralph/worktrees/shop-1x/login/A/src/b.ts' })
  screen.hide()
  screen.show()
  assert.match(shown, /· Edit src\/b\.ts ·/)
  screen.hide()
  screen.gate({ name: 'spec', command: 'review by claude' })
  screen.show()
  screen.close()
  assert.match(shown, /0\/1 A · 0:00 · spec: review by claude · \$0\.00/)
})

test('while a question waits on the terminal, the live line says so, not the work before it', () => {
  let shown = ''
  const screen = openScreen({
    mode: 'normal',
    look: () => ({ hasColour: false, hasGlyphs: true, columns: 80, hasCursor: true }),
    write: (text) => void (shown += text),
    now: () => startOfTime,
    shortened: fromProject({ root: '/home/me/shop', home: '/home/me/.ralph' }),
  })
  screen.gate({ name: 'tests', command: 'pytest' })
  shown = ''
  screen.asking(instantOf(Date.parse(startOfTime) + 57_000))
  assert.match(shown, /waiting 0:57 for your answer/)
  assert.doesNotMatch(shown, /pytest/)
  shown = ''
  screen.asking(null)
  screen.close()
  assert.match(shown, /all stories · 0:00 · tests: pytest/)
})
