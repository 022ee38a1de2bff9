/** Families in which something is wrong: what finds faults must be seen to find them. */
import fc from 'fast-check'
import { type Family, family } from './family.ts'

/** Of the first twenty, the sixth is 8, and no other. */
const numbered: fc.Arbitrary<number> = fc.noShrink(fc.noBias(fc.integer({ min: 1, max: 20 })))

export const families: Family[] = [
  family<number>({
    name: 'throws',
    what: 'throws from ten on',
    weight: 1,
    inputs: fc.nat({ max: 1000 }),
    check(input) {
      if (input >= 10) throw new Error('ten or more')
    },
  }),
  family<number>({
    name: 'hangs',
    what: 'never ends with one of its inputs',
    weight: 1,
    inputs: numbered,
    check(input) {
      while (input === 8);
    },
  }),
  family<number>({
    name: 'fills',
    what: 'takes all memory with one of its inputs',
    weight: 1,
    inputs: numbered,
    check(input) {
      const kept: number[][] = []
      while (input === 8) kept.push(new Array(1e5).fill(1.5))
    },
  }),
]
