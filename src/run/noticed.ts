/** What a run noticed, in words: for people, or also for the agent of the next iteration. */
import type { Report } from '../core/types.ts'

export type Noticed = Extract<Report, { kind: 'noticed' }>

export const noticed = (what: string, detail: string): Noticed => ({ kind: 'noticed', what, detail, tell: false })

/** The next iteration must be told. */
export const toldNext = (what: string, detail: string): Noticed => ({ kind: 'noticed', what, detail, tell: true })
