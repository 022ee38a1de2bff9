/** What wraps a changed function, so that it gives something wrong: as text for each language. */
import type { WrapText } from '../../core/proof/reach/wrong-results.ts'

/** `tellTo`: where it says of each function which kind it gave. */
export const wrapText = (tellTo: string): WrapText => ({
  defines: (path) =>
    path.endsWith('.py') ? pythonWrap(JSON.stringify(tellTo)) : scriptWrap(JSON.stringify(tellTo), isTyped(path)),
  opens: (path, name) => `(globalThis${isTyped(path) ? ' as any' : ''}).__wrong(${JSON.stringify(name)}, `,
})

const isTyped = (path: string): boolean => /\.[cm]?tsx?$/.test(path)

/** In one line: the lines of the file stay where they were but for it. */
const scriptWrap = (tellTo: string, typed: boolean): string =>
  `;((g${typed ? ': any' : ''}) => { g.__wrong ??= (name${typed ? ': any' : ''}, run${typed ? ': any' : ''}) => {
  const kindOf = (v${typed ? ': any' : ''}) => typeof v === 'number' || typeof v === 'bigint' ? 'number' : typeof v === 'string' ? 'text' : typeof v === 'boolean' ? 'truth' : Array.isArray(v) ? 'list' : v !== null && typeof v === 'object' && [Object.prototype, null].includes(Object.getPrototypeOf(v)) ? 'object' : v === undefined || v === null ? 'nothing' : 'other'
  const wrong = (v${typed ? ': any' : ''}) => {
    const kind = kindOf(v)
    g.process?.getBuiltinModule?.('node:fs').appendFileSync(${tellTo}, name + ' ' + kind + '\\n')
    if (typeof v === 'bigint') return v * 3n + 17n
    return kind === 'number' ? (Number.isFinite(v) ? v * 3 + 17.25 : 1.5) : kind === 'text' ? '¤' : kind === 'truth' ? !v : kind === 'list' ? (v.length > 0 ? [] : ['¤']) : kind === 'object' ? {} : v
  }
  const wrapped = typeof run !== 'function' ? run : function (${typed ? 'this: any, ' : ''}...args${typed ? ': any[]' : ''}) {
    if (new.target) return Reflect.construct(run, args, new.target)
    const was = run.apply(this, args)
    return typeof was?.then === 'function' ? was.then(wrong) : wrong(was)
  }
  return typeof run === 'function' ? Object.assign(wrapped, run) : wrapped
} })(globalThis);
`

const pythonWrap = (tellTo: string): string => `def __wrong__(name):
    import functools, inspect
    def kind_of(v):
        return "truth" if isinstance(v, bool) else "nothing" if v is None else {int: "number", float: "number", str: "text", list: "list", tuple: "list", dict: "object"}.get(type(v), "number" if type(v).__name__ in ("Decimal", "Fraction") else "other")
    def wrong(v):
        kind = kind_of(v)
        with open(${tellTo}, "a") as file:
            file.write(name + " " + kind + "\\n")
        return {"number": lambda: v * 3 + 17, "text": lambda: "¤", "truth": lambda: not v, "list": lambda: type(v)() if v else type(v)(["¤"]), "object": lambda: {}}.get(kind, lambda: v)()
    def wrap(run):
        if not callable(run) or inspect.isclass(run):
            return run
        if inspect.iscoroutinefunction(run):
            @functools.wraps(run)
            async def later(*args, **more):
                return wrong(await run(*args, **more))
            return later
        @functools.wraps(run)
        def wrapped(*args, **more):
            return wrong(run(*args, **more))
        return wrapped
    return wrap
`
