/** Ralph's own glyphs in ASCII, for terminals without UTF-8. */

/** Where blanks follow, a longer form takes their place: columns stay columns. */
export const inAscii = (text: string): string =>
  text.replace(known, (all, glyph: string) => {
    const form = ascii.get(glyph) ?? '?'
    const isColumn = all.length >= form.length + 2
    return isColumn ? form.padEnd(all.length) : `${form}${all.slice(1)}`
  })

const ascii = new Map<string, string>([
  ...Object.entries({ '✓': '+', '✗': 'x', '·': '-', '…': '...', '▸': '>', '→': '->', '│': '|', '─': '-', '█': '#', '░': '.' }),
  ...Object.entries({ '▏': '_', '↑': '^', '↓': 'v', '×': 'x', '–': '-', '—': '-', '‘': "'", '’': "'", '“': '"', '”': '"' }),
  ...Object.entries({ '●': '*', '○': 'o', '┃': '|', '━': '=', '↵': 'Enter' }),
  ...[...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'].map((frame, index): [string, string] => [frame, '-\\|/'.charAt(index % 4)]),
])
const known = new RegExp(`([${[...ascii.keys()].join('')}]) *`, 'g')
