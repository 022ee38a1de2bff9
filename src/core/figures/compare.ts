/** Compares two samples: the difference of their means with a confidence interval, or that there is too little data. */

export type Comparison =
  | { kind: 'too-few'; with: number; without: number }
  | {
      kind: 'told'
      with: Sample
      without: Sample /** difference of the means, in percent of the mean without */
      percent: Interval
    }
export type Sample = { count: number; mean: number }
export type Interval = { low: number; middle: number; high: number }

/** With fewer on either side, chance alone explains most differences. */
const fewestEach = 5

/** Welch's interval at 95 %: the two samples may have different variances. */
export function comparison(having: number[], without: number[]): Comparison {
  if (having.length < fewestEach || without.length < fewestEach)
    return { kind: 'too-few', with: having.length, without: without.length }
  const [one, other] = [momentsOf(having), momentsOf(without)]
  const [a, b] = [one.variance / having.length, other.variance / without.length]
  const error = Math.sqrt(a + b)
  const freedom = error === 0 ? 1 : (a + b) ** 2 / (a ** 2 / (having.length - 1) + b ** 2 / (without.length - 1))
  const middle = one.mean - other.mean
  const reach = error * studentsT(freedom)
  const inPercent = (value: number): number => (other.mean === 0 ? 0 : (100 * value) / other.mean)
  return {
    kind: 'told',
    with: { count: having.length, mean: one.mean },
    without: { count: without.length, mean: other.mean },
    percent: { low: inPercent(middle - reach), middle: inPercent(middle), high: inPercent(middle + reach) },
  }
}

/** "-12 % (-20 to -4)", or that there is too little data. */
export function comparisonWords(compared: Comparison): string {
  if (compared.kind === 'too-few') return `not enough stories to compare (${compared.with} with, ${compared.without} without)`
  const { low, middle, high } = compared.percent
  const isSure = low > 0 || high < 0
  return `${signed(middle)} % (95 %: ${signed(low)} to ${signed(high)} %)${isSure ? '' : ', could be chance'}`
}

const signed = (value: number): string => `${value > 0 ? '+' : ''}${Math.round(value)}`

function momentsOf(values: number[]): { mean: number; variance: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1)
  return { mean, variance }
}

/** The 97.5 % quantile of Student's distribution, from a table; between rows the wider one is used. */
function studentsT(freedom: number): number {
  const rows: [number, number][] = [
    [120, 1.98],
    [60, 2.0],
    [30, 2.042],
    [20, 2.086],
    [15, 2.131],
    [12, 2.179],
    [10, 2.228],
    [8, 2.306],
    [7, 2.365],
    [6, 2.447],
    [5, 2.571],
    [4, 2.776],
    [3, 3.182],
    [2, 4.303],
  ]
  return rows.find(([least]) => freedom >= least)?.[1] ?? 12.706
}
