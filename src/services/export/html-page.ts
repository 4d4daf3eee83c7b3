/** The colours and marks of the dark screen. */
const STYLE = `
body { background: #1a1a1a; color: #d8d8d8; font: 15px/1.45 ui-monospace, Menlo, Consolas, monospace; margin: 2em auto; max-width: 110ch; padding: 0 2ch; }
pre { font: inherit; margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
h1 { font-size: 1em; }
.about, .note, .same, summary { color: #9a9a9a; }
section, .call { margin: 0.7em 0; padding-left: 2ch; position: relative; }
section::before, .call::before { left: 0; position: absolute; }
.prompt { font-weight: bold; margin-top: 1.6em; }
.prompt::before { color: #f0a830; content: "›"; }
.answer::before { color: #f0a830; content: "●"; }
.answer > :first-child { margin-top: 0; }
.note::before { content: "·"; }
.call { margin: 0.1em 0; }
.passed::before { color: #6ab068; content: "✓"; }
.failed::before { color: #d96258; content: "✗"; }
.open::before { color: #f0a830; content: "◐"; }
.call b { color: #d8d8d8; }
.call pre, .answer pre { border-left: 1px solid #555; margin: 0.3em 0; padding-left: 1ch; }
.input, code { color: #80b0b8; }
.added { color: #6ab068; }
.removed { color: #d96258; }
a { color: #80b0b8; }
table { border-collapse: collapse; }
td, th { border: 1px solid #555; padding: 0 1ch; }
`;

/** A page without scripts that loads nothing, not even if its body asks for it. All three are HTML. */
export function htmlPage({
  title,
  about,
  body,
}: {
  readonly title: string;
  readonly about: string;
  readonly body: string;
}): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${title}</h1>
<p class="about">${about}</p>
${body}
</body>
</html>
`;
}
