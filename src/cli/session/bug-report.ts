import { join } from "node:path";
import type { Session } from "../../app/session/session.ts";
import { doctorLines, doctorVerdict } from "../../commands/doctor.ts";
import type { DoctorReport } from "../../contracts/doctor.ts";
import { isJsonObject } from "../../contracts/message.ts";
import { shortPath } from "../../platform/directories.ts";
import { environment } from "../../platform/env.ts";
import { makePrivateFolder, replacePrivateFile } from "../../platform/private-file.ts";

const NAMED = ["TERM", "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "LANG", "LC_ALL"] as const;
/** Their values name machines and sockets. */
const PRESENT = ["TMUX", "STY", "ZELLIJ", "SSH_CONNECTION", "WSL_DISTRO_NAME", "NO_COLOR", "CI"] as const;

type Reported = Pick<Session, "app" | "choice" | "environment" | "redactor">;

/**
 * Writes what a bug report needs: the version, the terminal, the names of settings without their values, and the report of
 * `quoll doctor` with the last errors. Credentials are replaced.
 * @returns the path of the file, in short form (`~/…`). @throws {Error} the file can't be written.
 */
export async function writeBugReport(
  session: Reported,
  doctor: (signal: AbortSignal) => Promise<DoctorReport>,
  signal: AbortSignal,
): Promise<string> {
  const { app, environment, redactor } = session;
  const report = await doctor(signal);
  const lines = [
    "# Bug report",
    "",
    "What I did:",
    "",
    "What happened:",
    "",
    "What I expected:",
    "",
    `Quoll ${app.version}, ${process.platform} ${process.arch}, model ${session.choice.model}`,
    `Terminal: ${terminalFacts().join(", ")}`,
    `Settings in use, without values: ${settingNames(environment.settings).join(", ")}`,
    "",
    "```",
    doctorVerdict(report),
    "",
    ...doctorLines(report),
    "```",
    "",
  ];
  const { redact } = await redactor();
  const folder = join(environment.own.state, "bug-reports");
  makePrivateFolder(folder);
  const stamp = new Date(app.clock.now()).toISOString().slice(0, 19).replaceAll(":", "");
  const path = join(folder, `${stamp}.md`);
  replacePrivateFile(path, redact(lines.join("\n")));
  return shortPath(path, environment.own.home);
}

function terminalFacts(): readonly string[] {
  const env = environment();
  const { columns, rows, isTTY } = process.stdout;
  return [
    isTTY ? `${columns}×${rows}` : "none",
    ...NAMED.flatMap((name) => (env[name] ? [`${name}=${env[name]}`] : [])),
    ...PRESENT.flatMap((name) => (env[name] ? [`${name} is set`] : [])),
  ];
}

/** The names of all settings that are set, in two levels: deeper ones are the person's own. */
function settingNames(settings: object): readonly string[] {
  const isSet = (value: unknown) =>
    value !== undefined && !(typeof value === "object" && value !== null && Object.keys(value).length === 0);
  return Object.entries(settings).flatMap(([name, value]) => {
    if (!isSet(value)) return [];
    if (!isJsonObject(value) || isOwnNames(name)) return [name];
    return Object.entries(value).flatMap(([inner, one]) => (isSet(one) ? [`${name}.${inner}`] : []));
  });
}

/** The keys of these settings are chosen by the person. */
function isOwnNames(name: string): boolean {
  return ["env", "providers", "models", "mcpServers", "plugins", "aliases"].includes(name);
}
