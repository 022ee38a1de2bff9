/** Ralph's own glyphs in ASCII, for terminals without UTF-8. */

export const inAscii = (text: string): string => text.replace(known, (glyph) => ascii.get(glyph) ?? '?')

const ascii = new Map<string, string>([
  ...Object.entries({ '✓': '+', '✗': 'x', '·': '-', '…': '...', '▸': '>', '→': '->', '│': '|', '─': '-', '█': '#', '░': '.' }),
  ...Object.entries({ '▏': '_', '↑': '^', '↓': 'v', '×': 'x', '–': '-', '—': '-', '‘': "'", '’': "'", '“': '"', '”': '"' }),
  ...Object.entries({ '●': '*', '○': 'o', '┃': '|', '━': '=', '↵': 'Enter' }),
  ...[...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'].map((frame, index): [string, string] => [frame, '-\\|/'.charAt(index % 4)]),
])
const known = new RegExp(`[${[...ascii.keys()].join('')}]`, 'g')
