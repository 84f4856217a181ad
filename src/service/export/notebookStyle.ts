/** The look of an exported notebook, light and dark, on screen and on paper. */
export const notebookStyle = `
:root { color-scheme: light dark; --text: #1f2328; --muted: #59636e; --page: #ffffff; --box: #f6f8fa;
  --line: #d1d9e0; --bad: #b3261e; --bad-box: #fdecea; --link: #0b57d0; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e8eb; --muted: #9aa4b0; --page: #16191d; --box: #1f242b; --line: #353c45; --bad: #ff8a80; --bad-box: #35201f; --link: #8ab4f8; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { margin: 0; font-size: 1.6rem; }
h2 { margin: .4rem 0; font-size: 1.1rem; }
a { color: var(--link); }
header { margin-bottom: 1.5rem; }
.path, .state { margin: .2rem 0; color: var(--muted); font-size: .85rem; }
.widgets { display: grid; grid-template-columns: max-content 1fr; gap: .2rem .8rem; margin: .8rem 0 0; font-size: .9rem; }
.widgets dt { color: var(--muted); }
.widgets dd { margin: 0; overflow-wrap: anywhere; }
.problem { border-left: 4px solid var(--bad); background: var(--bad-box); padding: .5rem .8rem; }
.cell { margin: 0 0 1.2rem; }
.state { display: flex; justify-content: space-between; }
.failed .state span:last-child { color: var(--bad); font-weight: 600; }
pre { margin: 0; padding: .6rem .8rem; overflow-x: auto; font: .86rem/1.5 ui-monospace, SFMono-Regular, Consolas, monospace; tab-size: 4; }
.code, .markdown pre { background: var(--box); border: 1px solid var(--line); border-radius: 4px; }
.output { margin-top: .3rem; }
.output.html, .output > img { padding: .3rem .8rem; overflow-x: auto; max-width: 100%; }
pre.output, .output pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.stderr, .note { color: var(--muted); }
.error { border-left: 4px solid var(--bad); background: var(--bad-box); }
.error p { margin: 0; padding: .6rem .8rem 0; color: var(--bad); font-weight: 600; }
table { border-collapse: collapse; font-size: .88rem; }
th, td { border: 1px solid var(--line); padding: .25rem .6rem; text-align: left; }
th { background: var(--box); }
.exit { border-top: 1px solid var(--line); padding-top: .6rem; }
.exit pre { white-space: pre-wrap; overflow-wrap: anywhere; }
@media print { .cell { break-inside: avoid-page; } pre { white-space: pre-wrap; } }
`;
