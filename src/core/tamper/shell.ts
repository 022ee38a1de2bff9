/** Splits shell commands into words, enough to see what is run: handles quotes, lists and nested shells, but expands nothing. */

/** Each simple command as its words, without quotes; the commands in `sh -c` and `eval` replace them. */
export function shellCommands(text: string): string[][] {
  return commandsIn(text).flatMap((words) => {
    const { variables, words: own } = unwrapped(words)
    const inner = innerScript(own)
    return inner === null ? [words] : [variables, ...shellCommands(inner)].filter((list) => list.length > 0)
  })
}

/** What precedes the program: variables set only for it, and programs that start others. */
export function unwrapped(words: string[]): { variables: string[]; words: string[] } {
  const variables: string[] = []
  let at = 0
  for (let word = words[at]; word !== undefined; word = words[++at]) {
    if (assignment.test(word)) variables.push(word)
    else if (word === 'timeout') while (/^(?:-|\d)/.test(words[at + 1] ?? '')) at++
    else if (!starters.has(word)) break
  }
  return { variables, words: words.slice(at) }
}

/** The text of a here-document is data: it is removed, even if it was cut off or put on one line. */
export const withoutHeredocs = (text: string): string => text.replace(heredoc, ' ')

export const programOf = (words: string[]): string => words[0]?.split('/').at(-1) ?? ''

const heredoc = /(?<!<)<<-?[ \t]*(['"]?)([A-Za-z_]\w*)\1(?:[\s\S]*?\s\2(?![\w-])|[\s\S]*$)/g
const assignment = /^[A-Za-z_]\w*=/
const starters = new Set(['env', 'command', 'sudo', 'exec', 'time', 'nohup', 'then', 'do', 'else', 'if', '!', '{'])

function innerScript(words: string[]): string | null {
  const program = programOf(words)
  if (program === 'eval') return words.slice(1).join(' ')
  if (!/^(?:ba|da|k|z)?sh$/.test(program)) return null
  const option = words.findIndex((word) => /^-[a-z]*c$/.test(word))
  return option === -1 ? null : (words[option + 1] ?? null)
}

function commandsIn(text: string): string[][] {
  const source = withoutHeredocs(text)
  const commands: string[][] = []
  let words: string[] = []
  let word: string | null = null
  const endWord = () => {
    if (word !== null) words.push(word)
    word = null
  }
  const endCommand = () => {
    endWord()
    if (words.length > 0) commands.push(words)
    words = []
  }
  for (let at = 0; at < source.length; at++) {
    const char = source.charAt(at)
    if (char === '\\') {
      at += 1
      if (source[at] !== '\n') word = (word ?? '') + (source[at] ?? '')
    } else if (char === "'" || char === '"') {
      const end = endOfQuote(source, at)
      const inside = source.slice(at + 1, end)
      word = (word ?? '') + (char === '"' ? inside.replace(/\\(["\\$`])/g, '$1') : inside)
      at = end
    } else if (char === '#' && word === null) {
      const end = source.indexOf('\n', at)
      at = end === -1 ? source.length : end - 1
    } else if ('\n;|()'.includes(char) || (char === '&' && source[at - 1] !== '>' && source[at + 1] !== '>')) {
      endCommand()
    } else if (/\s/.test(char)) {
      endWord()
    } else {
      word = (word ?? '') + char
    }
  }
  endCommand()
  return commands
}

/** A command inside double quotes has its own quotes. */
function endOfQuote(source: string, from: number): number {
  if (source[from] === "'") {
    const end = source.indexOf("'", from + 1)
    return end === -1 ? source.length : end
  }
  let depth = 0
  for (let at = from + 1; at < source.length; at++) {
    if (source[at] === '\\') at += 1
    else if (source[at] === '"' && depth === 0) return at
    else if (source[at] === '$' && source[at + 1] === '(') depth += 1
    else if (source[at] === ')' && depth > 0) depth -= 1
  }
  return source.length
}
