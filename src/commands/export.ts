import { formatCount } from "@quoll/terminal-text/format-amount";
import type { Command } from "../contracts/command.ts";
import { UserFacingError } from "../contracts/errors.ts";
import { yesNo } from "./yes-no.ts";

const REPLACE = /^--replace(?:\s+|$)/;

/** Writes the conversation to a file; the file's ending says in which format. An existing file is replaced only after a yes. */
export const exportCommand: Command = {
  name: "export",
  summary: "Write the conversation to a file: Markdown, HTML or JSON",
  argumentHint: "[--replace] [file.md | file.html | file.json]",
  needsNoServers: true,
  async run(argument, { exports }, signal) {
    if (!exports) throw new UserFacingError("This session has no conversation to export.");
    const typed = argument.trim();
    const mayReplace = REPLACE.test(typed);
    const file = unquoted(typed.replace(REPLACE, ""));
    const written = await exports.write(file, mayReplace, signal);
    if (!written.isTaken) {
      const size = `${formatCount(written.bytes)} bytes; known credentials are replaced`;
      return { kind: "text", lines: [`The conversation is written to ${written.path} (${size}).`] };
    }
    const input = `/export --replace ${file === "" ? written.path : file}`;
    return yesNo({
      title: `There is already a file ${written.path}`,
      no: { label: "Keep it", detail: "nothing is written" },
      yes: { label: "Replace it", detail: "with this conversation", input },
      lines: [`There is already a file ${written.path}: nothing is written. \`${input}\` replaces it.`],
    });
  },
};

function unquoted(text: string): string {
  return /^(["'])(.*)\1$/s.exec(text)?.[2] ?? text;
}
