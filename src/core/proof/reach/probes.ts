/** Puts probes into the functions that a story changed: each says that it was reached. */
import { type Change, changesOf, type FileChange } from '../../tamper/code/change.ts'
import { isSource } from '../../tamper/code/files.ts'
import { headersIn, methodsIn } from '../../tamper/code/functions.ts'
import { codeInPlace, syntaxOf } from '../../tamper/code/source-lines.ts'
import { placesInJavaScript } from './javascript.ts'
import { type Code, type CodeLine, codeOf, type Insertion, type ProbePlace, regionOf, withInsertions } from './places.ts'
import { placesInPython } from './python.ts'
import { type Telling, tellerOf } from './telling-parts.ts'
import { placesInTests } from './tests.ts'

/** A place that only some calls reach. `told`: what it says if no test does. */
export type Reach = { file: string; line: number; shown: string; told: Telling; isElse?: true }
/** `of`: the line of its function. Without `told` it only shows that the function is called. */
export type Probe = Omit<Reach, 'told'> & { of: number; told?: Telling }
/** `texts`: the files with the probes in them. The number of a probe is its place in the list. */
export type Probed = { probes: Probe[]; texts: Map<string, string> }

type Dialect = { files: RegExp; places: (code: Code, lines: CodeLine[]) => ProbePlace[] }

const dialects: Dialect[] = [
  { files: /\.[cm]?[jt]sx?$/, places: placesInJavaScript },
  { files: /\.py$/, places: placesInPython },
]

/** The expression that says of a probe in this file that it was reached. */
export type ProbeText = (path: string, id: number) => string

const most = 200

/** `asked`: names of functions that the story asks for. */
export function probesFor(files: FileChange[], textOf: ProbeText, asked: string[] = []): Probed {
  const probed: Probed = { probes: [], texts: new Map() }
  const changes = changesOf(files)
  for (const change of changes) {
    const dialect = dialects.find(({ files: own }) => own.test(change.path))
    if (dialect === undefined || change.kind === 'deleted' || change.afterText === '') continue
    const places = isSource(change.path) ? placesOf(change, dialect, asked) : placesInTests(change, changes, plainCode)
    const found = places.slice(0, most - probed.probes.length)
    if (found.length === 0) continue
    const insertions = found.flatMap((place): Insertion[] => {
      const { puts, line, shown, of, told } = place
      const id = probed.probes.length
      const says = { ...(told && { told }), ...('isElse' in place && place.isElse && { isElse: true as const }) }
      probed.probes.push({ file: change.path, line, shown: shown.slice(0, longest), of, ...says })
      return puts(textOf(change.path, id))
    })
    probed.texts.set(change.path, withInsertions(change.afterText, insertions))
  }
  return probed
}

const longest = 120

/** Of functions that tests call: what would tell something, and is never reached. Of a test, only if nothing of this kind is. */
export function unreachedOf(probes: Probe[], reached: ReadonlySet<number>): Reach[] {
  const called = new Set(probes.flatMap((probe, index) => (reached.has(index) ? [ofFunction(probe)] : [])))
  const isDone = new Set(probes.flatMap((probe, index) => (reached.has(index) ? [ofTest(probe)] : [])))
  return probes.flatMap((probe, index) => {
    const { of: _of, told, ...rest } = probe
    if (told === undefined || reached.has(index) || called.has(ofFunction(probe)) === (told === 'calls')) return []
    if (told === 'assertions' || told === 'declares') {
      if (isDone.has(ofTest(probe))) return []
      isDone.add(ofTest(probe))
    }
    return [{ ...rest, told }]
  })
}

const ofTest = (probe: Probe): string => `${probe.told} ${probe.line} ${ofFunction(probe)}`

const ofFunction = ({ file, of }: Probe): string => `${file}:${of}`

/** Whether there is anything that a probe could say. */
export const isReachable = (files: FileChange[], asked: string[]): boolean =>
  probesFor(files, () => '0', asked).probes.some(({ told }) => told !== undefined)

const plainCode = ({ path, afterText }: Pick<Change, 'path' | 'afterText'>): string => codeInPlace(afterText, syntaxOf(path))

type TellingPlace = ProbePlace & { of: number; told: Telling | undefined }

function placesOf({ path, afterText, after, added }: Change, { places }: Dialect, asked: string[]): TellingPlace[] {
  const code = codeOf(afterText, plainCode({ path, afterText }))
  if (code.code.length !== afterText.length) return []
  const taken = new Set<number>()
  const fresh = new Set(added.map(({ at }) => at))
  return added.flatMap(({ at }) => {
    const first = functionAround(code.lines, at - 1)
    if (first === undefined || taken.has(first.index)) return []
    taken.add(first.index)
    const region = regionOf(code.lines, first)
    const toldBy = tellerOf(region)
    const of = first.index + 1
    const name = fresh.has(of) ? namesIn(after[first.index]).find((each) => asked.includes(each)) : undefined
    return places(code, region).map((place, index): TellingPlace => {
      const told = fresh.has(place.line) ? toldBy(place) : undefined
      // What stands first in a new function, without a condition, runs whenever that is called.
      const isEntry = index === 0 && place.given === undefined && name !== undefined
      return isEntry ? { ...place, of, line: of, shown: `${name}()`, told: 'calls' } : { ...place, of, told }
    })
  })
}

const namesIn = (line: Change['after'][number] | undefined): string[] =>
  line === undefined ? [] : [...headersIn(line), ...methodsIn(line)].map(({ name }) => name)

const header =
  /\b(?:function\*?|def)\s+\w+|^\s*(?:export\s+)?(?:const|let|var)\s+\w+(?:\s*:[^=]+)?\s*=\s*(?:async\s*)?(?:\(|function\b|\w+\s*=>)|^\s*(?:(?:static|async|get|set|public|private|protected|override)\s+)*[\w$#]+\s*\([^;]*\{\s*$|^\s*[\w$.]+\s*[=:]\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*=>)/
const isStatement = /^\s*(?:\}\s*)?(?:if|else|for|while|switch|catch|return|do|try|with|await|throw|match|case|elif)\b/

/** The outermost function that the line is in. */
function functionAround(lines: CodeLine[], index: number): CodeLine | undefined {
  const own = lines[index]
  if (own === undefined || own.indent === -1) return undefined
  let [indent, found] = [own.indent, isHeader(own) ? own : undefined]
  for (let at = index - 1; at >= 0 && indent > 0; at--) {
    const line = lines[at]
    if (line === undefined || line.indent === -1 || line.indent >= indent || /^\s*[)\]}]/.test(line.code)) continue
    indent = line.indent
    if (isHeader(line)) found = line
  }
  return found
}

const isHeader = ({ code }: CodeLine): boolean => header.test(code) && !isStatement.test(code)
