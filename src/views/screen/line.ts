/** A line on the screen, and how it looks. */

export type Tone = 'plain' | 'good' | 'bad' | 'warn' | 'dim' | 'strong'
export type ScreenLine = { tone: Tone; text: string }

export const line = (tone: Tone, text: string): ScreenLine => ({ tone, text })
