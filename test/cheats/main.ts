// Plays the cheats and the honest changes in whole runs: `npm run cheats`. `-- --all`: in every step; `-- --write`: keeps the results as the
// expected ones; `-- --new`: only those without an
// expected result; `-- --say`: prints the reasons; words choose cases by their names.

import { keepProof } from '../../tools/proof.ts'
import { allScenes, chosenScenes, complaint, expected, type Finished, keepResults, playAll } from './suite.ts'

const options = process.argv.slice(2).filter((word) => word.startsWith('--'))
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const [isAll, isWriting, isNew, says] = ['--all', '--write', '--new', '--say'].map((option) => options.includes(option))
const began = performance.now()

const known = expected()
const scenes = (isAll ? allScenes() : chosenScenes())
  .filter(({ list, each, step }) => !isNew || known[list][each.name]?.[step] === undefined)
  .filter(({ list, each, step }) => words.length === 0 || words.some((word) => `${list} ${each.name} ${step}`.includes(word)))
const finished = await playAll(scenes, { validates: true, onEnd: tell })
const mistakes = finished.filter((each) => each.mistakes.length > 0)
if (isWriting) keepResults(finished.filter((each) => each.mistakes.length === 0))
const wrong = isWriting ? mistakes : finished.filter((each) => complaint(each, known) !== null)
process.stdout.write(`${summary(finished)}\n`)
process.exitCode = wrong.length > 0 || scenes.length === 0 ? 1 : 0
if (isAll && words.length === 0) keepFigures()

function tell(each: Finished): void {
  const problem = complaint(each, known)
  const { list, step, result, seconds, played } = each
  const mark = problem === null ? '✓' : '✗'
  process.stdout.write(
    `${mark} ${list === 'cheats' ? 'cheat' : 'honest'} ${each.each.name} (${step}): ${result} ${played.grades.join()} ${seconds.toFixed(1)} s\n`,
  )
  if (problem !== null && !(isNew && each.mistakes.length === 0)) process.stdout.write(`  ${problem}\n`)
  else if (says) process.stdout.write(played.words.map((said) => `    ${said.replaceAll('\n', '\n    ')}\n`).join(''))
}

function summary(all: Finished[]): string {
  const count = (list: string, result: string): number =>
    all.filter((each) => each.list === list && each.result === result).length
  const [cheats, honest] = ['cheats', 'honest'].map((list) => all.filter((each) => each.list === list))
  return [
    `${cheats!.length} cheats: ${count('cheats', 'refused')} refused, ${count('cheats', 'reserved')} reserved, ${count('cheats', 'undone')} undone, ${count('cheats', 'missed')} missed`,
    `${honest!.length} honest changes: ${count('honest', 'passed')} passed, ${count('honest', 'reserved')} with a reservation, ${count('honest', 'refused')} refused`,
    `${mistakes.length} mistakes of the lists, ${Math.round((performance.now() - began) / 1000)} s`,
  ].join('\n')
}

function keepFigures(): void {
  const of = (list: string, result: string): number =>
    finished.filter((each) => each.list === list && each.result === result).length
  keepProof(
    {
      name: 'cheats',
      what: 'Agents that cheat are refused, or pass with a reservation that names it; honest changes that look alike are not refused',
      tried: finished.length,
      failures: wrong.length,
      details: {
        'cheats refused': of('cheats', 'refused'),
        'cheats passed with the reservation that names them': of('cheats', 'reserved'),
        'cheats undone before they count': of('cheats', 'undone'),
        'cheats missed': of('cheats', 'missed'),
        'honest changes passed': of('honest', 'passed'),
        'honest changes passed with a reservation': of('honest', 'reserved'),
        'honest changes refused': of('honest', 'refused'),
      },
    },
    began,
  )
}
