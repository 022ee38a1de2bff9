/** The colours of the report and of the dashboard: one set for light, one for dark. Text in each has enough contrast on each ground. */

export const colours = `:root{color-scheme:light dark;--bg:#fafafa;--card:#fff;--ink:#17181c;--soft:#5c626e;--line:#e4e5e9;--track:#ececf0;--hover:#f3f3f6;
--accent:#4a52c9;--accent-ink:#fff;--accent-soft:#eeeffb;--done:#1a7a45;--done-soft:#e6f4ec;--worked:#2f62b3;--worked-soft:#e8effa;--failed:#bd2f2b;--failed-soft:#fcebea;
--asks:#8d5200;--asks-soft:#fdf2df;--quiet:#626873;--quiet-soft:#eeeff2;--running:#4a52c9;--running-soft:#eeeffb}
@media(prefers-color-scheme:dark){:root{--bg:#101114;--card:#17191d;--ink:#e9eaee;--soft:#9da3b0;--line:#2a2d34;--track:#262930;--hover:#1f2227;
--accent:#9aa2f5;--accent-ink:#14152b;--accent-soft:#23264a;--done:#57c48c;--done-soft:#15301f;--worked:#7fb0f2;--worked-soft:#182a45;--failed:#f28b82;--failed-soft:#3d1c1b;
--asks:#e2ad55;--asks-soft:#382a12;--quiet:#9aa1ad;--quiet-soft:#25282e;--running:#9aa2f5;--running-soft:#23264a}}
`
