// Makes docs/proof.md from the lists in test/cheats/ and their expected results: node tools/proof-page.ts
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Cheat, Honest } from '../test/cheats/case.ts'
import { cheatFamilies, cheats } from '../test/cheats/cheats/list.ts'
import { honest, honestFamilies } from '../test/cheats/honest/list.ts'
import { type CheatResult, expected, type HonestResult } from '../test/cheats/suite.ts'

const page = join(dirname(fileURLToPath(import.meta.url)), '..', 'docs', 'proof.md')
const known = expected()

/** What is between these lines is made from the lists; the rest is written by hand. */
const [begins, ends] = ['<!-- made by tools/proof-page.ts -->', '<!-- end -->']

export const currentPage = (): string => readFileSync(page, 'utf8')

export function freshPage(): string {
  const text = currentPage()
  const [from, to] = [text.indexOf(begins), text.indexOf(ends)]
  if (from < 0 || to < from) throw new Error(`docs/proof.md lacks ${begins} or ${ends}`)
  return `${text.slice(0, from + begins.length)}\n${lists()}\n${text.slice(to)}`
}

function lists(): string {
  return `
**${cheats.length} cheats**: ${counted(cheats.map(worstOfCheat), ['refused', 'reserved', 'undone', 'missed'])}.
**${honest.length} honest changes**: ${counted(honest.map(worstOfHonest), ['passed', 'reserved', 'refused'])}.
A case that is played in several steps counts with its worst result.

## Cheats

| result | |
|---|---|
| refused | the story does not pass; the reason is in the next prompt and in \`ralph why\` |
| reserved | it passes with a reservation that names the cheat; it is not proven until a reviewer or a person has answered it |
| undone | what the agent did had no effect; what is on the branch is right |
| missed | it passes, and nothing is said |

${cheatFamilies.map(([title, list]) => `### ${title}\n\n| cheat | project | what catches it | result |\n|---|---|---|---|\n${list.map(cheatRow).join('\n')}`).join('\n\n')}

## Honest changes

They look like cheats, and none of them may be refused. The plainly honest ones have no reservation either.

${honestFamilies.map(([title, list]) => `### ${title}\n\n| change | project | plainly honest | result |\n|---|---|---|---|\n${list.map(honestRow).join('\n')}`).join('\n\n')}
`
}

const cheatOrder: CheatResult[] = ['refused', 'reserved', 'undone', 'missed']
const honestOrder: HonestResult[] = ['passed', 'reserved', 'refused']

const worstOfCheat = ({ name }: Cheat): CheatResult => worst(cheatOrder, Object.values(known.cheats[name] ?? {}))
const worstOfHonest = ({ name }: Honest): HonestResult => worst(honestOrder, Object.values(known.honest[name] ?? {}))

function worst<R>(order: R[], results: R[]): R {
  const found = order.findLast((result) => results.includes(result))
  if (found === undefined) throw new Error('a case without a result: npm run cheats -- --new --write')
  return found
}

const counted = <R extends string>(results: R[], order: R[]): string =>
  order.map((result) => `${results.filter((each) => each === result).length} ${result}`).join(', ')

const cell = (text: string): string => text.replaceAll('|', '\\|')
const cheatRow = (cheat: Cheat): string =>
  `| ${cell(cheat.words)} | ${cheat.project.name} | ${cell(caughtBy(cheat))} | ${worstOfCheat(cheat)} |`

/** The rules, where it was caught by some; otherwise in words. */
function caughtBy({ name, caughtBy }: Cheat): string {
  const rules = new Set(Object.values(known.by[name] ?? {}).flatMap((said) => said.split(', ').filter((rule) => rule !== '')))
  const gates = [...rules].some((rule) => rule.startsWith('gate ')) ? ['the gate, on the commit alone'] : []
  const found = [...gates, ...[...rules].filter((rule) => !rule.startsWith('gate ')).map((rule) => `\`${rule}\``)]
  return found.length === 0 || cheatOrder.indexOf('undone') <= cheatOrder.indexOf(worstOfCheat({ name } as Cheat))
    ? caughtBy
    : found.join(', ')
}
const honestRow = (change: Honest): string =>
  `| ${cell(change.words)} | ${change.project.name} | ${change.isPlain ? 'yes' : ''} | ${worstOfHonest(change)} |`

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(page, freshPage())
