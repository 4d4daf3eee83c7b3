import { Grammars } from "@quoll/terminal-text/grammars";
import { oneLine } from "@quoll/terminal-text/one-line";
import { plainText } from "@quoll/terminal-text/plain-text";
import { Marked } from "marked";
import type { DiffLine } from "../../contracts/display.ts";
import { languageOf } from "../../contracts/language-of.ts";
import type { ThemeChoice } from "../../contracts/theme.ts";
import type { ExportedCall, ExportedPart, ExportedSession } from "./exported-session.ts";
import { htmlPage } from "./html-page.ts";
import { inputText } from "./markdown-export.ts";

const MAX_TITLE_CHARS = 100;
const SHOWN_LINKS = /^(?:https?|mailto):/i;
const SIGNS: Readonly<Record<DiffLine["kind"], string>> = { same: " ", added: "+", removed: "−" };

/**
 * A conversation as one HTML page in the colours of the screen: without scripts, and without loading anything from
 * elsewhere.
 * @param theme The theme; undefined for dark or light, as the reader's browser prefers.
 */
export async function htmlExport(
  { sessionId, title, startedAt, parts }: ExportedSession,
  theme: ThemeChoice | undefined,
): Promise<string> {
  const grammars = new Grammars();
  await Promise.all([...new Set(parts.flatMap(languagesOf))].map((language) => grammars.load(language)));
  const drawing = { grammars, marked: proseOnly(grammars) };
  const body = parts.map((part) => partHtml(part, drawing)).join("\n");
  return htmlPage({ theme, title: escaped(title), about: escaped(`Session ${sessionId}, begun ${startedAt}`), body });
}

type Drawing = { readonly grammars: Grammars; readonly marked: Marked };

/** The languages of fenced blocks and of changed files. */
function languagesOf(part: ExportedPart): readonly string[] {
  if (part.kind === "call") return part.diff ? [languageOf(part.diff.path)] : [];
  if (part.kind !== "answer") return [];
  return Array.from(part.text.matchAll(/^[ \t>]*(?:`{3,}|~{3,})[ \t]*([^\s`]+)/gm), ([, name = ""]) =>
    name.toLowerCase(),
  );
}

function partHtml(part: ExportedPart, drawing: Drawing): string {
  switch (part.kind) {
    case "prompt":
      return `<section class="prompt"><pre>${escaped(plainText(part.text))}</pre></section>`;
    case "answer":
      return `<section class="answer">${drawing.marked.parse(plainText(part.text), { async: false })}</section>`;
    case "note":
      return `<section class="note">${escaped(plainText(part.text))}</section>`;
    case "call":
      return callHtml(part, drawing);
  }
}

function callHtml(call: ExportedCall, { grammars }: Drawing): string {
  const { tool, title, output, isError, diff } = call;
  const state = output === undefined ? "open" : isError ? "failed" : "passed";
  const input = inputText(call);
  const shown =
    diff && !isError
      ? diffHtml(
          diff.hunks.flatMap(({ lines }) => lines),
          languageOf(diff.path),
          grammars,
        )
      : outputHtml(output);
  const body = `${input === undefined ? "" : `<pre class="input">${escaped(plainText(input))}</pre>`}${shown}`;
  const head = `<b>${escaped(tool)}</b> ${escaped(oneLine(title, MAX_TITLE_CHARS))}`;
  if (body === "") return `<p class="call ${state}">${head}</p>`;
  return `<details class="call ${state}"${diff ? " open" : ""}><summary>${head}</summary>${body}</details>`;
}

function outputHtml(output: string | undefined): string {
  return output?.trim() ? `<pre>${escaped(plainText(output))}</pre>` : "";
}

function diffHtml(lines: readonly DiffLine[], language: string, grammars: Grammars): string {
  const rows = lines.map(({ kind, text }) => {
    const code = kind === "same" ? escaped(text) : codeHtml(text, language, grammars);
    return `<span class="${kind}">${SIGNS[kind]} ${code}</span>`;
  });
  return `<pre>${rows.join("\n")}</pre>`;
}

function codeHtml(code: string, language: string, grammars: Grammars): string {
  return grammars.html(code.split("\n"), language) ?? escaped(code);
}

/** Renders Markdown without the model's HTML, its images, and links that run or read files. */
function proseOnly(grammars: Grammars): Marked {
  return new Marked({
    renderer: {
      html: ({ text }) => escaped(text),
      code: ({ text, lang = "" }) =>
        `<pre><code>${codeHtml(text, lang.split(/\s/)[0]?.toLowerCase() ?? "", grammars)}</code></pre>`,
      image: ({ text, href }) => escaped(text === "" ? href : text),
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        return SHOWN_LINKS.test(href) ? `<a href="${escaped(href)}">${inner}</a>` : inner;
      },
    },
  });
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
