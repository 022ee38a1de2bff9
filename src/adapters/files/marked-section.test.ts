import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hasSection, type Sectioned, withoutSection, withSection, yamlComment } from './marked-section.ts'

const begin = '<!-- ralph:notes:begin -->'
const end = '<!-- ralph:notes:end -->'
const textOf = (sectioned: Sectioned): string => (sectioned.ok ? sectioned.text : assert.fail(sectioned.problem))
const put = (text: string | null, body: string): string => textOf(withSection(text, 'notes', body))
const taken = (text: string): string => textOf(withoutSection(text, 'notes'))

test('a section goes to the end of the text, in its own way of ending lines', () => {
  assert.equal(put(null, 'a\nb\n'), `${begin}\na\nb\n${end}\n`)
  assert.equal(put('# Mine\n', 'a'), `# Mine\n\n${begin}\na\n${end}\n`)
  assert.equal(put('# Mine', 'a'), `# Mine\n\n${begin}\na\n${end}`)
  assert.equal(put('# Mine\r\nx\r\n', 'a\nb'), `# Mine\r\nx\r\n\r\n${begin}\r\na\r\nb\r\n${end}\r\n`)
})

test('a section that is there is replaced where it is, and what stands around it stays', () => {
  const text = `\uFEFF# Mine\r\n  ${begin}  \r\nold\r\n\r\nold\r\n${end}\t\r\nmore\nand more`
  assert.equal(put(text, 'new'), `\uFEFF# Mine\r\n  ${begin}\r\nnew\r\n${end}\t\r\nmore\nand more`)
  assert.equal(taken(text), '\uFEFF# Mine\r\n  more\nand more')
})

test('marks that something else stands beside are none', () => {
  const text = `The marks are \`${begin}\` and ${end}.\n`
  assert.equal(hasSection(text, 'notes'), false)
  assert.equal(put(text, 'a'), `${text}\n${begin}\na\n${end}\n`)
})

test('a body that holds the marks does not end its section', () => {
  const text = put('Mine\n', `a\n${end}\n${begin}\nb`)
  assert.equal(put(text, 'a'), put('Mine\n', 'a'))
})

test('sections of other names and other comments are left alone', () => {
  const other = textOf(withSection('Mine\n', 'skills', 'x'))
  const yaml = textOf(withSection(other, 'notes', 'y: 1', yamlComment))
  assert.equal(yaml, `${other}\n# ralph:notes:begin\ny: 1\n# ralph:notes:end\n`)
  assert.equal(taken(put(yaml, 'a')), yaml)
})

test('where a mark is lost or there twice, nothing is written and the problem says what to do', () => {
  const problems = [`a\n${begin}\nb\n`, `a\n${end}\nb\n`, `${end}\n${begin}\n`, `${begin}\n${end}\n${begin}\n${end}\n`].map(
    (text) => [withSection(text, 'notes', 'x'), withoutSection(text, 'notes')],
  )
  const both = (problem: string) => [
    { ok: false, problem },
    { ok: false, problem },
  ]
  const back = (mark: string, how: string) =>
    `Put ${mark} back where Ralph's section ${how}, or delete the other marker too. Nothing was written.`
  assert.deepEqual(problems, [
    both(`has "${begin}" in line 2 without "${end}" after it. ${back(end, 'ends')}`),
    both(`has "${end}" in line 2 without "${begin}" before it. ${back(begin, 'begins')}`),
    both(`has "${end}" in line 1 before "${begin}". ${back(end, 'ends')}`),
    both('has the markers of section "notes" more than once, again in line 3. Delete all but one pair. Nothing was written.'),
  ])
})

const piece = fc.oneof(
  fc.constantFrom('\n', '\r\n', '\r', ' ', '\t', '\uFEFF', '<!-- ', ' -->', '# ', 'x'),
  fc.string({ unit: 'binary', maxLength: 4 }),
)
const anyText = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(''))
const anyBody = fc.array(fc.oneof(piece, fc.constantFrom(begin, end)), { maxLength: 8 }).map((parts) => parts.join(''))

test('a section that is put in and taken out leaves the text byte for byte', () => {
  fc.assert(
    fc.property(anyText, anyBody, (text, body) => assert.equal(taken(put(text, body)), text)),
    { numRuns: 2000 },
  )
})

test('putting the same again changes nothing, and what was there before makes no difference', () => {
  fc.assert(
    fc.property(anyText, anyBody, anyBody, (text, first, second) => {
      assert.equal(put(put(text, first), first), put(text, first))
      assert.equal(put(put(text, first), second), put(text, second))
    }),
    { numRuns: 2000 },
  )
})

test('what people write before and after a section stays byte for byte', () => {
  fc.assert(
    fc.property(anyText, anyText, anyBody, anyBody, (before, after, first, second) => {
      const [head, tail] = [before === '' ? '' : `${before}\n`, after === '' ? '' : `\n${after}`]
      const whole = (body: string) => `${head}${put(null, body).trimEnd()}${tail}`
      const text = put(whole(first), second)
      assert.ok(text.startsWith(head) && text.endsWith(tail))
      assert.equal(text.slice(head.length, text.length - tail.length), put(null, second).slice(0, -1))
    }),
    { numRuns: 1000 },
  )
})
