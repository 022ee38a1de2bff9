// `npm run test:faults`: tries every point of test/faults/points.json in every way; `--record` rewrites that list; words select walks.
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { keepProof } from '../../tools/proof.ts'
import type { How } from './orders.ts'
import { undisturbed, type Walk, walk, walksOf } from './walk.ts'

const here = dirname(fileURLToPath(import.meta.url))
const list = join(here, 'points.json')
const words = process.argv.slice(2)
const began = performance.now()

const calm = await undisturbed()
if (words[0] === '--record') {
  writeFileSync(list, `${JSON.stringify(calm.points, null, 2)}\n`)
  process.stdout.write(`${calm.points.length} points recorded. Now walk them: npm run test:faults\n`)
} else await walkAll()

async function walkAll(): Promise<void> {
  const points = JSON.parse(readFileSync(list, 'utf8')) as string[]
  const walks = walksOf(points).filter(({ point, how }) => words.every((word) => `${how} ${point}`.includes(word)))
  const left = [...walks]
  const missed: Walk[] = []
  const lost: string[] = []
  let done = 0
  const worker = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const { isHit, problems, printed } = await walk(next, calm)
      done += 1
      if (!isHit) missed.push(next)
      if (problems.length > 0) {
        lost.push(`${next.how} at ${next.point}: ${problems.join('; ')}`)
        process.stdout.write(`✗ ${next.how} at ${next.point}\n  ${problems.join('\n  ')}\n`)
        if (words.length > 1) process.stdout.write(`${printed}\n`)
      }
      if (done % 50 === 0) process.stdout.write(`${done} of ${walks.length} walks, ${lost.length} with a loss\n`)
    }
  }
  await Promise.all([worker(), worker(), worker()])
  for (const { point, how } of missed) process.stdout.write(`? ${how} at ${point}: never came there\n`)
  const seconds = Math.round((performance.now() - began) / 1000)
  process.stdout.write(
    `${points.length} points, ${walks.length} walks, ${lost.length} with a loss, ${missed.length} missed, ${seconds} s\n`,
  )
  process.exitCode = lost.length + missed.length > 0 || walks.length === 0 ? 1 : 0
  if (words.length > 0) return
  const byHow = (...hows: How[]): number => walks.filter(({ how }) => hows.includes(how)).length
  keepProof(
    {
      name: 'faults',
      what: 'A run with gates, a refused claim, a failed story, a question and a resume is killed, refused or torn at every change to a file and every process it starts; the next run reaches the end of the undisturbed one',
      tried: walks.length,
      failures: lost.length + missed.length,
      details: {
        points: points.length,
        'killed just before': byHow('kill'),
        'killed while a process it started lives': byHow('during'),
        'torn writes, killed git': byHow('torn'),
        'refused (full disk, no access, git fails)': byHow('fail'),
        'no process to be had': byHow('unstarted'),
      },
    },
    began,
  )
}
