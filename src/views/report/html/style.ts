/** The report's style, on screen and in print. */
import { partsStyle } from '../shared/style.ts'

export const style = `
${partsStyle}*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
main,header,footer{max-width:72rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2.5rem}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 .25rem;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:1.15rem;margin:2.75rem 0 .75rem;letter-spacing:-.005em}
h3{font-size:1rem;margin:0 0 .5rem;overflow-wrap:anywhere}
p{margin:.35rem 0;max-width:46rem;overflow-wrap:anywhere}
p.soft{max-width:none}
a{color:var(--worked)}
:focus-visible{outline:2px solid var(--worked);outline-offset:2px}
.soft,footer,figcaption,caption,dt{color:var(--soft)}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;background:var(--card);padding:.4rem .8rem}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.75rem;margin:1.5rem 0 0}
.figures div,.failure,.reservation{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.7rem .9rem}
.figures dt{font-size:.8125rem}.figures dd{margin:0;font-size:1.375rem;line-height:1.3;font-weight:600;font-variant-numeric:tabular-nums}
.figures small{display:block;font-size:.8125rem;font-weight:400;color:var(--soft)}
.failure{border-left:4px solid var(--failed);margin:0 0 .75rem}
.reservation{border-left:4px solid var(--asks);margin:0 0 .75rem}.reservation ul{margin:0;padding-left:1.1rem;overflow-wrap:anywhere}
.failure dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:0;font-size:.9375rem}
.failure dd{margin:0;overflow-wrap:anywhere}
.frame{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:.5rem;margin:0 0 1rem}
table{border-collapse:collapse;width:100%;font-size:.875rem;font-variant-numeric:tabular-nums}
caption{text-align:left;padding:.6rem .9rem .2rem;font-size:.8125rem}
th,td{text-align:left;vertical-align:baseline;padding:.4rem .9rem;border-top:1px solid var(--line);white-space:nowrap}
thead th{border-top:0;font-weight:500;color:var(--soft);font-size:.8125rem}
tbody th{font-weight:600;white-space:normal;min-width:5rem;max-width:18rem;overflow-wrap:break-word}
.n{text-align:right}.w{white-space:normal;min-width:9rem;overflow-wrap:anywhere}
code{font:.85em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(20rem,100%),1fr));gap:.75rem}
figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.6rem .75rem .3rem}
figcaption{font-size:.8125rem}
figure svg{display:block;width:100%;height:auto}
svg text{fill:var(--soft);font-size:10px;font-variant-numeric:tabular-nums}
figure rect,.strip rect{fill:var(--c,var(--quiet))}svg rect.track{fill:var(--track)}svg .grid{stroke:var(--line);stroke-width:1}svg .unknown{fill:none;stroke:var(--quiet)}
.strip{display:block;width:100%;border-radius:.25rem;margin:.15rem 0 .6rem}
.cells,.legend{list-style:none;padding:0}.legend i{background:var(--c)}.cells{display:flex;flex-wrap:wrap;gap:.3rem;margin:.5rem 0}
.cells li{min-width:2.1rem;padding:.1rem .3rem;text-align:center;font-size:.8125rem;font-variant-numeric:tabular-nums;border-radius:.25rem;background:var(--card);border:1px solid var(--line);border-bottom:4px solid var(--c)}
summary{cursor:pointer;margin:.75rem 0}
footer{margin-top:3rem;padding-bottom:2.5rem;font-size:.8125rem}
@media(max-width:40rem){.frame thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.frame tr,.frame tbody th,.frame td{display:block}.frame tr{border-top:1px solid var(--line);padding:.4rem 0}.frame caption{display:block}
.frame tbody th,.frame td{border:0;padding:.1rem .9rem;white-space:normal;min-width:0;max-width:none;text-align:left;overflow-wrap:anywhere}
.frame td[data-head]::before{content:attr(data-head) ": ";color:var(--soft)}}
@media print{details::details-content{content-visibility:visible;block-size:auto}:root{--bg:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#ccc;--track:#eee}body{font-size:10.5pt}.skip{display:none}h2{break-after:avoid}
figure,.failure,.reservation,tr,.figures div{break-inside:avoid}.frame{overflow:visible}th,td{white-space:normal;padding:.25rem .5rem}
.figures div,.cells li,svg rect,.legend i,`
