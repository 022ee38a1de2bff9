import assert from 'node:assert/strict'
import { beforeEach, mock, test } from 'node:test'
import { agentsFirst } from './agents-first.ts'

beforeEach(() => {
  mock.timers.reset()
  mock.timers.enable({ apis: ['setTimeout'] })
})

const waiting = (...stories: string[]) => new Map(stories.map((story) => [story, null]))

/** What has happened when all that can go on has gone on. */
async function soFar(deed: Promise<void>): Promise<'waits' | 'goes'> {
  const { promise, resolve } = Promise.withResolvers<'waits'>()
  setImmediate(() => resolve('waits'))
  return Promise.race([deed.then(() => 'goes' as const), promise])
}

test('what can wait waits for the agent that is about to begin, and a moment more while stories wait for a worker', async () => {
  const starting = Promise.withResolvers<void>()
  const { hurry, letThemGo } = agentsFirst(waiting('S-7'))
  hurry(starting.promise)
  const landing = letThemGo()
  assert.equal(await soFar(landing), 'waits')
  starting.resolve()
  assert.equal(await soFar(landing), 'waits')
  mock.timers.tick(50)
  assert.equal(await soFar(landing), 'goes')
})

test('an agent that ends a moment after another one goes first, too: they began together', async () => {
  const starting = Promise.withResolvers<void>()
  const { hurry, letThemGo } = agentsFirst(waiting('S-7', 'S-8'))
  const landing = letThemGo()
  assert.equal(await soFar(landing), 'waits')
  hurry(starting.promise)
  mock.timers.tick(50)
  assert.equal(await soFar(landing), 'waits')
  starting.resolve()
  assert.equal(await soFar(landing), 'waits')
  hurry(Promise.resolve()) // begun already when the moment is over
  mock.timers.tick(50)
  assert.equal(await soFar(landing), 'waits')
  mock.timers.tick(50)
  assert.equal(await soFar(landing), 'goes')
})

test('where no story waits for a worker, only the last agent that is about to begin is waited for', async () => {
  const starting = Promise.withResolvers<void>()
  const { hurry, letThemGo } = agentsFirst(waiting())
  assert.equal(await soFar(letThemGo()), 'goes')
  hurry(starting.promise)
  const landing = letThemGo()
  assert.equal(await soFar(landing), 'waits')
  starting.resolve()
  assert.equal(await soFar(landing), 'goes')
})

test('an agent whose worktree takes long is not waited for until it is there', async () => {
  const { hurry, letThemGo } = agentsFirst(waiting('S-7'))
  hurry(new Promise(() => {}))
  const landing = letThemGo()
  for (let moments = 0; moments < 10; moments++) {
    assert.equal(await soFar(landing), 'waits')
    mock.timers.tick(50)
  }
  assert.equal(await soFar(landing), 'goes')
})

test('nothing waits for ever where there is always an agent that begins', async () => {
  const { hurry, letThemGo } = agentsFirst(waiting('S-7'))
  let begun = 0
  const begin = (): void => {
    begun += 1
    const next = (done: () => void): void => {
      if (begun < 100) begin() // before this one is over
      done()
    }
    hurry(new Promise((done) => setImmediate(next, done)))
  }
  begin()
  await letThemGo()
  assert.ok(begun < 100)
})

test('an agent that could not begin holds up nothing', async () => {
  const { hurry, letThemGo } = agentsFirst(waiting())
  hurry(Promise.reject(new Error('no')))
  assert.equal(await soFar(letThemGo()), 'goes')
})
