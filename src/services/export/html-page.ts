import type { Palette } from "../../contracts/auto-palettes.ts";
import { channelsOf256 } from "../../contracts/color-code.ts";
import { PALETTES, paletteOf } from "../../contracts/palettes.ts";
import { ANSI_COLORS, TEXT_ROLES, type ThemeChoice, type ThemeColor } from "../../contracts/theme.ts";

const SCREENS = {
  dark: { background: "#1a1a1a", text: "#d8d8d8" },
  light: { background: "#ffffff", text: "#1c1c1c" },
} as const;
/** The terminal's own 16 colours, as xterm shows them. */
const ANSI = [
  ...["#000000", "#cd0000", "#00cd00", "#cdcd00", "#5c5cff", "#cd00cd", "#00cdcd", "#e5e5e5"],
  ...["#7f7f7f", "#ff0000", "#00ff00", "#ffff00", "#5c5cff", "#ff00ff", "#00ffff", "#ffffff"],
];

/** The marks of the screen. */
const STYLE = `
body { background: var(--background); color: var(--text); font: 15px/1.45 ui-monospace, Menlo, Consolas, monospace; margin: 2em auto; max-width: 110ch; padding: 0 2ch; }
pre { font: inherit; margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
h1 { font-size: 1em; }
.about, .note, .same, summary { color: var(--dim); }
section, .call { margin: 0.7em 0; padding-left: 2ch; position: relative; }
section::before, .call::before { left: 0; position: absolute; }
.prompt { background: var(--band); font-weight: bold; margin-top: 1.6em; }
.prompt::before { color: var(--accent); content: "›"; }
.answer::before { color: var(--accent); content: "●"; }
.answer > :first-child { margin-top: 0; }
.note::before { content: "·"; }
.call { margin: 0.1em 0; }
.passed::before { color: var(--passed); content: "✓"; }
.failed::before { color: var(--failed); content: "✗"; }
.open::before { color: var(--accent); content: "◐"; }
.call b { color: var(--text); }
.call pre, .answer pre { border-left: 1px solid var(--dim); margin: 0.3em 0; padding-left: 1ch; }
.input, :not(pre) > code { color: var(--literal); }
.added { color: var(--added); }
.removed { color: var(--removed); }
a { color: var(--literal); }
table { border-collapse: collapse; }
td, th { border: 1px solid var(--dim); padding: 0 1ch; }
.hljs-keyword, .hljs-section, .hljs-selector-tag, .hljs-name, .hljs-variable.language_ { color: var(--keyword); }
.hljs-string, .hljs-regexp { color: var(--string); }
.hljs-number, .hljs-literal, .hljs-symbol, .hljs-variable.constant_ { color: var(--number); }
.hljs-comment, .hljs-meta, .hljs-doctag { color: var(--comment); }
.hljs-title { color: var(--function); }
.hljs-type, .hljs-built_in, .hljs-title.class_, .hljs-class .hljs-title { color: var(--type); }
.hljs-attr, .hljs-attribute, .hljs-property { color: var(--property); }
.hljs-punctuation, .hljs-tag { color: var(--punctuation); }
.hljs-subst { color: var(--text); }
`;

/** The colours of a theme as CSS variables; without a theme, those that the reader's browser prefers. */
function colours(theme: ThemeChoice | undefined): string {
  if (!theme || theme.name === "auto")
    return `:root { ${variables(PALETTES.dark, "dark")} }
@media (prefers-color-scheme: light) { :root { ${variables(PALETTES.light, "light")} } }`;
  const screen = theme.extends.startsWith("light") ? "light" : "dark";
  return `:root { ${variables(paletteOf(theme, screen), screen)} }`;
}

function variables(palette: Palette, screen: keyof typeof SCREENS): string {
  const { background, text } = SCREENS[screen];
  const faint = PALETTES[screen].dim?.color ?? text;
  const texts = TEXT_ROLES.map((role) => {
    const color = palette[role]?.color ?? (role === "dim" || role === "comment" ? faint : text);
    return `--${role}: ${cssColour(color)};`;
  });
  const band = palette.band ? cssColour(palette.band.color) : "transparent";
  return [`--background: ${background}; --text: ${text}; --band: ${band};`, ...texts].join(" ");
}

/** Theme files are checked when they are read, so a colour is one of the known forms. */
function cssColour(color: ThemeColor | string): string {
  if (typeof color === "number")
    return color < 16 ? (ANSI[color] ?? "inherit") : `rgb(${channelsOf256(color).join(" ")})`;
  return ANSI[(ANSI_COLORS as readonly string[]).indexOf(color)] ?? color;
}

/** A page without scripts that loads nothing, even if its body requests it. All three are HTML. */
export function htmlPage({
  theme,
  title,
  about,
  body,
}: {
  readonly theme: ThemeChoice | undefined;
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
<style>${colours(theme)}${STYLE}</style>
</head>
<body>
<h1>${title}</h1>
<p class="about">${about}</p>
${body}
</body>
</html>
`;
}
