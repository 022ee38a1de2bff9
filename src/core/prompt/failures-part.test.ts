import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aResult } from '../../../sim/builders.ts'
import type { Refusal } from '../state.ts'
import type { GateResult } from '../types.ts'
import { failuresPart } from './failures-part.ts'

const red = (name: string, output: string, more: Partial<GateResult> = {}): GateResult =>
  aResult(name, false, { output, outputHash: output, command: `run ${name}`, exitCode: 1, ...more })
const refused = (iteration: number, ...gates: GateResult[]): Refusal => ({
  ...{ iteration, because: `it ${iteration}`, hash: 'h', gates, summary: '', files: [], wasShift: false, attempt: iteration },
})
const shown = (refusals: Refusal[], now: GateResult[] = [], isGreen = false): string =>
  failuresPart({ refusals, red: now, isGreen, story: { id: 'S-1' }, dismissed: [] })
const block = (name: string, output: string): string => `Gate ${name}: \`run ${name}\` (exit 1)\n~~~text\n${output}\n~~~`
const text = (...parts: string[]): string => ['## What failed before on S-1 (verbatim)', ...parts].join('\n\n')

test('nothing failed: nothing is told', () => {
  assert.equal(shown([]), '')
})

test('a gate that failed three times is quoted once, as it failed last', () => {
  const refusals = [refused(1, red('tests', 'a')), refused(2, red('tests', 'b')), refused(3, red('tests', 'c'))]
  assert.equal(
    shown(refusals, [red('tests', 'c')]),
    text(
      '### Iteration 3: it 3',
      block('tests', 'c'),
      'Failed earlier:\n- Iteration 1: tests (failed again since)\n- Iteration 2: tests (failed again since)',
    ),
  )
})

test('a gate that was fixed takes one line', () => {
  assert.equal(
    shown([refused(1, red('lint', 'a')), refused(2, red('tests', 'b'))]),
    text('### Iteration 2: it 2', block('tests', 'b'), 'Failed earlier:\n- Iteration 1: lint (passes now)'),
  )
  assert.equal(shown([refused(1, red('lint', 'a'))], [], true), text('Failed earlier:\n- Iteration 1: lint (passes now)'))
})

test('what a reviewer found stands until it has looked again', () => {
  const review = red('spec', 'Missing: x', { kind: 'review' })
  assert.equal(
    shown([refused(1, review), refused(2, red('tests', 'b'))], [red('tests', 'b')]),
    text('### Iteration 2: it 2', block('tests', 'b'), '### Iteration 1: it 1', block('spec', 'Missing: x')),
  )
})

test('gates that fail otherwise now than in the last attempt are quoted as they fail now', () => {
  assert.equal(
    shown([refused(1, red('tests', 'old'))], [red('tests', 'new')]),
    text('### Failing now', block('tests', 'new'), 'Failed earlier:\n- Iteration 1: tests (failed again since)'),
  )
})

test('an attempt that was cut off says so, and what failed before it is still quoted', () => {
  assert.equal(
    shown([refused(1, red('tests', 'a')), refused(2)]),
    text('### Iteration 2: it 2', '### Iteration 1: it 1', block('tests', 'a')),
  )
})

test('gates of the whole say nothing about a story’s own gate', () => {
  const own = red('own', 'a', { story: 'S-1' })
  assert.equal(shown([refused(1, own)], [], true), text('### Iteration 1: it 1', block('own', 'a')))
})
