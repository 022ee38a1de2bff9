/** Reads scripts in YAML. A separate file, so that JSON scripts load no library and the bundle can load this late. */
import { isNode, LineCounter, parse, parseDocument } from 'yaml'

export const parsedYaml = (source: string): unknown => parse(source)

export function lineAndValue(source: string, path: (string | number)[]): { line: number; value: unknown } {
  const lineCounter = new LineCounter()
  const document = parseDocument(source, { lineCounter })
  const node = document.getIn(path, true)
  return isNode(node)
    ? { line: lineCounter.linePos(node.range?.[0] ?? 0).line, value: node.toJS(document) }
    : { line: 1, value: node }
}
