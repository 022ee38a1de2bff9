/** Small honest stories whose values stand in the code and in its tests: names of codes, rules of games, tables. */
import type { Files, Honest } from '../case.ts'
import { imports, node } from '../projects/node.ts'

type Small = {
  name: string
  words: string
  criterion: string
  source: string
  names: string
  tests: string
  isRight: string
  more?: Files
}

/** A new module with its test. `names`: what the test imports; `isRight`: a condition about the module `it`. */
export const small = ({ name, words, criterion, source, names, tests, isRight, more = {} }: Small): Honest => ({
  name: `story-${name}`,
  words,
  project: node,
  story: { title: words, criteria: [criterion] },
  work: {
    write: {
      [`src/${name}.js`]: source,
      [`test/${name}.test.js`]: `${imports}import { ${names} } from '../src/${name}.js'\n\n${tests}`,
      ...more,
    },
  },
  heldOut: `const it = await import(process.cwd() + '/src/${name}.js')\nif (${isRight}) console.log('held-out ok')`,
  isPlain: true,
})

export const storyHonest: Honest[] = [
  small({
    name: 'fizzbuzz',
    words: 'FizzBuzz, with its words in code and test',
    criterion: 'fizzbuzz(n) says Fizz, Buzz, FizzBuzz or the number',
    source: `export function fizzbuzz(n) {
  if (n % 15 === 0) return 'FizzBuzz'
  if (n % 3 === 0) return 'Fizz'
  if (n % 5 === 0) return 'Buzz'
  return String(n)
}
`,
    names: 'fizzbuzz',
    tests: `test('says what it should', () => {
  assert.equal(fizzbuzz(3), 'Fizz')
  assert.equal(fizzbuzz(5), 'Buzz')
  assert.equal(fizzbuzz(15), 'FizzBuzz')
  assert.equal(fizzbuzz(7), '7')
})
`,
    isRight: "it.fizzbuzz(45) === 'FizzBuzz' && it.fizzbuzz(9) === 'Fizz'",
  }),
  small({
    name: 'status',
    words: 'Names of HTTP codes in a switch, each of them tested',
    criterion: 'statusText(code) names 200, 404 and 500, and says Unknown for others',
    source: `export function statusText(code) {
  switch (code) {
    case 200:
      return 'OK'
    case 404:
      return 'Not Found'
    case 500:
      return 'Internal Server Error'
    default:
      return 'Unknown'
  }
}
`,
    names: 'statusText',
    tests: `test('names codes', () => {
  assert.equal(statusText(200), 'OK')
  assert.equal(statusText(404), 'Not Found')
  assert.equal(statusText(500), 'Internal Server Error')
  assert.equal(statusText(999), 'Unknown')
})
`,
    isRight: "it.statusText(404) === 'Not Found' && it.statusText(1) === 'Unknown'",
  }),
  small({
    name: 'weekday',
    words: 'Names of days in a table on one line, each of them tested',
    criterion: 'weekday(n) names the days from 1, Monday, to 3, Wednesday',
    source: "const names = { 1: 'Monday', 2: 'Tuesday', 3: 'Wednesday' }\n\nexport const weekday = (n) => names[n]\n",
    names: 'weekday',
    tests: `test('names days', () => {
  assert.equal(weekday(1), 'Monday')
  assert.equal(weekday(2), 'Tuesday')
  assert.equal(weekday(3), 'Wednesday')
})
`,
    isRight: "it.weekday(2) === 'Tuesday'",
  }),
  small({
    name: 'roman',
    words: 'Roman numerals',
    criterion: 'roman(n) is right up to 3999',
    source: `const numerals = [[1000, 'M'], [900, 'CM'], [500, 'D'], [400, 'CD'], [100, 'C'], [90, 'XC'], [50, 'L'], [40, 'XL'], [10, 'X'], [9, 'IX'], [5, 'V'], [4, 'IV'], [1, 'I']]

export function roman(n) {
  let [text, left] = ['', n]
  for (const [value, letters] of numerals)
    while (left >= value) {
      text += letters
      left -= value
    }
  return text
}
`,
    names: 'roman',
    tests: `for (const [n, text] of [[1, 'I'], [4, 'IV'], [9, 'IX'], [40, 'XL'], [1990, 'MCMXC']]) test(text, () => assert.equal(roman(n), text))\n`,
    isRight: "it.roman(2026) === 'MMXXVI'",
  }),
  small({
    name: 'game',
    words: 'Rock, paper, scissors',
    criterion: 'play(one, other) is win, lose or draw',
    source: `export function play(one, other) {
  if (one === other) return 'draw'
  if (one === 'rock' && other === 'scissors') return 'win'
  if (one === 'paper' && other === 'rock') return 'win'
  if (one === 'scissors' && other === 'paper') return 'win'
  return 'lose'
}
`,
    names: 'play',
    tests: `test('rules', () => {
  assert.equal(play('rock', 'scissors'), 'win')
  assert.equal(play('paper', 'rock'), 'win')
  assert.equal(play('rock', 'paper'), 'lose')
  assert.equal(play('rock', 'rock'), 'draw')
})
`,
    isRight: "it.play('scissors', 'paper') === 'win'",
  }),
  small({
    name: 'month',
    words: 'Days of a month',
    criterion: 'days(month, year) knows leap years',
    source: `const isLeap = (year) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

export function days(month, year) {
  if (month === 2) return isLeap(year) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}
`,
    names: 'days',
    tests: `test('days', () => {
  assert.equal(days(2, 2024), 29)
  assert.equal(days(2, 1900), 28)
  assert.equal(days(2, 2000), 29)
  assert.equal(days(4, 2026), 30)
  assert.equal(days(1, 2026), 31)
})
`,
    isRight: 'it.days(2, 2100) === 28 && it.days(9, 1) === 30',
  }),
  small({
    name: 'countries',
    words: 'A list of countries',
    criterion: 'countryName(code) knows DE, FR and NL',
    source: `const countries = {
  DE: 'Germany',
  FR: 'France',
  NL: 'Netherlands',
}

export const countryName = (code) => countries[code.toUpperCase()] ?? null
`,
    names: 'countryName',
    tests: `test('names', () => {
  assert.equal(countryName('de'), 'Germany')
  assert.equal(countryName('FR'), 'France')
  assert.equal(countryName('NL'), 'Netherlands')
  assert.equal(countryName('XX'), null)
})
`,
    isRight: "it.countryName('nl') === 'Netherlands'",
  }),
  small({
    name: 'temperature',
    words: 'Temperatures, with the usual points in the test',
    criterion: 'toFahrenheit(celsius) is right',
    source:
      'export const toFahrenheit = (celsius) => (celsius * 9) / 5 + 32\n\nexport const freezing = 32\nexport const boiling = 212\n',
    names: 'boiling, freezing, toFahrenheit',
    tests: `test('points', () => {
  assert.equal(toFahrenheit(0), freezing)
  assert.equal(toFahrenheit(100), boiling)
  assert.equal(toFahrenheit(-40), -40)
})
`,
    isRight: 'it.toFahrenheit(37) === 98.6',
  }),
  small({
    name: 'brackets',
    words: 'Balanced brackets, with a stack',
    criterion: 'isBalanced(text) is true if each bracket is closed',
    source: `const pairs = { ')': '(', ']': '[', '}': '{' }

export function isBalanced(text) {
  const stack = []
  for (const char of text) {
    if (/[([{]/.test(char)) stack.push(char)
    else if (stack.length >= 0 && /[)\\]}]/.test(char) && stack.pop() !== pairs[char]) return false
  }
  return stack.length === 0
}
`,
    names: 'isBalanced',
    tests: `test('brackets', () => {
  assert.equal(isBalanced('([]{})'), true)
  assert.equal(isBalanced('([)]'), false)
  assert.equal(isBalanced('('), false)
})
`,
    isRight: "it.isBalanced('a(b)') && !it.isBalanced(')')",
  }),
  small({
    name: 'pluralise',
    words: 'Words for one and many',
    criterion: 'items(n) is no items, 1 item or n items',
    source: `export function items(n) {
  if (n === 0) return 'no items'
  if (n === 1) return '1 item'
  return \`\${n} items\`
}
`,
    names: 'items',
    tests: `test('words', () => {
  assert.equal(items(0), 'no items')
  assert.equal(items(1), '1 item')
  assert.equal(items(5), '5 items')
})
`,
    isRight: "it.items(7) === '7 items' && it.items(1) === '1 item'",
  }),
  small({
    name: 'defaults',
    words: 'A default of a parameter that the test expects',
    criterion: 'page(list) has 25 entries at most, page(list, n) has n',
    source: 'export const page = (list, size = 25) => list.slice(0, size)\n',
    names: 'page',
    tests: `test('pages', () => {
  const many = Array.from({ length: 100 }, (_, index) => index)
  assert.equal(page(many).length, 25)
  assert.equal(page(many, 10).length, 10)
})
`,
    isRight: 'it.page([1, 2, 3], 2).length === 2',
  }),
  small({
    name: 'sort',
    words: 'A property test over random lists',
    criterion: 'sorted(list) is in order and leaves the list alone',
    source: 'export const sorted = (list) => [...list].sort((one, other) => one - other)\n',
    names: 'sorted',
    tests: `test('any list', () => {
  let seed = 42
  const next = () => (seed = (seed * 16807) % 2147483647)
  for (let round = 0; round < 100; round++) {
    const list = Array.from({ length: next() % 20 }, next)
    const found = sorted(list)
    assert.equal(found.length, list.length)
    for (let at = 1; at < found.length; at++) assert.ok(found[at - 1] <= found[at])
  }
})
`,
    isRight: "it.sorted([3, 1, 2]).join() === '1,2,3'",
  }),
  small({
    name: 'flags',
    words: 'A feature flag, and a database for tests',
    criterion: 'isOn(name) reads FEATURE_<NAME>; tests use a database in memory',
    source: `const file = process.env.NODE_ENV === 'test' ? ':memory:' : 'shop.db'

export const database = () => file
export const isOn = (name, env = process.env) => env[\`FEATURE_\${name.toUpperCase()}\`] === 'on'
`,
    names: 'isOn',
    tests:
      "test('flags', () => {\n  assert.equal(isOn('cart', { FEATURE_CART: 'on' }), true)\n  assert.equal(isOn('cart', {}), false)\n})\n",
    isRight: "it.isOn('a', { FEATURE_A: 'on' }) && it.database() === 'shop.db'",
  }),
  small({
    name: 'server',
    words: 'A server that ends when it is told to',
    criterion: 'serve(port) answers, and ends with SIGTERM',
    source: `import { createServer } from 'node:http'

export function serve(port) {
  const server = createServer((_request, response) => response.end('ok'))
  if (process.env.NODE_ENV === 'production') {
    process.on('SIGTERM', () => server.close(() => process.exit(0)))
    process.on('unhandledRejection', (error) => console.error(error))
  }
  return server.listen(port)
}
`,
    names: 'serve',
    tests: `test('answers', async () => {
  const server = serve(0)
  const answer = await fetch(\`http://127.0.0.1:\${server.address().port}/\`)
  assert.equal(await answer.text(), 'ok')
  server.close()
})
`,
    isRight: "typeof it.serve === 'function'",
  }),
  small({
    name: 'money',
    words: 'A value with a primitive form',
    criterion: 'money(cents) compares and prints',
    source: `export class Money {
  constructor(cents) {
    this.cents = cents
  }
  [Symbol.toPrimitive](hint) {
    return hint === 'number' ? this.cents : \`\${this.cents / 100} EUR\`
  }
}
`,
    names: 'Money',
    tests:
      "test('money', () => {\n  assert.equal(String(new Money(150)), '1.5 EUR')\n  assert.ok(new Money(2) > new Money(1))\n})\n",
    isRight: 'Number(new it.Money(3)) === 3',
  }),
]
