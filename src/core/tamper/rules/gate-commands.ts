/** Compares two versions of a gate's commands: does the newer one check as much? */
import { isTestFile } from '../code/languages.ts'
import { programOf, shellCommands, unwrapped } from '../shell.ts'

export type Weaker = { how: string; isCertain: boolean }

/** null: what it ran before, it still runs, and fails if that fails. */
export function weakerCommands(before: string, after: string, hasRunner: (name: string) => boolean): Weaker | null {
  const swallowed = swallowedIn(after)
  if (swallowed !== null && swallowedIn(before) !== swallowed)
    return { how: `its failure is ignored: ${swallowed}`, isCertain: true }
  const removed = removedTests(after)
  if (removed !== null && removedTests(before) === null) return { how: `it removes tests: ${removed}`, isCertain: true }
  const condition = conditionIn(after)
  if (condition !== null && conditionIn(before) === null)
    return { how: `it depends on a condition: ${condition.slice(0, 60)}`, isCertain: false }
  const [old, now] = [commandsIn(before), commandsIn(after)]
  if (old.some(isCheck) && now.every((words) => words.length === 0 || isIdle(words)))
    return { how: 'it no longer checks anything', isCertain: true }
  const missing = old.find((words) => !isIdle(words) && !now.some((other) => covers(other, words, hasRunner)))
  return missing === undefined ? null : { how: `it no longer runs ${missing.join(' ').slice(0, 60)}`, isCertain: false }
}

const check =
  /\b(?:tests?|jest|vitest|mocha|ava|tap|pytest|unittest|tox|nox|nosetests|lint|eslint|biome|tsc|typecheck|mypy|pyright|ruff|flake8|pylint|vet|golangci-lint|clippy|cargo|mvn|mvnw|gradle|gradlew|rspec|rake|rubocop|minitest|phpunit|pest|phpstan|psalm|dotnet|ctest|check|verify|playwright|cypress)\b/

