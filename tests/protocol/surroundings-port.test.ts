import { expect, test } from "bun:test";
import type { FindFiles } from "../../src/contracts/file-mention.ts";
import type { SessionEvent } from "../../src/protocol/session-port.ts";
import { type SessionWatcher, SurroundingsPort } from "../../src/protocol/surroundings-port.ts";

function surroundings() {
  const events: SessionEvent[] = [];
  const searches: { readonly told: Parameters<FindFiles>[1]; readonly signal: AbortSignal }[] = [];
  const looks: unknown[] = [];
  let watcher: SessionWatcher | undefined;
  let texts: readonly string[] = [];
  const port = new SurroundingsPort(
    {
      status: () => ({ cwd: "/src", shownCwd: "~/src", texts, ownLines: [] }),
      look: (screen) => void looks.push(screen),
      findFiles: (_typed, told, signal) => void searches.push({ told, signal }),
      watch(given) {
        watcher = given;
        return () => {
          watcher = undefined;
        };
      },
    },
    (event) => void events.push(event),
  );
  port.watch();
  return {
    ...{ port, searches, looks },
    told: () => events.splice(0),
    setTexts(next: readonly string[]) {
      texts = next;
      watcher?.changed();
    },
    get watcher() {
      return watcher;
    },
  };
}

test("the status is told when it changed, and not again", () => {
  const { port, told, setTexts } = surroundings();
  port.emitStatus();
  port.emitStatus();
  setTexts([]);
  setTexts(["built"]);
  expect(told()).toEqual([
    { type: "status", status: { cwd: "/src", shownCwd: "~/src", texts: [], ownLines: [] } },
    { type: "status", status: { cwd: "/src", shownCwd: "~/src", texts: ["built"], ownLines: [] } },
  ]);
});

test("a search for files ends when another one begins, and each result names its typed text", () => {
  const { port, told, searches } = surroundings();
  port.take({ type: "find_files", typed: "s" });
  searches[0]?.told([{ path: "src/", marks: [0] }], "2 folders were left out");
  port.take({ type: "find_files", typed: "sr" });
  port.take({ type: "find_files" });
  expect(searches.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  expect(told()).toEqual([
    { type: "files", typed: "s", found: [{ path: "src/", marks: [0] }], note: "2 folders were left out" },
  ]);
});

test("a mention is continued for its newest word alone", async () => {
  const { port, told, watcher } = surroundings();
  const answers = new Map<string, (names: readonly { name: string; summary: string }[]) => void>();
  watcher?.mentions([{ name: "@docs:{id}", summary: "" }], (word) => {
    const { promise, resolve } = Promise.withResolvers<readonly { name: string; summary: string }[]>();
    answers.set(word, resolve);
    return promise;
  });
  port.take({ type: "continue_mention", word: "@docs:1" });
  port.take({ type: "continue_mention", word: "@docs:12" });
  for (const [word, answer] of answers) answer([{ name: `${word}3`, summary: "" }]);
  await Promise.resolve();
  await Promise.resolve();
  expect(told()).toEqual([
    { type: "mentions", names: [{ name: "@docs:{id}", summary: "" }], canContinue: true },
    { type: "continued_mentions", word: "@docs:12", mentions: [{ name: "@docs:123", summary: "" }] },
  ]);
});

test("problems are rows, starting servers are named, and a closed port is told nothing more", () => {
  const { port, told, looks, watcher, setTexts } = surroundings();
  watcher?.notify("the server docs is not available");
  watcher?.starting(["docs"]);
  port.take({ type: "look", screen: { columns: 80, rows: 24 } });
  port.end();
  setTexts(["late"]);
  expect(looks).toEqual([{ columns: 80, rows: 24 }]);
  expect(told()).toEqual([
    { type: "row", row: { kind: "notice", level: "warning", text: "The server docs is not available." } },
    { type: "starting", names: ["docs"] },
  ]);
});
