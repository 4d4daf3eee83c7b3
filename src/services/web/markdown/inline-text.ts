import type { Attributes } from "./element-rules.ts";

const SIGNS: Readonly<Record<string, string>> = {
  b: "**",
  strong: "**",
  i: "*",
  em: "*",
  s: "~~",
  del: "~~",
  strike: "~~",
};
const CODE: ReadonlySet<string> = new Set(["code", "kbd", "samp", "tt", "var"]);
/** The text of links beside headings that lead to the heading itself. */
const PLACE_SIGN = /^[#§¶🔗\u200b]$/u;
const NO_ADDRESS = /^\s*(?:javascript|data|vbscript|blob):/i;

/** True for elements that put signs around their text. */
export function isMark(name: string): boolean {
  return name === "a" || CODE.has(name) || SIGNS[name] !== undefined;
}

/** The text of an inline element with its signs. @param link The target of a link. */
export function markedText(name: string, text: string, link: string | undefined): string {
  const inner = text.trim();
  if (name === "a" && link === undefined) return PLACE_SIGN.test(inner) ? "" : text;
  if (inner === "") return text;
  const [before, after] = [/^\s/.test(text) ? " " : "", /\s$/.test(text) ? " " : ""];
  if (name === "a") return `${before}[${oneLine(inner)}](${link})${after}`;
  if (CODE.has(name)) return before + codeSpan(oneLine(inner)) + after;
  const sign = SIGNS[name] ?? "";
  return inner.startsWith(sign) || inner.includes("\n") ? text : before + sign + inner + sign + after;
}

function codeSpan(text: string): string {
  return text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, " ");
}

/** An image with words, and with an address that is not its own content. */
export function imageText({ src = "", alt = "", "data-src": late }: Attributes, base: string): string {
  const words = alt.replace(/\s+/g, " ").trim();
  const target = NO_ADDRESS.test(src) ? late : src;
  const url = words !== "" && target ? absolute(target, base) : undefined;
  return url === undefined ? "" : `![${words}](${url})`;
}

/** The absolute target of a link; undefined for a place in the page itself, and for what is no address. */
export function linkTarget(href: string | undefined, base: string): string | undefined {
  return href === undefined || href.startsWith("#") || NO_ADDRESS.test(href) ? undefined : absolute(href, base);
}

/** @returns undefined if it is no address. */
export function absolute(href: string, base: string): string | undefined {
  const target = href.trim();
  if (!URL.canParse(target, base)) return undefined;
  // Brackets would end the link.
  return new URL(target, base).href.replace(/\(/g, "%28").replace(/\)/g, "%29");
}
