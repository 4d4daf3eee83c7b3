import { oneLine } from "@quoll/terminal-text/one-line";
import { plainText } from "@quoll/terminal-text/plain-text";
import { Marked } from "marked";
import type { DiffLine } from "../../contracts/display.ts";
import type { ExportedCall, ExportedPart, ExportedSession } from "./exported-session.ts";
import { htmlPage } from "./html-page.ts";
import { inputText } from "./markdown-export.ts";

const MAX_TITLE_CHARS = 100;
const SHOWN_LINKS = /^(?:https?|mailto):/i;
const SIGNS: Readonly<Record<DiffLine["kind"], string>> = { same: " ", added: "+", removed: "−" };

/** A conversation as one HTML page in the colours of the screen: no script, and nothing is loaded from elsewhere. */
export function htmlExport({ sessionId, startedAt, parts }: ExportedSession): string {
  const marked = proseOnly();
  const first = parts.find(({ kind }) => kind === "prompt");
  const title = first?.kind === "prompt" ? oneLine(first.text, MAX_TITLE_CHARS) : "Conversation";
  const body = parts.map((part) => partHtml(part, marked)).join("\n");
  return htmlPage({ title: escaped(title), about: escaped(`Session ${sessionId}, begun ${startedAt}`), body });
}

function partHtml(part: ExportedPart, marked: Marked): string {
  switch (part.kind) {
    case "prompt":
      return `<section class="prompt"><pre>${escaped(plainText(part.text))}</pre></section>`;
    case "answer":
      return `<section class="answer">${marked.parse(plainText(part.text), { async: false })}</section>`;
    case "note":
      return `<section class="note">${escaped(plainText(part.text))}</section>`;
    case "call":
      return callHtml(part);
  }
}

function callHtml(call: ExportedCall): string {
  const { tool, title, output, isError, diff } = call;
  const state = output === undefined ? "open" : isError ? "failed" : "passed";
  const input = inputText(call);
  const shown = diff && !isError ? diffHtml(diff.hunks.flatMap(({ lines }) => lines)) : outputHtml(output);
  const body = `${input === undefined ? "" : `<pre class="input">${escaped(plainText(input))}</pre>`}${shown}`;
  const head = `<b>${escaped(tool)}</b> ${escaped(oneLine(title, MAX_TITLE_CHARS))}`;
  if (body === "") return `<p class="call ${state}">${head}</p>`;
  return `<details class="call ${state}"${diff ? " open" : ""}><summary>${head}</summary>${body}</details>`;
}

function outputHtml(output: string | undefined): string {
  return output?.trim() ? `<pre>${escaped(plainText(output))}</pre>` : "";
}

function diffHtml(lines: readonly DiffLine[]): string {
  const rows = lines.map(({ kind, text }) => `<span class="${kind}">${escaped(`${SIGNS[kind]} ${text}`)}</span>`);
  return `<pre>${rows.join("\n")}</pre>`;
}

/** Markdown without the HTML of the model, its images, and links that run or read something. */
function proseOnly(): Marked {
  return new Marked({
    renderer: {
      html: ({ text }) => escaped(text),
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