/** Before a swallowed failure stands what may fail: cleaning up may. */
const swallow =
  /([^&|;\n()]{0,300}?)(?:\|\|\s*(?:true|:|exit\s+0|\/bin\/true|echo\b[^&|;\n]{0,100}|printf\b[^&|;\n]{0,100})|;\s*(?:true|:|exit\s+0))\s*(?=$|[)"';&\n])/g

/** What a pipe or the background loses is the exit code of the check. */
const lostCode =
  /([^&|;\n()]{0,300}?)(?:\|(?!\|)\s*(?:tail|head|cat|tee|grep|sed|awk|less|more|sort|wc)\b|(?<![&>])&(?![&>\d]))[^&|;\n]{0,60}/g
const underCondition =
  /(?:^|[;&|\n])\s*(?:test\s|\[)[^;&|\n]{0,100}(?:\|\||&&)\s*([^;&|\n]{1,200})|([^;&|\n]{1,200})\|\|\s*(?:test\s|\[)[^;&|\n]{0,100}/g

/** A check that runs, or counts, only under a condition. */
function conditionIn(script: string): string | null {
  for (const [whole, then = '', first = ''] of script.slice(0, 20_000).matchAll(underCondition))
    if (isOfCheck(then + first)) return whole.trim()
  return null
}

function removedTests(script: string): string | null {
  for (const words of shellCommands(script.slice(0, 20_000)))
    if (removes(words) && words.slice(1).some(isTestFile)) return words.join(' ').slice(0, 80)
  return null
}

function removes(words: string[]): boolean {
  const program = programOf(words)
  if (program === 'git') return /^(?:rm|mv|checkout|restore|stash|apply|reset|clean)$/.test(words[1] ?? '')
  return program === 'sed' ? words.some((word) => /^-\w*i|^--in-place/.test(word)) : /^(?:rm|mv|unlink|truncate)$/.test(program)
}

/** The command whose failure is ignored; null: none. */
export function swallowedIn(script: string): string | null {
  // A plain `wait` ends with 0, whatever it waited for.
  const isPiped = !/\bpipefail\b|\bwait\s+[-$"'%\w]/.test(script)
  const text = script.slice(0, 20_000)
  for (const [whole, command = ''] of [...text.matchAll(swallow), ...(isPiped ? text.matchAll(lostCode) : [])]) {
    const isServer = /&\s*$/.test(whole) && server.test(command)
    if (isOfCheck(command) && !isServer) return whole.trim().replace(/\s+/g, ' ').slice(0, 80)
  }
  return null
}

/** A tool that checks, called for something else. */
const prepares =
  /^\s*(?:npx\s+|bundle\s+exec\s+)?(?:playwright|cypress|cargo|(?:\.\/)?gradlew?|(?:\.\/)?mvnw?|dotnet|rake|tox)\s+(?:install|fmt|build|restore|clean|fetch|update|--stop|db:\w+|dependency:\S+|--notest)\b(?!.*\b(?:test|check|lint|verify)\b)/

/** What tests talk to may run in the background. */
const server = /\b\w*(?:server|mock|stub|fake|proxy|db|watch)\w*\.\w+\b/i

/** It checks something, and does not only clean up or prepare. */
export const isOfCheck = (command: string): boolean =>
  check.test(command) &&
  !prepares.test(command) &&
  !/^\s*(?:#|echo|printf|rm|mkdir|test\s|\[|command|which|type|docker|podman|kubectl|git|kill|pkill|grep|find|mv|cp|curl|touch)\b/.test(
    command.replace(/^.*\b(?:then|do)\b/, '').trimStart(),
  )

/** What stands before the runner and changes nothing. */
const wrappers =
  /^(?:npx|bunx|pnpx|c8|nyc|cross-env|dotenv|xvfb-run|coverage|run|exec|poetry|uv|pipenv|hatch|pdm|bundle|time|nice|--|-y|--yes|--no-install|-m|-a|dlx|command|python[\d.]*)$/

function commandsIn(script: string): string[][] {
  return shellCommands(script.slice(0, 20_000))
    .map((words) => unwrapped(words).words)
    .filter((words) => words.length > 0)
    .map((words) => {
      let at = 0
      while (at < words.length - 1 && (wrappers.test(programOf(words.slice(at))) || /^[A-Za-z_]\w*=/.test(words[at] ?? ''))) at++
      return words.slice(at)
    })
}

const idle = /^(?:true|:|echo|printf|exit|return|sleep|cd|set|export|pwd|date|fi|done|esac|then|do|else|test|\[|\[\[|\})$/
const isIdle = (words: string[]): boolean => idle.test(programOf(words)) || words[0]?.startsWith('#') === true
const isCheck = (words: string[]): boolean => !isIdle(words)

const runners = /^(?:jest|vitest|mocha|ava|tap|uvu|pytest|unittest|nose2|tox|nox|rspec|minitest|phpunit|pest|nextest)$/

/** Its name, if the words start a runner of tests. */
function runnerOf(words: string[]): string | null {
  const program = programOf(words)
  if (runners.test(program)) return program
  if (/^(?:richgo|gotestsum)$/.test(program)) return 'go'
  if (program === 'node') return words.includes('--test') ? 'node' : null
  return /^(?:bun|deno|go|cargo|dotnet|mix|mvn|mvnw|gradle|gradlew)$/.test(program) && words.slice(1, 3).includes('test')
    ? program
    : null
}

/** The tests of every package: their number is counted. */
const inWorkspaces =
  /^(?:npm (?:run )?test|npm run test\S*) (?:--workspaces|-ws)\b|^pnpm (?:-r|--recursive) (?:run )?test\b|^yarn workspaces (?:foreach .*)?run test\b|^(?:turbo|lerna) run test\b|^nx run-many\b.*\btest\b/

const narrowing =
  /^(?:-k|-m|-t|-g|-o|-n|-run|-skip|-short|--(?:grep|fgrep|testNamePattern|test-name-pattern|test-skip-pattern|test-only|testPathPatterns?|testPathIgnorePatterns|ignore|ignore-pattern|ignore-path|deselect|exclude|skip|shard|changed|onlyChanged|changedSince|lastCommit|findRelatedTests|related|last-failed|lf|passWithNoTests|pass-with-no-tests|retry|retries|reruns|if-present|dry-run|list|co|collect-only|no-run|tag|exclude-tag|filter|exclude-group|group|testsuite|list-tests|quiet-errors|no-error-on-unmatched-pattern|exit-zero|forceExit|silent-failures|noEmit\b.*false|allow-empty))(?:=|$)/i
const showing =
  /^(?:-s|-q|-v+|--(?:silent|quiet|verbose|colou?r|no-colou?r|reporters?|progress|no-progress|watch|watchAll|notify|spec|tap|pretty|cache|no-cache|cache-location)(?:=.*)?)$|^(?:spec|dot|tap|run)$/
const isPath = (word: string): boolean => !word.startsWith('-') && /[/*]|\.\w+$/.test(word)

/** `now` runs what `old` ran, and perhaps more. */
function covers(now: string[], old: string[], hasRunner: (name: string) => boolean): boolean {
  const extra = now.slice(1).filter((word) => !old.includes(word))
  if (extra.some((word) => narrowing.test(word))) return false
  const [oldPaths, newPaths] = [old.slice(1).filter(isPath), now.slice(1).filter(isPath)]
  const isNarrower =
    oldPaths.length === 0
      ? newPaths.some((path) => /\.\w+$/.test(path) && !path.includes('*') && !/config|setup|rc\b/.test(path))
      : false
  if (isNarrower) return false
  const [oldRunner, newRunner] = [runnerOf(old), runnerOf(now)]
  if (oldRunner !== null && inWorkspaces.test(now.join(' '))) return true
  if (oldRunner !== null && newRunner !== null && oldRunner !== newRunner)
    return hasRunner(newRunner) && newPaths.every((path) => oldPaths.includes(path) || path.includes('*') || !/\.\w+$/.test(path))
  if (programOf(now) !== programOf(old)) return false
  // Other numbers are compared where thresholds are.
  const hasNow = (word: string): boolean =>
    now.some((other) => other.replace(/=\d[\d.]*$/, '=') === word.replace(/=\d[\d.]*$/, '='))
  return old.slice(1).every((word) => hasNow(word) || showing.test(word))
}
