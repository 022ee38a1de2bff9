/** Words and flags from older versions of Ralph: what they mean here, or the command to use. */
import { runOptions } from '../../config/flags.ts'

/** Forms that people know from the old scripts. */
export function withoutShortForms(argv: string[]): string[] {
  const [first, ...rest] = argv
  if (first === '--cb-reset' || first === '--reset-circuit') return ['breaker', 'reset', ...rest]
  if (first === '--cb-status') return ['breaker', ...rest]
  if (first === '--aggregate') return ['learn', '--aggregate', ...rest]
  return argv
}

/** Arguments of the old scripts, `ralph-runner.sh "task-auth" 5` or `ralph --monitor`: the command to use here. */
export function olderWords([first = '', ...rest]: string[], commands: string[], features: string[] = []): string | undefined {
  if (first.startsWith('-')) {
    const [option = '', given] = first.split('=')
    const known = runOptions.find(({ flags }) => flags.split(/[ ,]+/).includes(option))
    if (known === undefined || withoutShortForms([first])[0] !== first) return undefined
    const value = given === undefined && rest.length === 0 ? / <.*>$/.exec(known.flags)?.[0] : undefined
    return `${first} is an option of run. Did you mean: ralph run ${[first, ...rest].join(' ')}${value ?? ''}`
  }
  if (rest.length === 0 && !commands.includes(first) && features.includes(first))
    return `${first} is a feature, not a command. Did you mean: ralph run -f ${first}`
  const isOld = !commands.includes(first) && first !== '' && !first.startsWith('-') && [first, ...rest].length <= 2
  return isOld && [first, ...rest].some((word) => isNumber(word)) ? wordsOfRun([first, ...rest]) : undefined
}

const isNumber = (word: string): boolean => /^\d{1,6}$/.test(word)

/** `ralph run task-auth 5`: `run` takes a feature or a story, and a number of iterations, as flags. */
export function wordsOfRun(words: string[], features: string[] = []): string {
  const count = words.find(isNumber)
  const [named, ...more] = words.filter((word) => !isNumber(word))
  const limit = count === undefined ? '' : ` -n ${count}`
  const attempts = count === undefined ? '' : ` --max-attempts ${count}`
  const given = `ralph run takes no arguments (got ${words.map((word) => JSON.stringify(word)).join(' ')}).`
  if (named === undefined) return `${given} Did you mean: ralph run${limit}`
  if (more.length === 0 && features.includes(named)) return `${given} Did you mean: ralph run -f ${named}${limit}`
  if (more.length === 0 && !/\s/.test(named))
    return `${given} Did you mean: ralph run --story ${named}${attempts} (a story), or: ralph run -f ${named}${limit} (a feature)`
  return `${given} A task is a story of a plan: make one with ralph init <feature>, write the task into it, then: ralph run${limit}`
}
