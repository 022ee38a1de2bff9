/** Errors in lines of output: which lines are errors, and which two are the same. */
import { hexFingerprint } from '../text/hash.ts'
import { plainText } from './message.ts'

/** Hash of the parts that are stable between runs, as eight hex digits. */
export const errorHash = (text: string): string => hexFingerprint(normalised(text))

/** What only looks like an error is removed first; the line is an error if a pattern still matches. */
export const looksLikeError = (line: string): boolean => errorAt(plainText(line)) >= 0

/** Where the error begins in a line; -1: none. */
export function errorAt(line: string): number {
  const text = line.slice(0, 4000)
  if (passed.test(text)) return -1
  const rest = lookalikes.reduce((left, lookalike) => left.replace(lookalike, (found) => ' '.repeat(found.length)), text)
  return candidate.exec(rest)?.index ?? -1
}

const volatile: [RegExp, string][] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<id>'],
  [/\b\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:z|[+-]\d\d:?\d\d)?)?(?!\d)/g, '<time>'],
  [/\b\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?[ap]m)?\b/g, '<time>'],
  [
    /(?:\/private)?(?:\/var)?\/tmp\/[^/\s'":;,)\]]{1,200}|(?:\/private)?\/var\/folders\/[^/\s]{1,99}\/[^/\s]{1,99}\/t\/[^/\s'":;,)\]]{1,200}/g,
    '<tmp>',
  ],
  [/\b[a-z]:\\[^\s'"]{0,99}\\temp\\[^\\\s'":;,)\]]{1,200}/g, '<tmp>'],
  [/\b0x[0-9a-f]{1,16}\b/g, '<address>'],
  [/\b(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?\b|\blocalhost:\d{1,5}\b/g, '<address>'],
  [/\b(?=[a-f]{0,63}\d)[0-9a-f]{7,64}\b/g, '<id>'],
  [/\b(?:pid|process|thread|port)[ =:#]{1,3}\d{1,10}\b/g, '<id>'],
  [
    /(?<![\d.])\d{1,12}(?:\.\d{1,9})? ?(?:ns|[µμ]s|ms|msecs?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)\b/g,
    '<duration>',
  ],
  [/\bduration_ms\b['"]?[ :=]{1,3}\d{1,12}(?:\.\d{1,9})?/g, '<duration>'], // node:test, and its TAP
  [/\b(?:lines?|column|col) \d{1,9}\b/g, '<line>'],
  [/(?<=[^\s\d]):\d{1,9}(?::\d{1,9})?\b/g, ':<line>'],
  [/\(\d{1,9}(?:,\s?\d{1,9})\)/g, '(<line>)'],
]

const normalised = (text: string): string =>
  volatile
    .reduce((rest, [pattern, word]) => rest.replace(pattern, word), plainText(text).toLowerCase())
    .replace(/\s+/g, ' ')
    .trim()

/** A passing test, whatever its name says. */
const passed = /^\s*(?:[✓✔√✅]|ok\b|pass(?:ed)?\b|\[pass(?:ed)?\]|--- pass\b)|(?:\.\.\.|::\S{1,200}) ?(?:ok|passed)\b/i

const lookalikes: RegExp[] = [
  // "is_error": false, error_count: 0, errors: [], error: null
  /["']?\b\w{0,40}(?:error|failure|failed|exception)\w{0,40}["']?\s{0,5}[:=]{1,3}\s{0,5}(?:false|null|none|nil|undefined|0|\[\s?\]|\{\s?\}|""|'')(?![\w.])/gi,
  // 0 errors, no errors, fail 0
  /\b(?:0|no|zero|without(?: any)?)\s(?:\w{1,20}\s)?(?:errors?|failures?|failed|failing|exceptions?|fatal)\b/gi,
  /\b(?:fail|fails|failed|failures?|errors?)\s{1,4}0\b(?!\.)/gi,
  // error: Error, catch (e: TypeError): a type, not a message
  /\b[a-z_$][\w$]{0,40}\??\s?:\s?(?:readonly )?(?:[A-Z]\w{0,40}|string|unknown|any|never|void|boolean|number|object)(?:<[^<>]{0,60}>)?(?:\[\])?(?=\s*(?:[|&,;)=>{}'"`]|$))/gm,
  // error_handler.ts, FooException.java
  /[\w./\\-]{0,80}(?:error|exception|fail)[\w-]{0,40}\.[a-z]{1,5}\b/gi,
]

const candidate = new RegExp(
  [
    String.raw`\b(?:\w{0,60}(?:Error|Exception)|error|ERROR|fatal|FATAL|panic|PANIC|Fatal|failed|FAILED|Failed|failure)\b["']?(?:\s?\[\w+\]|\(\w+\)|\s[A-Z]{1,5}\d+)?\s?[:=]\s?\S`,
    String.raw`\berror(?:\[\w+\]|\s[A-Z]{1,5}\d+)`,
    String.raw`\bnpm (?:ERR!|error)`,
    String.raw`^\s*(?:FAIL|FAILED|✗|✘|✖|×|not ok)\b|^\s*[✗✘✖×❌]`,
    String.raw`^\s*(?:[Uu]ncaught|[Uu]nhandled|Caused by|Traceback \(most recent)`,
    String.raw`\bpanicked at\b|\b[Ss]egmentation fault\b|\bcore dumped\b`,
    String.raw`\bE(?:NOENT|ACCES|PERM|XIST|ADDRINUSE|CONNREFUSED|CONNRESET|TIMEDOUT|NOSPC|RR_\w+)\b`,
    String.raw`\b[Pp]ermission denied\b|\b(?:command|module|file|package) not found\b|\bNo such file or directory\b|\b[Cc]annot (?:find|open|read|resolve|access)\b`,
    String.raw`\b[Ff]ailed (?:to|with)\b|\bfailed[.!]?\s*$|\b[1-9]\d* (?:failed|failing|failures?|errors?)\b|\berrors? occurred\b`,
    String.raw`\bexit(?:ed)? (?:with )?(?:code|status) [1-9]`,
  ].join('|'),
  'm',
)

/** The words in which a program says that it does not know an option, or not the value of one. */
const unknownOptions = [
  /\bunknown (?:option|argument|flag|command)s?\b/i, // commander, yargs, cobra, parseArgs
  /\bunexpected argument\b.*\bfound\b/i, // clap
  /\bunrecogni[sz]ed (?:option|argument|flag)s?\b/i, // argparse
  /\bno such option\b/i, // click
  /\bnonexistent flags?\b/i, // oclif
  /\bflag provided but not defined\b/i, // Go
  /\binvalid value '.*' for '-/i, // clap
  /\bargument '.*' is invalid\. allowed choices\b/i, // commander
  /\binvalid values:/i, // yargs
]

export const namesUnknownOption = (line: string): boolean =>
  line.length < 500 && /\S/.test(line) && unknownOptions.some((wording) => wording.test(line))
