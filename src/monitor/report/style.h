// How a report in HTML looks: in light and dark, on a phone and on paper.
#pragma once

namespace tidepool::inline v0::monitor {

constexpr const char* report_style = R"(
:root{color-scheme:light dark;--back:#fff;--text:#1b1e22;--quiet:#565e67;--rule:#d9dde1;--shade:#f4f6f8;--link:#0a5fa8;--good:#0a6b3d;--bad:#b3261e;
--c0:#0b6bb0;--c1:#b86a00;--c2:#00805c;--c3:#7a4fb0;--c4:#4aa7d8;--c5:#b8417c;--c6:#9aa1a9;--c7:#1b1e22}
@media (prefers-color-scheme:dark){:root{--back:#14171a;--text:#e5e8eb;--quiet:#a2abb4;--rule:#353b42;--shade:#1d2126;--link:#7cbcf0;--good:#6fd39a;--bad:#ff8f85;
--c0:#3d94d6;--c1:#e09a35;--c2:#2fae85;--c3:#a583dc;--c4:#8ecdf0;--c5:#e07fae;--c6:#69717a;--c7:#e5e8eb}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif;overflow-wrap:break-word}
header,nav,main{max-width:60rem;margin:0 auto;padding:0 1rem}
header{padding-top:2rem}
main{padding-bottom:4rem}
h1{font-size:1.9rem;line-height:1.2;margin:0 0 .25rem}
h2{font-size:1.3rem;line-height:1.3;margin:2.5rem 0 .75rem;padding-top:1.25rem;border-top:1px solid var(--rule)}
header p,figcaption,.axis{color:var(--quiet)}
p{max-width:44rem;margin:.75rem 0}
main>section:first-child h2{border-top:0;padding-top:0;margin-top:1.5rem}
a{color:var(--link)}
nav ul,.legend,.axis{list-style:none;margin:0;padding:0}
nav{font-size:.9rem}
nav ul{display:flex;flex-wrap:wrap;gap:.1rem 1rem;padding:.75rem 0 0}
nav a{display:inline-block;padding:.2rem 0;text-decoration:none}
nav a:hover{text-decoration:underline}
section>ul,section>ol{max-width:44rem;padding-left:1.4rem}
section li{margin:.35rem 0}
code{font:.9em/1.4 ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;background:var(--shade);border-radius:.2rem;padding:.1em .3em}
.good{color:var(--good);font-weight:600}
.bad{color:var(--bad);font-weight:600}
.wide{overflow-x:auto;margin:1.25rem 0}
table{border-collapse:collapse;min-width:100%;font-variant-numeric:tabular-nums}
caption{text-align:left;font-weight:600;padding:0 0 .4rem;position:sticky;left:0;max-width:calc(100vw - 2rem)}
th,td{text-align:left;vertical-align:top;padding:.4rem 1.25rem .4rem 0;border-bottom:1px solid var(--rule)}
th:last-child,td:last-child{padding-right:0}
thead th{font-size:.85rem;font-weight:600;color:var(--quiet);vertical-align:bottom}
tbody th{font-weight:400}
.n{text-align:right}
.n,.s{white-space:nowrap}
thead .n{white-space:normal}
figure{margin:1.5rem 0}
figcaption{max-width:44rem;margin-bottom:1rem}
figcaption strong{color:var(--text)}
.plot{display:grid;grid-template-columns:auto minmax(0,1fr);grid-template-rows:13rem auto;column-gap:.6rem;row-gap:.4rem}
.plot svg{width:100%;height:100%;overflow:visible}
.axis{display:flex;justify-content:space-between;font-size:.8rem;font-variant-numeric:tabular-nums}
.axis li{margin:0}
.y{flex-direction:column;text-align:right}
.y li{line-height:0;white-space:nowrap}
.x{grid-column:2}
.bar{display:block;width:100%;height:1.75rem}
path,rect{vector-effect:non-scaling-stroke}
.grid{stroke:var(--rule);fill:none}
.across{stroke:var(--text);stroke-dasharray:5 4;fill:none}
.line{fill:none;stroke-width:1.75;stroke-linejoin:round;stroke-linecap:round}
.area{stroke:var(--back);stroke-width:1}
.legend{display:flex;flex-wrap:wrap;gap:.1rem 1.1rem;margin-top:.6rem;font-size:.85rem}
.legend li{margin:0}
.key{display:inline-block;width:.8rem;height:.8rem;border-radius:.15rem;margin-right:.4rem;vertical-align:-.05rem}
.key.line{height:0;border-radius:0;border-top:.15rem solid;vertical-align:.25rem;background:none}
.key.line.c0{border-color:var(--c0)}.key.line.c1{border-color:var(--c1)}
.key.across{height:0;border-radius:0;border-top:.12rem dashed var(--text);vertical-align:.25rem}
.area.c0{fill:var(--c0)}.area.c1{fill:var(--c1)}.area.c2{fill:var(--c2)}.area.c3{fill:var(--c3)}
.area.c4{fill:var(--c4)}.area.c5{fill:var(--c5)}.area.c6{fill:var(--c6)}.area.c7{fill:var(--c7)}
.line.c0{stroke:var(--c0)}.line.c1{stroke:var(--c1)}.line.c7{stroke:var(--c7)}
.key.c0{background:var(--c0)}.key.c1{background:var(--c1)}.key.c2{background:var(--c2)}.key.c3{background:var(--c3)}
.key.c4{background:var(--c4)}.key.c5{background:var(--c5)}.key.c6{background:var(--c6)}.key.c7{background:var(--c7)}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
@media (max-width:30rem){th,td{padding-right:.9rem}tbody th{min-width:7rem}h1{font-size:1.55rem}.plot{grid-template-rows:11rem auto}}
@media print{nav{display:none}.wide{overflow:visible}h2,caption,figcaption{break-after:avoid}figure,tr{break-inside:avoid}}
)";

}  // namespace tidepool::inline v0::monitor
