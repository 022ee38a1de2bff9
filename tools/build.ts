// Bundles the program into dist/: one entry, one chunk per lazily imported part, and what they share.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { joinChunks } from './join-chunks.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const outdir = join(root, 'dist')
const { metafile, outputFiles } = await build({
  metafile: true,
  write: false,
  absWorkingDir: root,
  entryPoints: {
    main: 'src/main.ts',
    player: 'src/adapters/agents/player/player.ts',
    'plugin-host': 'src/adapters/plugins/host.ts',
    acp: 'src/adapters/agents/acp/bridge.ts',
  },
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  minifySyntax: true,
  minifyWhitespace: true,
  sourcemap: false,
  // Only the monitor has components. Without its development code, its library is half the size.
  jsx: 'automatic',
  define: { 'process.env.NODE_ENV': '"production"' },
  // The fleet's libraries are optional: whoever wants a fleet installs them.
  external: ['react-devtools-core', 'pg', '@opentelemetry/*'],
  logLevel: 'warning',
  plugins: [withoutPrograms()],
  // yaml's CommonJS build loses its names when it is imported lazily; this one is the same code as an ES module.
  alias: { yaml: './node_modules/yaml/browser/index.js' },
})
const parts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]))
// In this order: the little that the scripted agent needs, which is started once a call; what every command needs, what the quickest one needs, what
// the most used one needs.
const joined = await joinChunks(parts, metafile, [
  'src/adapters/agents/player/player.ts',
  'src/main.ts',
  'src/commands/status-and-why.ts',
  'src/run/history/rebuild-status.ts',
  'src/config/sources.ts',
  'src/commands/run.ts',
])
mkdirSync(outdir, { recursive: true })
for (const [name, text] of joined) writeFileSync(join(outdir, name), inAscii(text))
// The dashboard's page, for browsers: loads nothing from elsewhere, and the program itself loads none of it.
await build({
  absWorkingDir: root,
  entryPoints: [
    { in: 'src/dashboard/page/main.tsx', out: 'page' },
    { in: 'src/dashboard/page/style/page.css', out: 'page' },
  ],
  outdir: join(outdir, 'dashboard'),
  bundle: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2023',
  minify: true,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  logLevel: 'warning',
})
// Last, so that a program that is running from here can still load its other chunks.
for (const name of readdirSync(outdir))
  if (name !== 'dashboard' && !joined.has(name)) rmSync(join(outdir, name), { recursive: true })

/** One character outside of Latin-1, which esbuild leaves in regular expressions, and V8 keeps the whole file with two bytes a character. */
function inAscii(text: string): string {
  return text.replaceAll(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The command line's library could start programs for subcommands. Ralph never does, and every command would pay for loading that. */
function withoutPrograms(): Plugin {
  return {
    name: 'without-programs',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^node:child_process$/ }, ({ path, importer }) =>
        importer.includes('/commander/') ? { path, namespace: 'none' } : undefined,
      )
      onLoad({ filter: /.*/, namespace: 'none' }, () => ({ contents: 'export default {}' }))
    },
  }
}
