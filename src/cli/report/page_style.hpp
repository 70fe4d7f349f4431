/// @file
/// How the page of a record looks.
#pragma once

#include <string_view>

namespace aapc::report {

inline constexpr std::string_view page_style = R"(
:root{color-scheme:light dark;--paper:#f7f8fa;--card:#fff;--ink:#17212b;--soft:#5b6875;--line:#dde3e9;--ours:#1768ac;
--own:#c2571a;--wait:#d9a441}
@media (prefers-color-scheme:dark){:root{--paper:#0f141a;--card:#171e26;--ink:#e8edf2;--soft:#9aa8b5;--line:#2b3540;
--ours:#6cb6ff;--own:#f0965a;--wait:#c98a2e}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI","DejaVu Sans",
sans-serif;-webkit-text-size-adjust:100%}
main{max-width:1120px;margin:0 auto;padding:clamp(20px,4vw,56px) clamp(14px,3vw,32px)}
.eyebrow{color:var(--soft);font-size:.86rem;margin:0 0 .6rem;overflow-wrap:anywhere}
h1{font-size:clamp(1.65rem,4.6vw,2.9rem);line-height:1.16;letter-spacing:-.02em;font-weight:680;margin:0 0 .7rem;
text-wrap:balance}
h1 b{font-weight:inherit;color:var(--ours)}
.lead{font-size:clamp(1.02rem,2vw,1.22rem);color:var(--soft);max-width:46em;margin:0 0 1.8rem}
.lead strong{color:var(--ink)}
h2{font-size:1.25rem;letter-spacing:-.01em;margin:2.6rem 0 .3rem}
h3{font-size:1rem;margin:1.5rem 0 .1rem}
p{margin:.3rem 0 .8rem;max-width:52em}
.note{color:var(--soft);font-size:.9rem}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin:0}
.cards div{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:14px 16px;min-width:0}
.cards dt{color:var(--soft);font-size:.82rem}
.cards dd{margin:0;font-size:1.4rem;font-weight:640;letter-spacing:-.01em;font-variant-numeric:tabular-nums;
overflow-wrap:anywhere}
.cards small{display:block;font-size:.8rem;font-weight:400;color:var(--soft);letter-spacing:0}
.job{margin:0 0 1.6rem;font-size:.88rem;color:var(--soft)}
.job div{display:grid;grid-template-columns:6.5em minmax(0,1fr)}
.job dd{margin:0;color:var(--ink);overflow-wrap:anywhere}
ul{padding-left:1.2em;max-width:52em}
.scroll{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:12px;margin:.6rem 0 1rem}
.scroll:focus-visible,summary:focus-visible{outline:2px solid var(--ours);outline-offset:2px}
table{border-collapse:collapse;width:100%;font-size:.88rem;font-variant-numeric:tabular-nums}
th,td{padding:8px 12px;text-align:right;white-space:nowrap;border-top:1px solid var(--line);vertical-align:top}
thead th{border-top:0;color:var(--soft);font-weight:500;font-size:.8rem}
th:first-child,td.text,th.text{text-align:left}
td.text{white-space:normal;min-width:15em}
tbody th{font-weight:600}
.ours{color:var(--ours)}.own{color:var(--own)}
.bar{display:inline-block;width:64px;height:8px;border-radius:4px;background:var(--line);vertical-align:middle;
margin-right:8px;overflow:hidden}
.bar i{display:block;height:100%;background:var(--ours)}
.bar.own i{background:var(--own)}
figure{margin:.7rem 0 1.5rem;background:var(--card);border:1px solid var(--line);border-radius:12px;padding:14px 16px}
figcaption{margin-bottom:10px;font-size:.88rem;color:var(--soft)}
figcaption strong{color:var(--ink);font-size:1rem;display:block}
.plot{display:grid;grid-template-columns:minmax(64px,max-content) minmax(0,1fr);column-gap:10px}
.names{font-size:10px;line-height:13px;text-align:right;color:var(--soft);max-width:34vw}
.names span{display:block;height:13px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.plot svg{display:block;width:100%}
.axis{grid-column:2;display:flex;justify-content:space-between;font-size:11px;color:var(--soft);
border-top:1px solid var(--line);margin-top:2px;padding-top:2px;font-variant-numeric:tabular-nums}
.place{position:relative}
.mark{position:absolute;top:0;bottom:0;border-left:2px dashed var(--ink);opacity:.55}
.legend{display:flex;flex-wrap:wrap;gap:4px 16px;list-style:none;margin:.4rem 0 .8rem;padding:0;font-size:.86rem;
color:var(--soft)}
.legend svg{width:13px;height:13px;vertical-align:-2px;margin-right:6px;border-radius:3px}
.legend .dash{display:inline-block;height:13px;border-left:2px dashed var(--ink);opacity:.55;margin:0 8px 0 4px;
vertical-align:-2px}
.fill-ours{fill:var(--ours)}.fill-own{fill:var(--own)}.fill-wait{fill:var(--wait)}.fill-line{fill:var(--line)}
details{margin:.2rem 0 1rem}summary{cursor:pointer;color:var(--soft);font-size:.9rem}
footer{margin-top:3rem;border-top:1px solid var(--line);padding-top:1rem;color:var(--soft);font-size:.84rem;
overflow-wrap:anywhere}
@media (max-width:560px){
.calls,.calls tbody,.calls tr,.calls th,.calls td{display:block;text-align:left;white-space:normal;border:0}
.calls thead{display:none}
.calls tr{border-top:1px solid var(--line);padding:8px 0}
.calls th,.calls td{padding:2px 12px;overflow-wrap:anywhere}
.calls td.text{min-width:0}
.calls td::before{content:attr(data-label) ": ";color:var(--soft)}
}
@media print{body{background:#fff}.scroll{overflow:visible}}
)";

}  // namespace aapc::report
