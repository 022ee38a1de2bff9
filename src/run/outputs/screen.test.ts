import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, aStart, aStory, begun, eventOf, startOfTime } from '../../../sim/builders.ts'
import { emptyTranscript } from '../../core/reading/transcript.ts'
import { openScreen } from './screen.ts'

test('the live line names a file from the project’s folder on, though agents name whole paths', () => {
  let shown = ''
  const screen = openScreen({
    mode: 'normal',
    look: () => ({ hasColour: false, hasGlyphs: true, columns: 80, hasCursor: true }),
    write: (text) => void (shown += text),
    now: () => startOfTime,
    root: '/home/me/shop',
  })
  const started = aStart(1, 'A')
  screen.events([eventOf(started)], after([started], begun([aStory('A')])))
  const entry = { kind: 'tool', name: 'Edit', target: '/home/me/shop/src/a.ts', isSub: false } as const
  screen.entry(entry, { ...emptyTranscript(), tool: 'Edit /home/me/shop/src/a.ts' })
  screen.limited(900_000)
  screen.hide()
  screen.show()
  assert.match(shown, /0\/1 A · 0:00\/15:00 · Edit src\/a\.ts · \$0\.00/)
  screen.hide()
  screen.gate({ name: 'spec', command: 'review by claude' })
  screen.show()
  screen.close()
  assert.match(shown, /0\/1 A · 0:00 · spec: review by claude · \$0\.00/)
})
