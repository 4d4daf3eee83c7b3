import { join, resolve } from "node:path";
import { CREDENTIALS_FILE } from "../../app/open-credentials.ts";
import { lazyRedactor } from "../../app/session/wire-safety.ts";
import { errorMessage, UserFacingError } from "../../contracts/errors.ts";
import { orUndefined } from "../../contracts/or-undefined.ts";
import type { Redactor } from "../../contracts/ports.ts";
import { host, printProblem } from "../../platform/host.ts";
import { entryExists } from "../../platform/paths.ts";
import { replacePrivateFile } from "../../platform/private-file.ts";
import { printLine, printOut } from "../../platform/standard-output.ts";
import { CredentialFile } from "../../services/credentials/credential-file.ts";
import { redactRecording } from "../../services/replay/make-recording.ts";
import { formatRecording } from "../../services/replay/recording.ts";
import { projectHere } from "../project-here.ts";
import { recordSession } from "./record-session.ts";

const STDOUT = "-";

export type ExportOptions = { readonly replayable?: true; readonly output?: string };

/** `quoll sessions export`: writes a session as one file that can be replayed elsewhere. */
export async function exportSession(wanted: string, options: ExportOptions, version: string): Promise<number> {
  if (!options.replayable) throw new UserFacingError("sessions export needs --replayable, the only export format.", 2);
  const redactor = await ownRedactor();
  const { recording, warnings } = await recordSession(wanted, { version, redactor });
  const redacted = redactRecording(recording, redactor);
  const text = formatRecording(redacted);
  const { sessionId, missing } = redacted.head;
  for (const line of warnings) printProblem(line);
  for (const line of missing) printProblem(`not in the file: ${line}`);
  if (options.output === STDOUT) {
    printOut(text);
    return 0;
  }
  const file = resolve(host().cwd, options.output ?? `quoll-replay-${sessionId}.jsonl`);
  write(file, text);
  printLine(file);
  return 0;
}

/** The redactor of a session in this folder. */
export async function ownRedactor(): Promise<Redactor> {
  const environment = await projectHere();
  const keys = savedKeys(new CredentialFile(join(environment.own.config, CREDENTIALS_FILE)));
  return lazyRedactor(environment, () => keys)();
}

/** Saved keys, which may also occur in typed text or answers. Empty if the file of keys is unusable. */
function savedKeys(file: CredentialFile): readonly string[] {
  return orUndefined(() => Object.values(file.read()).flatMap(({ key }) => (key === undefined ? [] : [key]))) ?? [];
}

/** @throws {UserFacingError} the file exists (exit 2) or cannot be written. */
function write(file: string, text: string): void {
  if (entryExists(file)) throw new UserFacingError(`${file} exists: name another file with --output.`, 2);
  try {
    replacePrivateFile(file, text);
  } catch (cause) {
    throw new UserFacingError(`The session could not be written to ${file}: ${errorMessage(cause)}.`, 1, { cause });
  }
}
