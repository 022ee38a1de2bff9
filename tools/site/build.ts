/** The pages of docs/ as a static site: HTML that loads nothing from elsewhere, with a search, and a check of every link in it. */
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'
import { Marked, type Tokens } from 'marked'
import { pageHtml, searchScript, style } from './page.ts'

const root = join(import.meta.dirname, '..', '..')

/** `text`: of a section, for the search. */
export type Section = { page: string; title: string; heading: string; anchor: string; text: string }
type Page = { source: string; name: string; title: string; html: string; sections: Section[] }

/** Writes the site, and returns the links in it that lead nowhere. */
export function buildSite(folder: string): string[] {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const sources = globSync(['docs/*.md', '*.md'], { cwd: root }).sort()
  const names = new Map(sources.map((source) => [source, nameOf(source)]))
  const files = new Set<string>()
  const pages = sources.map((source) => pageOf(source, names, files))
  const list = pages.map(({ name, title }) => ({ name, title }))
  for (const { name, title, html } of pages) writeFileSync(join(folder, name), pageHtml({ name, title, html, pages: list }))
  for (const file of files) {
    mkdirSync(dirname(join(folder, 'files', file)), { recursive: true })
    cpSync(join(root, file), join(folder, 'files', file))
  }
  const index = JSON.stringify(pages.flatMap(({ sections }) => sections)).replaceAll('<', '\\u003c')
  writeFileSync(join(folder, 'search-index.js'), `window.sections = ${index}\n`)
  writeFileSync(join(folder, 'search.js'), searchScript)
  writeFileSync(join(folder, 'style.css'), style)
  return deadLinks(folder)
}

/** docs/README.md is where it begins. */
const nameOf = (source: string): string => {
  const name = basename(source, '.md').toLowerCase()
  return source === 'docs/README.md' ? 'index.html' : `${name}.html`
}

function pageOf(source: string, names: Map<string, string>, files: Set<string>): Page {
  const name = names.get(source) ?? ''
  const text = readFileSync(join(root, source), 'utf8')
  const title = /^# (.*)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? name
  const seen = new Map<string, number>()
  const sections: Section[] = [{ page: name, title, heading: title, anchor: '', text: '' }]
  const marked = new Marked({ gfm: true })
  const leadTo = (href: string): string => linkIn(source, href, names, files)
  marked.use({
    renderer: {
      heading({ tokens, depth, text: raw }: Tokens.Heading) {
        const anchor = anchorOf(raw, seen)
        if (depth > 1) sections.push({ page: name, title, heading: plainText(raw), anchor, text: '' })
        return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)} <a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a></h${depth}>\n`
      },
      link({ href, tokens }: Tokens.Link) {
        const inner = this.parser.parseInline(tokens)
        const target = leadTo(href)
        return target === '' ? inner : `<a href="${escaped(target)}">${inner}</a>`
      },
      image({ href, text: alt }: Tokens.Image) {
        return `<img src="${escaped(leadTo(href))}" alt="${escaped(alt)}">`
      },
      html({ text: raw }: Tokens.HTML | Tokens.Tag) {
        return raw.replace(
          /\b(src|srcset|href)="([^"]+)"/g,
          (_, what: string, href: string) => `${what}="${escaped(leadTo(href))}"`,
        )
      },
    },
  })
  const html = marked.parser(marked.lexer(text))
  return { source, name, title, html, sections: withTexts(text, sections) }
}

/** What stands under each heading, without its marks. Comments in code look like headings. */
function withTexts(text: string, sections: Section[]): Section[] {
  const bodies = text
    .replace(/^(`{3,})[\s\S]*?^\1$/gm, (code) => code.replace(/^#/gm, ' #'))
    .split(/^#{1,6} .*$/m)
    .slice(1)
  return sections.map((section, index) => ({ ...section, text: plainText(bodies[index] ?? '') }))
}

const plainText = (text: string): string =>
  text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<[^>]+>/g, ' ')
    .replace(/[`*|#>]|(?<!\w)_|_(?!\w)/g, ' ') // names such as pr_rounds stay whole
    .replace(/\s+/g, ' ')
    .trim()

/** As GitHub makes them, so that a link works in both places. */
function anchorOf(heading: string, seen: Map<string, number>): string {
  const base = heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
  const times = seen.get(base) ?? 0
  seen.set(base, times + 1)
  return times === 0 ? base : `${base}-${times}`
}

/** To another page of the site, to a file that goes with it, or elsewhere. Empty: to a folder of the repository, which the site does not have. */
function linkIn(source: string, href: string, names: Map<string, string>, files: Set<string>): string {
  if (/^[a-z]+:|^#/i.test(href)) return href
  const [path = '', anchor] = href.split('#')
  const target = posix.join(posix.dirname(source), path)
  const hash = anchor === undefined ? '' : `#${anchor}`
  const page = names.get(target) ?? names.get(`${target.replace(/\/$/, '')}/README.md`)
  if (page !== undefined) return `${page}${hash}`
  const known = statSync(join(root, target), { throwIfNoEntry: false })
  if (known?.isDirectory()) return ''
  if (known !== undefined) files.add(target)
  return `files/${target}`
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

/** In the pages as they are written, so that nothing is taken for granted about how. */
export function deadLinks(folder: string): string[] {
  const pages = globSync('*.html', { cwd: folder })
  const ids = new Map(
    pages.map((page) => [
      page,
      new Set([...readFileSync(join(folder, page), 'utf8').matchAll(/\bid="([^"]*)"/g)].map(([, id]) => id)),
    ]),
  )
  return pages.flatMap((page) =>
    [...readFileSync(join(folder, page), 'utf8').matchAll(/\b(?:href|src|srcset)="([^"]*)"/g)].flatMap(([, href = '']) => {
      if (/^[a-z]+:/i.test(href)) return []
      const [path = '', anchor] = href.split('#')
      const target = path === '' ? page : path
      const isThere = existsSync(join(folder, decodeURIComponent(target)))
      const hasAnchor =
        anchor === undefined || anchor === '' || !target.endsWith('.html') || ids.get(target)?.has(decodeURIComponent(anchor))
      return isThere && hasAnchor ? [] : [`${page}: ${href}`]
    }),
  )
}
