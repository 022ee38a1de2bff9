/** Jira's documents (ADF) as Markdown, and plain text as such a document. */
import { isText, type Json, recordOf, recordsIn, textOf } from '../../core/text/json.ts'

export function fromDocument(value: unknown): string {
  return isText(value) ? value : blocks(recordsIn(recordOf(value)['content']), 0).trim()
}

/** Paragraphs with line breaks; lines that begin with "- " become a list. */
export function toDocument(text: string): object {
  const parts = text.split(/\n{2,}/).filter((part) => part.trim() !== '')
  return { type: 'doc', version: 1, content: parts.map(blockOf) }
}

const deepest = 20

function blocks(nodes: Json[], depth: number): string {
  if (depth > deepest) return ''
  return nodes.map((node) => block(node, depth)).join('\n\n')
}

function block(node: Json, depth: number): string {
  const content = recordsIn(node['content'])
  const { level, localId: _localId, language } = recordOf(node['attrs'])
  switch (node['type']) {
    case 'heading':
      return `${'#'.repeat(Math.min(6, Math.max(1, Number(level) || 1)))} ${inline(content)}`
    case 'bulletList':
      return items(content, depth, () => '- ')
    case 'orderedList':
      return items(content, depth, (place) => `${place + 1}. `)
    case 'taskList':
      return content
        .map((item) => `- [${recordOf(item['attrs'])['state'] === 'DONE' ? 'x' : ' '}] ${inline(recordsIn(item['content']))}`)
        .join('\n')
    case 'codeBlock':
      return `\`\`\`${textOf(language)}\n${inline(content)}\n\`\`\``
    case 'rule':
      return '---'
    case 'paragraph':
      return inline(content)
    default:
      return content.some(({ type }) => type === 'text') ? inline(content) : blocks(content, depth + 1)
  }
}

function items(content: Json[], depth: number, mark: (place: number) => string): string {
  return content
    .map((item, place) => {
      const text = blocks(recordsIn(item['content']), depth + 1).replace(/\n\n(?=\s*(?:- |\d+\. ))/g, '\n')
      return `${mark(place)}${text.replaceAll('\n', '\n  ')}`
    })
    .join('\n')
}

function inline(nodes: Json[]): string {
  return nodes
    .map((node) => {
      const attrs = recordOf(node['attrs'])
      if (node['type'] === 'hardBreak') return '\n'
      return textOf(node['text']) || textOf(attrs['text']) || textOf(attrs['url'])
    })
    .join('')
}

function blockOf(part: string): object {
  const lines = part.split('\n')
  const listed = lines.map((line) => /^- (.*)$/.exec(line)?.[1])
  if (listed.every(isText))
    return { type: 'bulletList', content: listed.map((text) => ({ type: 'listItem', content: [paragraph([text])] })) }
  return paragraph(lines)
}

const paragraph = (lines: string[]): object => ({
  type: 'paragraph',
  content: lines.flatMap((text, place) => [
    ...(place === 0 ? [] : [{ type: 'hardBreak' }]),
    ...(text === '' ? [] : [{ type: 'text', text }]),
  ]),
})
