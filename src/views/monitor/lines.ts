/** Lines of the monitor: one line each, whatever others wrote. */
import { plain } from '../../core/text/plain.ts'
import type { ScreenLine, Tone } from '../screen/line.ts'

/** Longer than any question on any terminal. */
const longestLine = 2000

export const line = (tone: Tone, text: string): ScreenLine => ({ tone, text: flat(text) })

export const flat = (text: string): string => plain(text.slice(0, longestLine).replace(/[\t\n\r]+/g, ' ')).trimEnd()
