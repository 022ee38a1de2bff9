import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { build } from 'esbuild'
import { joinChunks } from './join-chunks.ts'

/** Three commands that share parts of each other; two parts export the same name, and one counts who loaded it. */
const sources: Record<string, string> = {
  'main.js': `import { said } from './said.js'
    const { run } = await import(process.argv[2] === 'look' ? './look.js' : process.argv[2] === 'work' ? './work.js' : './other.js')
    said(run())`,
  'said.js': 'export const said = (text) => console.log(text)',
  'one.js': `import { count } from './count.js'; export const value = () => ["one", count()].join(" ")`,
  'two.js': `import { count } from './count.js'; export const value = () => ["two", count()].join(" ")`,
  'count.js': 'let loaded = 0; export const count = () => (loaded += 1)',
  'look.js': `import { value } from './one.js'; export const run = () => ["look", value()].join(" ")`,
  'work.js': `import { value as first } from './one.js'; import { value as second } from './two.js'; export const run = () => ["work", first(), second()].join(" ")`,
  'other.js': `import { value } from './two.js'; import { said } from './said.js'; export const run = () => ["other", value(), typeof said].join(" ")`,
}

test('chunks that are joined do what they did apart, with one state and each name its own', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-join-'))
  try {
    for (const [name, text] of Object.entries(sources)) writeFileSync(join(folder, name), text)
    const options = { bundle: true, splitting: true, format: 'esm', platform: 'node', minifyWhitespace: true } as const
    const { outputFiles, metafile } = await build({
      ...options,
      absWorkingDir: folder,
      entryPoints: ['main.js'],
      outdir: 'out',
      write: false,
      metafile: true,
    })
    const apart = new Map(outputFiles.map(({ path, text }) => [basename(path), text]))
    const joined = await joinChunks(apart, metafile, ['main.js', 'look.js', 'work.js'])
    assert.deepEqual([...joined.keys()].map((name) => name.replace(/-[A-Z0-9]{8}/, '')).sort(), [
      'look.js',
      'main.js',
      'other.js',
      'shared-0.js',
      'shared-1.js',
      'shared-2.js',
      'work.js',
    ])
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    for (const [name, text] of joined) writeFileSync(join(folder, name), text)
    const run = (word: string) => execFileSync(process.execPath, [join(folder, 'main.js'), word], { encoding: 'utf8' }).trim()
    assert.deepEqual(['look', 'work', 'other'].map(run), ['look one 1', 'work one 1 two 2', 'other two 1 function'])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a part that is not there is an error, not a bundle without it', async () => {
  await assert.rejects(
    joinChunks(new Map(), { inputs: {}, outputs: {} }, ['src/gone.ts']),
    /src\/gone.ts is not a part of the bundle/,
  )
})
