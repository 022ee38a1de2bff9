/** Words and flags from older versions of Ralph and from other tools, and features in the wrong place: the command to use here. */
import { runOptions } from '../../config/flags.ts'
import { inShell } from '../../core/text/escape.ts'

/** Forms that people know from the old scripts. */
export function withoutShortForms(argv: string[]): string[] {
  const [first, ...rest] = argv
  if (first === '--cb-reset' || first === '--reset-circuit') return ['breaker', 'reset', ...rest]
  if (first === '--cb-status') return ['breaker', ...rest]
  if (first === '--aggregate') return ['learn', '--aggregate', ...rest]
  return argv
}

/** A command, and how many words it takes beside its flags. */
type KnownCommand = { name: string; takes: number }

/** Arguments of the old scripts, `ralph-runner.sh "task-auth" 5` or `ralph --monitor`, and other words that stand for a command. */
export function olderWords(
  [first = '', ...rest]: string[],
  commands: KnownCommand[],
  features: () => string[],
): string | undefined {
  const known = commands.find(({ name }) => name === first)
  if (known !== undefined) return featureOf(known, rest, features)
  if (first.startsWith('-')) {
    const [option = '', given] = first.split('=')
    if (withoutShortForms([first])[0] !== first) return undefined
    const ofRun = runOptions.find(({ flags }) => flags.split(/[ ,]+/).includes(option))
    const value = given === undefined && rest.length === 0 ? / <.*>$/.exec(ofRun?.flags ?? '')?.[0] : undefined
    if (ofRun !== undefined)
      return `${first} is an option of run. Did you mean: ralph run ${[first, ...rest].join(' ')}${value ?? ''}`
    const named = commands.find(({ name }) => name !== 'help' && `--${name}` === option)
    return named && `${first} is a command. Did you mean: ralph ${[named.name, ...rest].join(' ')}`
  }
  const meant = Object.hasOwn(elsewhere, first) ? elsewhere[first] : undefined
  if (meant !== undefined) return `unknown command '${first}'. Did you mean: ralph ${meant}`
  if (rest.length === 0 && features().includes(first))
    return `${first} is a feature, not a command. Did you mean: ralph run -f ${first}`
  const isOld = first !== '' && [first, ...rest].length <= 2
  return isOld && [first, ...rest].some((word) => isNumber(word)) ? wordsOfRun([first, ...rest]) : undefined
}

/** What other tools call it, where the nearest name of ours would mislead. */
const elsewhere: Record<string, string> = {
  start: 'run',
  continue: 'run',
  watch: 'monitor',
  new: 'init',
  ls: 'list',
  history: 'runs',
  explain: 'why',
  kill: 'stop --now',
  tell: 'say',
  version: '--version',
  ui: 'dashboard',
}

/** `ralph status login`: the feature of a command is a flag. The names of stories may be those of features. */
function featureOf({ name, takes }: KnownCommand, rest: string[], features: () => string[]): string | undefined {
  const words = rest.filter((word) => !word.startsWith('-'))
  const [word = '', ...more] = words
  const isExtra = takes === 0 || ['why', 'logs', 'replay'].includes(name)
  if (name === 'run' || !isExtra || word === '' || more.length > 0 || rest.length > words.length) return undefined
  return features().includes(word) ? `${word} is a feature. Did you mean: ralph ${name} -f ${word}` : undefined
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
  return `${given} To plan a task first: ralph plan ${inShell(words.filter((word) => !isNumber(word)).join(' '))}, then: ralph run${limit}`
}
