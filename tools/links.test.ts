/** Every link between pages leads to a file that is there, and to a heading that it has. */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'

const root = join(import.meta.dirname, '..')
const pages = globSync(['*.md', 'docs/*.md'], { cwd: root })
const textOf = (page: string): string => readFileSync(join(root, page), 'utf8').replace(/^(`{3,})[\s\S]*?^\1$/gm, '')
/** As GitHub makes them of headings. */
const anchorsOf = (page: string): string[] =>
  [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    title!
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

test('links between pages lead to files and headings that are there', () => {
  const broken = pages.flatMap((page) =>
    [...textOf(page).matchAll(/\]\(((?!\w+:)[^)#\s]*)(?:#([^)\s]*))?\)|(?:src|srcset)="([^"]+)"/g)].flatMap(
      ([link, path, anchor, image]) => {
        const file = path === '' ? page : join(dirname(page), image ?? path!)
        if (!existsSync(join(root, file))) return [`${page}: ${link}`]
        return anchor === undefined || anchorsOf(file).includes(anchor) ? [] : [`${page}: ${link}`]
      },
    ),
  )
  assert.deepEqual(broken, [])
})
