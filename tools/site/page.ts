/** A page around the text: the list of pages, the search, the style. */

type Shown = { name: string; title: string; html: string; pages: { name: string; title: string }[] }

export function pageHtml({ name, title, html, pages }: Shown): string {
  const links = pages
    .toSorted((a, b) => Number(b.name === 'index.html') - Number(a.name === 'index.html') || a.title.localeCompare(b.title))
    .map(
      (page) => `<li><a href="${page.name}"${page.name === name ? ' aria-current="page"' : ''}>${escaped(page.title)}</a></li>`,
    )
    .join('\n')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Ralph</title>
<link rel="stylesheet" href="style.css">
</head>
<body>
<nav aria-label="Pages">
<a class="home" href="index.html">Ralph</a>
<input type="search" id="search" placeholder="Search (press /)" aria-label="Search the documentation" autocomplete="off">
<ol id="found" aria-live="polite"></ol>
<ul id="pages">
${links}
</ul>
</nav>
<main>
${html}
</main>
<script src="search-index.js" defer></script>
<script src="search.js" defer></script>
</body>
</html>
`
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** Every word must occur. A heading counts most, then how much of a section is about the words; what changed once comes last. */
export const rankScript = `const rank = (sections, query) => {
  const words = query.toLowerCase().split(/\\s+/).filter(Boolean)
  const score = ({ page, title, heading, text }) => {
    const [whole, own, body] = [title + ' ' + heading, heading, text].map((each) => each.toLowerCase())
    const length = body.split(' ').length
    let sum = 0
    for (const word of words) {
      const times = body.split(word).length - 1
      if (times === 0 && !whole.includes(word)) return 0
      sum += (own.includes(word) ? 10 : whole.includes(word) ? 5 : 1) + Math.min(4, (100 * times) / (length + 50))
    }
    return page === 'changelog.html' ? sum / 100 : sum
  }
  return words.length === 0 ? [] : sections
    .map((section) => ({ section, points: score(section) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
    .map(({ section }) => section)
}
`

/** Nothing is sent anywhere. */
export const searchScript = `${rankScript}
const input = document.getElementById('search')
const found = document.getElementById('found')
const pages = document.getElementById('pages')
input.addEventListener('input', () => {
  const isAsked = input.value.trim() !== ''
  const best = rank(window.sections, input.value).slice(0, 20)
  pages.hidden = isAsked
  found.replaceChildren(...best.map((section) => {
    const item = document.createElement('li')
    const link = document.createElement('a')
    link.href = section.page + (section.anchor === '' ? '' : '#' + section.anchor)
    link.textContent = section.heading === section.title ? section.title : section.title + ': ' + section.heading
    item.append(link)
    return item
  }))
  if (isAsked && best.length === 0) found.append(Object.assign(document.createElement('li'), { textContent: 'Nothing found.' }))
})
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target === input) return
  event.preventDefault()
  input.focus()
})
`

export const style = `:root { color-scheme: light dark; --line: light-dark(#d9dce1, #3a3f47); --soft: light-dark(#f5f6f8, #1d2025); --link: light-dark(#0b57b8, #7db4ff) }
* { box-sizing: border-box }
body { margin: 0; display: grid; grid-template-columns: 16rem minmax(0, 1fr); font: 16px/1.55 system-ui, sans-serif; background: light-dark(#fff, #15171a); color: light-dark(#1a1d21, #e6e8eb) }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; border-right: 1px solid var(--line); background: var(--soft); font-size: 15px }
nav ul, nav ol { list-style: none; margin: 1rem 0; padding: 0 }
nav li { margin: .35rem 0 }
nav a[aria-current] { font-weight: 650 }
.home { display: block; font-weight: 700; margin-bottom: .75rem; text-decoration: none }
input { width: 100%; font: inherit; padding: .4rem .6rem; border: 1px solid var(--line); border-radius: 6px; background: transparent; color: inherit }
main { padding: 1.5rem 2.5rem 5rem; max-width: 62rem; min-width: 0 }
a { color: var(--link) }
a:focus-visible, input:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
h1, h2, h3 { line-height: 1.25; margin: 2rem 0 .75rem }
h1 { margin-top: 0 }
.anchor { opacity: 0; text-decoration: none; font-weight: 400 }
h1:hover .anchor, h2:hover .anchor, h3:hover .anchor, .anchor:focus { opacity: .6 }
code, pre { font: 14px/1.5 ui-monospace, monospace }
code { background: var(--soft); padding: .1em .3em; border-radius: 4px; overflow-wrap: anywhere }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1rem; overflow-x: auto }
td code, th code { overflow-wrap: normal }
pre code { background: none; padding: 0; overflow-wrap: normal }
table { display: block; overflow-x: auto; border-collapse: collapse }
th, td { border: 1px solid var(--line); padding: .4rem .6rem; text-align: left; vertical-align: top }
th { background: var(--soft) }
img { max-width: 100%; height: auto }
@media (max-width: 760px) { body { display: block } nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line) } nav ul { columns: 2 } main { padding: 1rem } }
`
