/** decide.txt: exists while a question is open, and is removed when all answers were taken; what a person types in it is an answer. */
import { rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { readIfThere, replaceFile } from '../../adapters/files/files.ts'
import type { Masker } from '../../adapters/mask/mask.ts'
import { decidePath, logsFolder, padded } from '../../adapters/project/layout.ts'
import { isAnybodyAtWork, openQuestions } from '../../core/plan/questions.ts'
import type { State } from '../../core/state.ts'
import type { Report, Reporter, Scope } from '../../core/types.ts'
import {
  answersIn,
  decideText,
  otherQuestions,
  type WrittenQuestion,
  withoutMarks,
} from '../../views/files/blocked-and-decide.ts'
import { noticed } from '../noticed.ts'
import { personHere } from './write-amendments.ts'

type DecideFileWorld = { dir: string; mask: Masker }

/** Returns the current text; null: no file. */
export function writeDecideFile({ dir, mask }: DecideFileWorld, state: State, before = readIfThere(pathIn(dir))): string | null {
  const asked = openQuestions(state)
  if (asked.length === 0 && before !== null && untaken(dir, mask.text(before), state).length > 0) return before
  if (asked.length === 0) {
    rmSync(pathIn(dir), { force: true })
    return null
  }
  const text = mask.text(decideText(asked, state.at, before ?? ''))
  if (text !== readIfThere(pathIn(dir))) replaceFile(pathIn(dir), text)
  if (text !== readIfThere(ownIn(dir))) replaceFile(ownIn(dir), text)
  return text
}

/** Answers to open questions, and to questions that exist only in the file. */
export function typedAnswers({ dir }: { dir: string }, state: State): Report[] {
  const text = readIfThere(pathIn(dir))
  if (text === null) return []
  const asked = openQuestions(state)
  const answers = answersIn(text, asked)
  const open = asked.flatMap(({ story }, place): Report[] => {
    const answer = answers[place] ?? ''
    return answer === '' ? [] : [{ kind: 'question.answered', text: answer, story, by: personHere() }]
  })
  const others = untaken(dir, text, state).filter(({ answer }) => answer !== '')
  return [
    ...open,
    ...others.map(
      ({ question, answer }): Report => ({ kind: 'question.answered', text: answer, story: null, question, by: personHere() }),
    ),
  ]
}

/** What a person wrote into the file that the log does not have. */
export function writtenQuestions(dir: string, state: State): WrittenQuestion[] {
  const text = readIfThere(pathIn(dir))
  return text === null ? [] : untaken(dir, text, state)
}

export type DecideFile = {
  /** Keeps it up to date during a run, at no cost while nothing is asked or answered. */
  show(state: State): void
  /** What a person typed: read while nothing runs. */
  typed(state: State): Report[]
  /** After an agent, a gate or a hook: what was written meanwhile may be theirs. It is undone, kept as a copy and reported. */
  putBack(iteration: Scope): void
  /** Nobody else wrote the current content. */
  know(): void
}

export function keepDecideFile(world: DecideFileWorld & { root: string }, report: Reporter): DecideFile {
  const path = pathIn(world.dir)
  let shown: State['questions'] | undefined
  let known = readIfThere(path)
  let open: State['questions'] = []
  const putBack = (iteration: Scope): void => {
    const theirs = readIfThere(path)
    if (theirs === known) return
    report(notTaken(world, theirs, open, iteration))
    if (known === null) rmSync(path, { force: true })
    else replaceFile(path, known)
  }
  return {
    show(state) {
      if (state.questions === shown) return
      shown = state.questions
      if (isAnybodyAtWork(state)) putBack(state.iteration)
      open = openQuestions(state)
      known = writeDecideFile(world, state)
    },
    typed(state) {
      known = readIfThere(path)
      return typedAnswers(world, state)
    },
    putBack,
    know() {
      known = readIfThere(path)
    },
  }
}

/** After a kill during an iteration nobody knows who wrote it: a person must repeat it, or use a command. */
export function untoldAnswers(world: DecideFileWorld & { root: string }, state: State): Report[] {
  const theirs = readIfThere(pathIn(world.dir))
  if (theirs === null || typedAnswers(world, state).length + writtenQuestions(world.dir, state).length === 0) return []
  const report = notTaken(world, theirs, openQuestions(state), state.iteration)
  rmSync(pathIn(world.dir), { force: true })
  return [report]
}

/** The words are not passed on to the next agent, which would take them for a person's. */
function notTaken(
  { dir, root, mask }: DecideFileWorld & { root: string },
  theirs: string | null,
  open: State['questions'],
  iteration: Scope,
): Report {
  const copy = join(logsFolder(dir), `decide-${padded(iteration)}.rejected`)
  if (theirs !== null) replaceFile(copy, mask.text(theirs))
  const place = open.findIndex((_, index) => answersIn(theirs ?? '', open)[index] !== '')
  const story = open[place]?.story
  const whose = open.length > 1 && story ? ` --story ${story}` : ''
  const advice = place < 0 ? '' : ` If it was your answer: ralph answer "…"${whose}`
  const what = theirs === null ? 'was removed' : 'was changed'
  const kept = theirs === null ? '' : ` The copy is in ${relative(root, copy)}.`
  return noticed(
    'decide-restored',
    `decide.txt ${what} during iteration ${iteration} and was restored, because an agent, gate or hook may have written it.${kept}${advice}`,
  )
}

const pathIn = (dir: string): string => decidePath(dir)

/** The file as Ralph last wrote it. */
const ownIn = (dir: string): string => join(logsFolder(dir), 'last-decide.txt')

/** Not asked by a run, now or before, for a story that needs no answer any more; and not in the log with its answer. */
function untaken(dir: string, text: string, state: State): WrittenQuestion[] {
  const asked = otherQuestions(readIfThere(ownIn(dir)) ?? '', []).map(({ question }) => question)
  const isTaken = ({ question, answer }: WrittenQuestion): boolean =>
    (answer === '' && asked.includes(question)) ||
    state.questions.some(({ text: known, question: of }) => {
      if (known === undefined) return false
      const isIt = withoutMarks(of).trim() === question
      return answer === '' ? isIt || known === question : isIt && known === answer
    })
  return otherQuestions(text, state.questions).filter((written) => !isTaken(written))
}
