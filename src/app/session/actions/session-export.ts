import { dirname, extname } from "node:path";
import { pasteableText } from "@quoll/terminal-text/plain-text";
import { errorMessage, UserFacingError } from "../../../contracts/errors.ts";
import { isJson } from "../../../contracts/parsed-json.ts";
import type { Redactor } from "../../../contracts/ports.ts";
import type { ExportFormat, SessionExport } from "../../../contracts/session-actions.ts";
import type { ThemeChoice } from "../../../contracts/theme.ts";
import { readStamp } from "../../../platform/files/file-stamp.ts";
import { kindAt } from "../../../platform/files/kind-at.ts";
import { resolvePath } from "../../../platform/files/resolve-path.ts";
import { writeFile } from "../../../platform/files/write-file.ts";
import { type ExportedSession, exportedSession, newestAnswer } from "../../../services/export/exported-session.ts";
import { htmlExport } from "../../../services/export/html-export.ts";
import { codeBlocksOf, markdownExport } from "../../../services/export/markdown-export.ts";
import type { OpenedSession } from "../opened-session.ts";
import { chosenTheme } from "../settings/themes.ts";

const FORMATS: Readonly<Record<string, ExportFormat>> = {
  ".md": "markdown",
  ".markdown": "markdown",
  ".html": "html",
  ".htm": "html",
  ".json": "json",
};
const ID_CHARS = 8;

export type ExportParts = Pick<OpenedSession, "main" | "environment" | "redactor" | "conversation">;

/** Exports the conversation of a session for the person, as text and as files. */
export function sessionExport({ main, environment, redactor, conversation: { log } }: ExportParts): SessionExport {
  const { conversation } = main.engine;
  const exported = async (): Promise<ExportedSession> => {
    const { redact } = await redactor();
    return exportedSession({ sessionId: log.sessionId, name: log.name }, conversation.history(), redact);
  };
  const theme = () => chosenTheme(environment, () => undefined);
  const markdown = async () => {
    const session = await exported();
    return session.parts.length === 0 ? undefined : formatted(session, { format: "markdown", theme }, await redactor());
  };
  return {
    async lastAnswer() {
      const answer = newestAnswer(conversation.history(["assistant"]));
      if (answer === undefined) return undefined;
      const text = pasteableText((await redactor()).redact(answer));
      return { text, codeBlocks: codeBlocksOf(text) };
    },
    markdown,
    async write(file, mayReplace, signal) {
      const named = file === "" ? `quoll-${conversation.sessionId.slice(0, ID_CHARS)}.md` : file;
      const format = FORMATS[extname(named).toLowerCase()];
      if (!format) throw new UserFacingError(`${named} must end with ${Object.keys(FORMATS).join(", ")}.`);
      const session = await exported();
      if (session.parts.length === 0) throw new UserFacingError("There is nothing to export yet.");
      const base = { cwd: main.workspace.cwd, home: environment.own.home };
      try {
        const { path } = await resolvePath(named, base);
        const folder = dirname(path);
        if (kindAt(folder) !== "folder")
          throw new UserFacingError(`There is no folder ${folder}. Create it, or name another file.`);
        const expected = await readStamp(path);
        if (expected && !mayReplace) return { isTaken: true, path };
        const bytes = Buffer.from(await formatted(session, { format, theme }, await redactor()), "utf8");
        await writeFile({ path, bytes, expected, signal });
        return { isTaken: false, path, bytes: bytes.length };
      } catch (error) {
        throw signal.aborted ? error : new UserFacingError(errorMessage(error), 1, { cause: error });
      }
    },
  };
}

/** Credentials are searched once more in the whole text, where the context may reveal them. */
async function formatted(
  session: ExportedSession,
  { format, theme }: { readonly format: ExportFormat; theme(): Promise<ThemeChoice | undefined> },
  { redact }: Redactor,
): Promise<string> {
  if (format === "markdown") return redact(markdownExport(session));
  if (format === "html") return htmlExport(session, await theme());
  const text = `${JSON.stringify(session, undefined, 2)}\n`;
  const hidden = redact(text);
  return isJson(hidden) ? hidden : text;
}
