/** decide.txt: there as soon as something is asked, with what is open, and gone when nothing is; what was typed into it is an answer. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { readIfThere, replaceFile } from '../adapters/files.ts'
import { openQuestions } from '../core/questions.ts'
import type { State } from '../core/state.ts'
import type { Report } from '../core/types.ts'
import { answersIn, decideText } from '../views/people.ts'
import type { World } from './world.ts'

export function writeDecideFile({ dir, mask }: Pick<World, 'dir' | 'mask'>, state: State): void {
  const path = join(dir, 'decide.txt')
  const asked = openQuestions(state)
  if (asked.length === 0) return rmSync(path, { force: true })
  const before = readIfThere(path)
  const text = mask.text(decideText(asked, state.at, before ?? ''))
  if (text !== before) replaceFile(path, text)
}

/** Keeps the file up with a live run, at no cost while nothing is asked or answered. */
export function decideFileKeeper(world: Pick<World, 'dir' | 'mask'>): (state: State) => void {
  let kept: State['questions'] | undefined
  return (state) => {
    if (state.questions === kept) return
    kept = state.questions
    writeDecideFile(world, state)
  }
}

export function typedAnswers({ dir }: { dir: string }, state: State): Report[] {
  const asked = openQuestions(state)
  if (asked.length === 0) return []
  const answers = answersIn(readIfThere(join(dir, 'decide.txt')) ?? '', asked)
  return asked.flatMap(({ story }, place): Report[] => {
    const text = answers[place]!
    return text === '' ? [] : [{ kind: 'question.answered', text, story }]
  })
}
