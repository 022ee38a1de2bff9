/** Finds text that could turn an agent against its task or its user if it were passed on as a lesson. Patterns find only plain cases. */
import { tagStart } from '../reading/promise.ts'
import { markerName } from '../reading/status-block.ts'

/** What is wrong with a one-line text, as the end of a sentence; undefined: nothing found. */
export function harmIn(text: string): string | undefined {
  // search() starts at the beginning, whatever the pattern's lastIndex.
  if (text.search(tagStart) >= 0 || text.search(markerName) >= 0 || exitSignal.test(text)) return 'it contains an agent signal'
  const plain = text.normalize('NFKC').toLowerCase().replaceAll('’', "'")
  const bare = plain.replace(/[*_`~"]/g, '') // i**gnore** is a word too
  return harms.find(({ pattern }) => pattern.test(plain) || pattern.test(bare))?.because
}

const exitSignal = /\bEXIT\\?_SIGNAL\s{0,3}[:=]/i

const any = (...words: string[]): string => `\\b(?:${words.join('|')})\\b`
/** Within a sentence; a full stop inside a name does not end it. */
const gap = '(?:[^.!?;]|[.!?;](?=\\S)){0,60}?'
/** "Never ignore …" is good advice. */
const not = "(?<!\\b(?:not|never|cannot|n't|without)\\s{1,2}(?:ever\\s)?|n't\\s(?:ever\\s)?)"
const elsewhere = 'https?://(?!(?:localhost|127\\.0\\.0\\.1|0\\.0\\.0\\.0|\\[::1\\])(?:[:/\\s]|$))'
const shell = '(?:sudo\\s+)?(?:\\S{0,20}/)?(?:(?:ba|z|da|fi|k)?sh|python\\d?|node|perl|ruby|php|iex|invoke-expression)\\b'
const fetcher = any('curl', 'wget', 'aria2c', 'iwr', 'irm', 'invoke-webrequest', 'invoke-restmethod')

const disobey = any('ignore', 'disregard', 'forget', 'override', 'overrule', 'bypass', 'circumvent', 'violate', 'disobey')
const orders = any('instructions?', 'prompts?', 'guidelines?', 'guardrails?', 'directives?')
const given = any('previous', 'prior', 'above', 'earlier', 'preceding', 'all', 'any', 'your', 'these', 'those')
const rules = any('rules?', 'constraints?', 'polic(?:y|ies)', 'criteria', 'orders', 'restrictions?', 'safety')
const evade = any('skip', 'bypass', 'disable', 'evade', 'fool', 'trick', 'deceive', 'circumvent', 'get around')
const checks = `(?<!feature )${any('gates?', 'reviewers?', 'spec review', 'ralph')}`

const secret = `(?:${any('secrets?', 'credentials?', 'passwords?', 'passphrases?', 'private keys?', 'ssh keys?', 'id_?rsa')}|${any('environment variables', 'env vars')}|(?<!\\S)\\.env\\b|\\.ssh/|\\.aws/)`
const anySecret = `(?:${secret}|${any('tokens?', 'api[ _-]?keys?', 'system prompt')})`
const away = `(?:${elsewhere}|\\S@\\S|${any('webhook', 'gist', 'pastebin', 'issue', 'pull request', 'attacker')})`

const harms: { because: string; pattern: RegExp }[] = [
  {
    because: 'it asks to ignore rules',
    pattern: alternatives(
      not + disobey + gap + orders,
      not + disobey + gap + given + gap + rules,
      not + evade + gap + checks,
      `${any('you are')} (?:now|no longer)\\b`,
      `${any('new', 'updated', 'real', 'actual')} (?:system )?(?:instructions?|prompt)\\s?:`,
      '</?system(?:-reminder)?>|<\\|\\w{1,20}\\|>|\\[/?inst\\]',
      '--no-verify\\b',
      `\\bpasses"?\\s?[:=]\\s?true\\b${gap}${any('without', 'regardless', 'even if', 'anyway', 'always', 'immediately')}`,
    ),
  },
  {
    because: 'it asks to run downloaded code',
    pattern: alternatives(
      `${fetcher}.{0,200}\\|\\s{0,3}${shell}`,
      `(?:${shell}|\\beval\\b|\\bsource\\b).{0,20}(?:<\\(|\\$\\(|\`)\\s{0,3}${fetcher}`,
      `\\bbase64\\s+(?:-d|--decode)\\b.{0,60}\\|\\s{0,3}${shell}`,
      not + any('run', 'execute', 'eval', 'install', 'source', 'npx') + gap + elsewhere,
    ),
  },
  {
    because: 'it asks to reveal secrets',
    pattern: alternatives(
      not + any('reveal', 'exfiltrate', 'leak', 'disclose', 'steal', 'harvest') + gap + anySecret,
      `${not}${any('print', 'echo', 'output', 'dump', 'cat', 'repeat', 'paste', 'log(?! in| into| out)')}${gap}${secret}`,
      not + any('send', 'post', 'upload', 'e-?mail', 'share', 'copy', 'forward', 'transmit') + gap + anySecret + gap + away,
    ),
  },
]

function alternatives(...patterns: string[]): RegExp {
  return new RegExp(patterns.join('|'))
}
