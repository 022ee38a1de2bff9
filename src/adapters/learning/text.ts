/** Reads a learning from JSON or YAML text, from a learner's last message or a file. Hostile input can neither hang nor crash it. */
import type { Document } from 'yaml'
import { type LearningReading, readLearning } from '../../core/learning/read.ts'
import { jsonObjectsIn } from '../../core/review/json-objects.ts'

/** Alone, in a fence, or after some words. The last of several counts. */
export async function readLearningText(text: string, facts: Parameters<typeof readLearning>[1]): Promise<LearningReading> {
  if (text.trim() === '') return broken('The answer was empty.')
  if (text.length > mostCharacters)
    return broken(`The answer has ${text.length} characters; at most ${mostCharacters} are read. Answer with the object only.`)
  const found = jsonObjectsIn(text)
  if (found === null) return broken('The answer has too many braces to read.')
  const last = found.objects.findLast(({ value }) => lists.some((list) => Object.hasOwn(value, list)))
  if (last === undefined) return readYaml(text, facts)
  // If a corrected answer was cut off, the first one must not count.
  if (found.brokenAt >= last.end)
    return broken('After its object, the answer has another one that is not valid JSON or is cut off.')
  return readLearning(last.value, facts)
}

/** Rejects aliases: a few lines of them can expand to more than the memory. */
export async function parsedDocument(
  text: string,
): Promise<{ ok: true; document: Document; value: unknown } | { ok: false; problem: string }> {
  if (text.length > mostCharacters) return broken(`It has ${text.length} characters; at most ${mostCharacters} are read.`)
  const { parseDocument } = await import('yaml')
  try {
    // The library compares all keys with each other: a page of keys would take seconds.
    const document = parseDocument(text, { prettyErrors: false, logLevel: 'error', uniqueKeys: false })
    const error = document.errors[0]
    if (error !== undefined)
      return broken(`It is not valid YAML in line ${text.slice(0, error.pos[0]).split('\n').length}: ${error.message}.`)
    const twice = await repeatedKey(document)
    if (twice !== undefined) return broken(`It has the key ${JSON.stringify(twice.slice(0, 60))} twice in one place.`)
    return { ok: true, document, value: document.toJS({ maxAliasCount: 0 }) }
  } catch (error) {
    return broken(`It is YAML that Ralph cannot read: ${(error as Error).message}.`) // aliases, or deeper than the stack
  }
}

/** Ten entries in each list at full length take a third of it. */
const mostCharacters = 64_000
const lists = ['successes', 'failures', 'discoveries']
const broken = (problem: string) => ({ ok: false as const, problem })

async function repeatedKey(document: Document): Promise<string | undefined> {
  const { isScalar, visit } = await import('yaml')
  let repeated: string | undefined
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<string>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        const name = String(key.value)
        if (seen.has(name)) repeated = name
        seen.add(name)
      }
      return repeated === undefined ? undefined : visit.BREAK
    },
  })
  return repeated
}

async function readYaml(text: string, facts: Parameters<typeof readLearning>[1]): Promise<LearningReading> {
  const source = yamlIn(text)
  if (source === undefined)
    return broken('The answer has no JSON object or YAML document with "successes", "failures" and "discoveries".')
  const parsed = await parsedDocument(source)
  return parsed.ok ? readLearning(parsed.value, facts) : parsed
}

const key = /^(?:task_id|outcome|timestamp|successes|failures|discoveries)[ \t]*:/m

/** The last fenced block with one of the keys, otherwise everything from the first line that has one. */
function yamlIn(text: string): string | undefined {
  const unix = text.replace(/\r\n?/g, '\n')
  const blocks = [...unix.matchAll(/^[ \t]*(`{3,}|~{3,})[^\n`]*\n([\s\S]*?)^[ \t]*\1[ \t]*$/gm)].map(([, , lines = '']) => lines)
  const block = blocks.findLast((each) => key.test(each))
  const source = block ?? unix
  const start = source.search(key)
  return start === -1 ? undefined : source.slice(start).replace(/\n(?:---|\.\.\.)[ \t]*\s*$/, '\n')
}
