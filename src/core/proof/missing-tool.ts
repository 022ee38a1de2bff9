/** Whether a gate failed because a program that it needs is not there: no work of an agent changes that, so no call is worth its price. */
import type { GateResult } from '../types.ts'
import { keyLines } from './key-lines.ts'

export const isToolMissing = ({ kind, passed, soft, ended, exitCode, output }: GateResult): boolean =>
  kind === 'command' &&
  !passed &&
  soft !== true &&
  (ended === 'missing' || exitCode === 126 || exitCode === 127 || keyLines(output).some((line) => missing.test(line)))

/** In the words of shells, make, Python and package managers. */
const missing =
  /^(?:\/?[\w./-]*(?:sh|make|env)(?:\[\d+\])?|bundler): .*(?:not found|No such file or directory|command not found)|: command not found\b|^\S*python[\d.]*: No module named |^npm (?:err!|error) could not determine executable to run|\bspawn \S+ ENOENT\b/i

/** `gate tests cannot run: sh: 1: eslint: not found` */
export const missingWords = ({ name, output, exitCode }: GateResult): string =>
  `gate ${name} cannot run: ${keyLines(output)[0]?.trim() ?? `exit ${exitCode}`}`
