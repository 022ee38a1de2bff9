/** The samples of the documentation are what the program prints. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { pagePath, samplePages, withSamples } from './samples.ts'

test('samples are what the program prints; node tools/samples.ts writes them', { concurrency: 3 }, async (t) => {
  const isCurrent = (page: string) =>
    t.test(page, async () => {
      const text = readFileSync(pagePath(page), 'utf8')
      assert.equal(await withSamples(text), text)
    })
  await Promise.all(samplePages.map(isCurrent))
})
