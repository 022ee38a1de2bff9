// Bundles the program into dist/: one entry, one chunk per lazily imported part.
import { readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const outdir = join(root, 'dist')
const { metafile } = await build({
  metafile: true,
  absWorkingDir: root,
  entryPoints: {
    main: 'src/main.ts',
    player: 'src/adapters/agents/player.ts',
    'plugin-host': 'src/adapters/plugin-host.ts',
    acp: 'src/adapters/agents/acp-bridge.ts',
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
  // The monitor alone has components. Its library is half the size without what is for its developers.
  jsx: 'automatic',
  define: { 'process.env.NODE_ENV': '"production"' },
  // The fleet's libraries are optional: whoever wants a fleet installs them beside the program.
  external: ['react-devtools-core', 'pg', 'pg-boss'],
  logLevel: 'warning',
  // yaml's CommonJS build loses its names when it is imported lazily; this one is the same code as an ES module.
  alias: { yaml: './node_modules/yaml/browser/index.js' },
})
// The dashboard's page, for browsers: nothing is loaded from elsewhere, and nothing of it by the program itself.
await build({
  absWorkingDir: root,
  entryPoints: [
    { in: 'src/dashboard/page/main.tsx', out: 'page' },
    { in: 'src/dashboard/page/page.css', out: 'page' },
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
// Last, so that a program that runs from here meanwhile finds what it has not loaded yet.
const made = new Set(Object.keys(metafile.outputs).map((path) => join(root, path))).add(join(outdir, 'dashboard'))
for (const name of readdirSync(outdir)) if (!made.has(join(outdir, name))) rmSync(join(outdir, name), { recursive: true })
