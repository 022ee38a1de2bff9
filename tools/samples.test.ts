/** The samples of the documentation are what the program prints. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { pagePath, samplePages, withSamples } from './samples.ts'

for (const page of samplePages)
  test(`the samples of ${page} are what the program prints; node tools/samples.ts writes them`, async () => {
    const text = readFileSync(pagePath(page), 'utf8')
    assert.equal(await withSamples(text), text)
  })
