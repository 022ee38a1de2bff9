/** What a probe does: it writes its number into a file, once in each process. */
import type { ProbeText } from '../../core/proof/reach/probes.ts'

/** `file`: with its whole path, for programs that tests start elsewhere. */
export function probeText(file: string): ProbeText {
  const name = JSON.stringify(file)
  return (path, id) => {
    if (path.endsWith('.py'))
      return `(__import__("builtins").__dict__.get("_reached${id}") or __import__("builtins").__dict__.update(_reached${id}=1) or __import__("io").open(${name}, "a").write("${id}\\n"))`
    const all = /tsx?$/.test(path) ? 'globalThis as any' : 'globalThis'
    return `((g) => g.__reached${id} ??= g.process?.getBuiltinModule?.("node:fs").appendFileSync(${name}, "${id}\\n") ?? 1)(${all})`
  }
}
