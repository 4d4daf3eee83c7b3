import { UserFacingError } from "../../contracts/errors.ts";
import type { ReplHandle, ScreenProps } from "../../faces/repl/repl-props.ts";
import { systemClock } from "../../platform/clock.ts";
import { directories } from "../../platform/directories.ts";
import { editFile, editText } from "../../platform/edit-file.ts";
import { environment } from "../../platform/env.ts";
import { gitBranch } from "../../platform/git/find-ref.ts";
import { connectLines, type LineConnection } from "../../platform/line-socket.ts";
import { freeMemory } from "../../platform/own-process.ts";
import { promptHistory } from "../../platform/prompt-history.ts";
import { printLine } from "../../platform/standard-output.ts";
import { RemotePort } from "../../protocol/remote-port.ts";
import { type RemoteFacts, remoteMessage, type ToHost, type ToScreen } from "../../protocol/remote-protocol.ts";
import {
  type BackgroundRecord,
  BackgroundRecords,
  isOver,
  resumeCommand,
} from "../../services/background/io/background-records.ts";
import type { ScreenOptions } from "../screen-options.ts";
import { copyToClipboard } from "../session/copy-to-clipboard.ts";
import { keybindingsFile } from "../session/open-keybindings-file.ts";
import { ownTerminal, shownImages } from "../session/own-terminal.ts";
import { watchSignals } from "../signals.ts";

/**
 * `quoll attach`: the screen of a background session on this terminal, until the person detaches or the session ends.
 * @param wanted The beginning of the session's id; without it, the only running session.
 * @throws {UserFacingError} if there is no terminal, or the session can't be reached.
 */
export async function attach(wanted: string | undefined, options: ScreenOptions, version: string): Promise<number> {
  const records = new BackgroundRecords(directories(environment()).state);
  const record = await records.find(wanted, Date.now());
  const terminal = ownTerminal({ options });
  if (!terminal.stdin.isTTY || !terminal.stdout.isTTY)
    throw new UserFacingError(`quoll attach needs a terminal: quoll logs ${record.id} prints the conversation.`, 2);
  const screen = import("../../faces/repl/run-repl.ts");
  const { port, facts, connection } = await openRemote(record, { records, version, isPlain: terminal.isPlain });
  let handle: ReplHandle | undefined;
  // A closed terminal detaches, like Ctrl+Z.
  const signals = watchSignals(() => handle?.stop(signals.exitCode ?? 1));
  try {
    const { startScreen } = await screen;
    handle = startScreen(screenProps(facts, terminal), port);
    void port.ended.then(({ why, isLost }) => handle?.stop(isLost ? 1 : 0, why));
    const { next, exitCode } = await handle.done;
    if (next?.sessionId !== undefined) printLine(`To open the other session: quoll --resume ${next.sessionId}`);
    return signals.exitCode ?? exitCode;
  } finally {
    signals.stop();
    connection.close();
  }
}

/**
 * Connects to the host of a session.
 * @throws {UserFacingError} the session has ended, its host does not answer, or it is of another version.
 */
export async function openRemote(
  record: BackgroundRecord,
  {
    records,
    version,
    isPlain,
  }: { readonly records: BackgroundRecords; readonly version: string; readonly isPlain: boolean },
): Promise<{ readonly port: RemotePort; readonly facts: RemoteFacts; readonly connection: LineConnection }> {
  const { id, quoll } = record;
  if (isOver(record))
    throw new UserFacingError(
      `${id} has ended (${record.problem ?? record.state}). To continue it: ${resumeCommand(record, directories(environment()).home)}`,
    );
  if (quoll !== version)
    throw new UserFacingError(
      `${id} runs with Quoll ${quoll}, and this is ${version}: attach with that version, or quoll stop ${id} and resume it.`,
    );
  const port = new RemotePort((message) => connection?.send(JSON.stringify(message)));
  const connection = await connectLines(records.files(id).socket, () => ({
    line: (text) => {
      const message = remoteMessage<ToScreen>(text);
      if (message) port.take(message);
    },
    closed: () => port.lost(),
  }));
  const hello: ToHost = { type: "hello", token: records.token(id), wants: "screen", isPlain };
  connection?.send(JSON.stringify(hello));
  const facts = connection && (await port.facts);
  if (!facts) throw new UserFacingError(`${id} does not answer: quoll ps shows its state.`);
  return { port, facts, connection };
}

function screenProps(facts: RemoteFacts, terminal: ScreenProps["terminal"]): ScreenProps {
  return {
    terminal: { ...terminal, ...shownImages(facts.images) },
    clock: systemClock,
    freeMemory,
    keybindings: keybindingsFile(directories(environment())),
    info: {
      version: facts.version,
      cwd: facts.shownCwd,
      branch: gitBranch,
      notices: facts.notices,
    },
    attention: facts.attention,
    copyText: copyToClipboard,
    prompt: facts.prompt,
    theme: facts.theme,
    history: promptHistory(facts.history, facts.pastes),
    editFile: (file, signal) => editFile(file, environment(), signal),
    editText: (text, signal) => editText(text, environment(), signal),
    detachLine: `Detached; the session keeps running. To return: quoll attach ${facts.id}`,
  };
}
