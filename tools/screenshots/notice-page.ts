/** What was sent to a service, as a page that looks much as the service shows it: its own markup is drawn, nothing is added. */
import { recordOf, recordsIn, textOf } from '../../src/core/text/json.ts'
import { escaped } from './ansi.ts'
import type { SentNotices } from './notices.ts'

export const noticePage = (service: keyof SentNotices, sent: SentNotices): string =>
  `<!doctype html><meta charset="utf-8"><style>
body { margin: 0; width: 460px; }
main { padding: 16px; font: 14px/1.45 "DejaVu Sans", sans-serif; display: grid; gap: 12px; border-radius: 9px; white-space: pre-wrap; overflow-wrap: anywhere; }
h1, p { margin: 0; } h1 { font-size: 15px; } .small { font-size: 12px; opacity: .75; }
.buttons { display: flex; flex-wrap: wrap; gap: 6px; } .buttons span { border-radius: 5px; padding: 4px 10px; }
code { font: 13px "DejaVu Sans Mono", monospace; }
${looks[service]}
</style><main>${(sent[service] as unknown[]).map((message) => drawn[service](message)).join('')}</main>`

const looks: Record<keyof SentNotices, string> = {
  slack: `main { background: #fff; color: #1d1c1d; } section { border-left: 4px solid #ddd; padding-left: 12px; display: grid; gap: 6px; } .buttons span { border: 1px solid #bbb; font-weight: bold; font-size: 13px; }`,
  discord: `main { background: #313338; color: #dbdee1; } section { background: #2b2d31; border-left: 4px solid; border-radius: 4px; padding: 12px; display: grid; gap: 8px; }`,
  telegram: `main { background: #d5e5c8; color: #000; } section { background: #fff; border-radius: 12px; padding: 8px 12px; width: 360px; } .buttons { display: grid; gap: 4px; margin-top: -6px; width: 384px; } .buttons span { background: #7ea36e; color: #fff; text-align: center; }`,
  ntfy: `main { background: #eee; color: #222; } section { background: #fff; border-radius: 6px; padding: 12px; display: grid; gap: 6px; } .sign { color: #cf222e; } .buttons span { color: #317f6f; font-weight: bold; text-transform: uppercase; font-size: 12px; padding-left: 0; }`,
  email: `main { background: #fff; color: #222; border: 1px solid #ccc; } section { display: grid; gap: 10px; }`,
}

const drawn: Record<keyof SentNotices, (message: unknown) => string> = {
  slack(message) {
    const block = (one: Record<string, unknown>): string => {
      const { type, text } = recordOf(one['text'])
      if (one['type'] === 'header') return `<h1>${escaped(textOf(text))}</h1>`
      if (one['type'] === 'actions')
        return buttons(recordsIn(one['elements']).map((each) => textOf(recordOf(each['text'])['text'])))
      // Slack's own markup: entities, and *bold*.
      const shown = type === 'mrkdwn' ? textOf(text).replace(/^\*([^*]+)\*/, '<b>$1</b>') : escaped(textOf(text))
      return `<p>${shown}</p>`
    }
    return `<section>${recordsIn(recordOf(message)['blocks']).map(block).join('')}</section>`
  },
  discord(message) {
    const [embed = {}] = recordsIn(recordOf(message)['embeds'])
    const unescaped = (text: unknown): string => escaped(textOf(text).replace(/\\(.)/g, '$1'))
    const colour = `#${Number(embed['color']).toString(16).padStart(6, '0')}`
    const fields = recordsIn(embed['fields']).map(({ name, value }) => `<p><b>${unescaped(name)}</b>\n${unescaped(value)}</p>`)
    const footer = textOf(recordOf(embed['footer'])['text'])
    return `<section style="border-color: ${colour}"><h1>${unescaped(embed['title'])}</h1><p>${unescaped(embed['description'])}</p>${fields.join('')}<p class="small">${escaped(footer)}</p></section>`
  },
  telegram(message) {
    const { text, parse_mode: mode, reply_markup: markup } = recordOf(message)
    const rows = recordOf(markup)['inline_keyboard']
    const words = (Array.isArray(rows) ? rows.flat() : []).map((each) => textOf(recordOf(each)['text']))
    return `<section>${mode === 'HTML' ? textOf(text) : escaped(textOf(text))}</section>${words.length === 0 ? '' : buttons(words)}`
  },
  ntfy(message) {
    const { title, message: text, tags, actions } = recordOf(message)
    // Phones draw the emoji of this name; the machine of the pictures may have none.
    const sign = Array.isArray(tags) && tags[0] === 'question' ? '<b class="sign">?</b> ' : ''
    const words = recordsIn(actions).map(({ label }) => textOf(label))
    return `<section><h1>${sign}${escaped(textOf(title))}</h1><p>${escaped(textOf(text))}</p>${words.length === 0 ? '' : buttons(words)}</section>`
  },
  email(message) {
    const [head = '', body = ''] = textOf(message).split('\n\n')
    const shown = head.split('\n').filter((line) => /^(From|To|Subject):/.test(line))
    return `<section><p>${escaped(shown.join('\n'))}</p><p>${escaped(Buffer.from(body, 'base64').toString('utf8').replaceAll('\r', ''))}</p></section>`
  },
}

const buttons = (words: string[]): string =>
  `<div class="buttons">${words.map((word) => `<span>${escaped(word)}</span>`).join('')}</div>`
