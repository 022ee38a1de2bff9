/**
 * Joins chunks that are always loaded together. esbuild makes a chunk for every set of parts that share code, more than a hundred; Node needs
 * longer to find and link many small modules than to read one large one.
 */
import { basename } from 'node:path'
import { build, type Metafile } from 'esbuild'

/** The texts of a bundle by file name. */
export type Texts = Map<string, string>

/** `together`: source files; everything that one of them imports eagerly becomes one chunk, without what an earlier one has taken. */
export async function joinChunks(texts: Texts, { outputs }: Metafile, together: string[]): Promise<Texts> {
  const files = new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output]))
  const home = new Map<string, { group: string; names: Map<string, string> }>()
  const joined: Texts = new Map()
  for (const [index, source] of together.entries()) {
    const entry = [...files].find(([, { entryPoint }]) => entryPoint === source)?.[0]
    if (entry === undefined) throw new Error(`${source} is not a part of the bundle`)
    const group = `shared-${index}.js`
    const members = [...reached(files, entry)].filter((name) => files.get(name)!.entryPoint === undefined && !home.has(name))
    const named = members.map((name) => {
      const names = new Map(files.get(name)!.exports.map((own) => [own, `${own}$${name.replace(/^chunk-|\.js$/g, '')}`]))
      home.set(name, { group, names })
      return `export{${[...names].map(([own, other]) => `${own} as ${other}`).join(',')}}from"./${name}";`
    })
    joined.set(group, await bundled(named.join(''), new Map(members.map((name) => [`./${name}`, texts.get(name)!]))))
  }
  const all = new Map([...texts, ...joined])
  return new Map([...all].filter(([name]) => !home.has(name)).map(([name, text]) => [name, redirected(text, home)]))
}

function reached(files: Map<string, Metafile['outputs'][string]>, from: string, seen = new Set<string>()): Set<string> {
  for (const { path, kind, external } of files.get(from)!.imports) {
    const name = basename(path)
    if (kind !== 'import-statement' || external || seen.has(name)) continue
    seen.add(name)
    reached(files, name, seen)
  }
  return seen
}

async function bundled(contents: string, members: Texts): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, loader: 'js' },
    write: false,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    minifyWhitespace: true,
    logLevel: 'warning',
    plugins: [
      {
        name: 'members',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /.*/ }, ({ path }) =>
            members.has(path) ? { path, namespace: 'member' } : { path, external: true },
          )
          onLoad({ filter: /.*/, namespace: 'member' }, ({ path }) => ({ contents: members.get(path)!, loader: 'js' }))
        },
      },
    ],
  })
  return outputFiles[0]!.text
}

const STATIC_IMPORT = /\b(import|export)(?:\{([^}]*)\}from)?"\.\/(chunk-\w+\.js)";/g

/** Redirects imports to the joined chunk. */
function redirected(text: string, home: Map<string, { group: string; names: Map<string, string> }>): string {
  return text.replaceAll(STATIC_IMPORT, (whole, word: string, list: string | undefined, name: string) => {
    const there = home.get(name)
    if (there === undefined) return whole
    if (list === undefined) return `${word}"./${there.group}";`
    const specifiers = list.split(',').map((specifier) => {
      const [own, local = own] = specifier.split(' as ')
      return `${there.names.get(own!)} as ${local}`
    })
    return `${word}{${specifiers.join(',')}}from"./${there.group}";`
  })
}
