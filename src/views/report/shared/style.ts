/** How the shared pieces look, in the dashboard and in the report. */
import { colours } from './colours.ts'

export const partsStyle = `${colours}.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.icon { flex: none; width: 1em; height: 1em; fill: none; stroke: currentColor; stroke-width: 1.75; stroke-linecap: round; stroke-linejoin: round; vertical-align: -.125em; }
.i-dot, .i-play, .i-stop { fill: currentColor; }
.t-good { --c: var(--done); --cs: var(--done-soft); }
.t-bad { --c: var(--failed); --cs: var(--failed-soft); }
.t-warn { --c: var(--asks); --cs: var(--asks-soft); }
.t-live { --c: var(--running); --cs: var(--running-soft); }
.t-work { --c: var(--worked); --cs: var(--worked-soft); }
.t-quiet { --c: var(--quiet); --cs: var(--quiet-soft); }
.chip { display: inline-flex; gap: .3rem; align-items: center; padding: 0 .5rem; border-radius: 1rem; background: var(--cs); color: var(--c); font-size: .75rem; line-height: 1.375rem; font-weight: 550; white-space: nowrap; }
.mark { display: inline-grid; place-items: center; flex: none; width: 1.25rem; height: 1.25rem; border-radius: 50%; background: var(--cs); color: var(--c); font-size: .75rem; }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1rem; margin: .5rem 0; font-size: .75rem; color: var(--soft); }
.legend li { display: inline-flex; gap: .4rem; align-items: center; }
.legend i { width: .875rem; height: .75rem; border: 1px solid var(--c); border-radius: .2rem; background: var(--cs); }
.bar { flex: none; vertical-align: middle; width: 4rem; height: .3125rem; border-radius: .2rem; background: var(--track); overflow: hidden; }
.bar .done { fill: var(--done); }
`
