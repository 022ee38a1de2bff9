// `npm run test:faults`: tries every point of every scene in every way. `--record` rewrites the list of the sequential one, test/faults/points.json;
// words select walks, also by the name of their scene; `--every 10` takes every tenth of them.
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { keepProof } from '../../tools/proof.ts'
import type { How } from './orders.ts'
import { sequential } from './scenes/sequential.ts'
import { scenes } from './scenes.ts'
import { type Undisturbed, undisturbed, type Walk, walk, walksOf } from './walk.ts'

const { values, positionals: words } = parseArgs({
  options: { record: { type: 'boolean', default: false }, every: { type: 'string', default: '1' } },
  allowPositionals: true,
})
const isWhole = words.length === 0 && values.every === '1'
const began = performance.now()

if (values.record) {
  const { points } = await undisturbed(sequential)
  writeFileSync(join(dirname(fileURLToPath(import.meta.url)), 'points.json'), `${JSON.stringify(points, null, 2)}\n`)
  process.stdout.write(`${points.length} points recorded. Now walk them: npm run test:faults\n`)
} else await walkAll()

type Tally = { scene: string; points: number; walks: Walk[]; lost: number; missed: number }

async function walkAll(): Promise<void> {
  const tallies: Tally[] = []
  for (const scene of scenes.filter(({ name }) => !scenes.some((other) => words.includes(other.name)) || words.includes(name))) {
    const calm = await undisturbed(scene)
    const walks = walksOf(calm)
      .filter(({ point, how }) => words.every((word) => `${scene.name} ${how} ${point}`.includes(word)))
      .filter((_, number) => number % Number(values.every) === 0)
    if (walks.length > 0) tallies.push(await walkScene(calm, walks))
  }
  const sum = (of: (tally: Tally) => number): number => tallies.reduce((total, tally) => total + of(tally), 0)
  const [walks, failures] = [sum((each) => each.walks.length), sum((each) => each.lost + each.missed)]
  const seconds = Math.round((performance.now() - began) / 1000)
  process.stdout.write(
    `${sum((each) => each.points)} points, ${walks} walks, ${sum((each) => each.lost)} with a loss, ${sum((each) => each.missed)} missed, ${seconds} s\n`,
  )
  process.exitCode = failures > 0 || walks === 0 ? 1 : 0
  if (!isWhole) return
  const byHow = (...hows: How[]): number => sum((each) => each.walks.filter(({ how }) => hows.includes(how)).length)
  keepProof(
    {
      name: 'faults',
      what: 'Runs in every mode (a rejected claim, a failed story, a question and a resume; reviewer, learner and archive; two workers with a conflict and a failure; two attempts on one story; imported plans; requests from people while live) are killed, refused or torn at every change to a file and every process they start; what follows reaches the end of the undisturbed run',
      tried: walks,
      failures,
      details: {
        ...Object.fromEntries(tallies.map((each) => [each.scene, `${each.points} points, ${each.walks.length} walks`])),
        'killed just before': byHow('kill'),
        'killed while a process it started lives': byHow('during'),
        'killed with everything that it had started': byHow('tree'),
        'torn writes, killed git': byHow('torn'),
        'refused (full disk, no access, git fails)': byHow('fail'),
        'no process to be had': byHow('unstarted'),
      },
    },
    began,
  )
}

async function walkScene(calm: Undisturbed, walks: Walk[]): Promise<Tally> {
  const { scene, points } = calm
  const left = [...walks]
  const tally: Tally = { scene: scene.name, points: points.length, walks, lost: 0, missed: 0 }
  const worker = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const { isHit, problems, printed } = await walk(next, calm)
      const name = `${scene.name}: ${next.how} at ${next.point}`
      if (!isHit && !scene.isUnordered) {
        tally.missed += 1
        process.stdout.write(`? ${name}: never came there\n`)
      }
      if (problems.length > 0) {
        tally.lost += 1
        process.stdout.write(`✗ ${name}\n  ${problems.join('\n  ')}\n`)
        if (words.length > 1) process.stdout.write(`${printed}\n`)
      }
      const done = walks.length - left.length
      if (done % 50 === 0) process.stdout.write(`${scene.name}: ${done} of ${walks.length} walks, ${tally.lost} with a loss\n`)
    }
  }
  await Promise.all([worker(), worker(), worker()])
  return tally
}
