import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { eventually, isRunning } from "../../support/eventually.ts";
import { credentialPlace, KEY } from "./support.ts";

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => "no failure",
    (error: Error) => error.message,
  );

test("the key is the output of the command, which gets the provider's name", async () => {
  await using place = await credentialPlace({ helpers: { acme: `echo "${KEY}-$QUOLL_PROVIDER"` } });
  expect(await place.store.lookup("acme")).toEqual({
    source: "helper",
    from: `echo "${KEY}-$QUOLL_PROVIDER"`,
    key: `${KEY}-acme`,
  });
  expect(await place.store.lookup("other")).toBeUndefined();
});

test("a saved key precedes a helper", async () => {
  await using place = await credentialPlace({ helpers: { acme: "echo helper-key" } });
  await place.store.save("acme", { key: KEY });
  expect((await place.store.lookup("acme"))?.source).toBe("file");
});

test("a key is used for its time, by all who ask meanwhile, and not after the provider refused it", async () => {
  const helpers = { acme: 'echo x >> "$HOME/runs"; sleep 0.05; wc -l < "$HOME/runs" | tr -d " "' };
  await using place = await credentialPlace({ helpers, ttlMs: 1_000 });
  const keys = async () =>
    (await Promise.all([1, 2, 3].map(() => place.store.lookup("acme")))).map((found) => found?.key);
  expect(await keys()).toEqual(["1", "1", "1"]);
  await place.clock.advance(999);
  expect(await keys()).toEqual(["1", "1", "1"]);
  await place.clock.advance(1);
  expect(await keys()).toEqual(["2", "2", "2"]);
  place.store.forget("acme");
  expect(await keys()).toEqual(["3", "3", "3"]);
});

test.each([
  ["exit 3", "The key helper for acme failed (exit code 3): exit 3"],
  [
    "echo first >&2; echo second >&2; exit 1",
    "The key helper for acme failed (exit code 1: first): echo first >&2; echo second >&2; exit 1",
  ],
  ["true", "The key helper for acme printed nothing."],
  ["echo two words", "The key helper for acme printed something that is not a key: it must print only the key."],
  ["printf 'a\\nb\\n'", "The key helper for acme printed something that is not a key: it must print only the key."],
  ["kill -9 $$", "The key helper for acme failed (ended by a signal): kill -9 $$"],
])("%j fails in one line that doesn't hold what was printed", async (command, line) => {
  await using place = await credentialPlace({ helpers: { acme: command } });
  expect(await failureOf(place.store.lookup("acme"))).toBe(line);
});

test("a key that it complains about is not repeated, nor one in the command", async () => {
  const command = `echo key ${KEY}: expired >&2; exit 1`;
  await using place = await credentialPlace({ helpers: { acme: command } });
  expect(await failureOf(place.store.lookup("acme"))).toBe(
    "The key helper for acme failed (exit code 1: key …: expired): echo key …: expired >&2; exit 1",
  );
});

test("a helper that hangs is ended with all that it started, and asked again the next time", async () => {
  const command = 'echo $$ > "$HOME/pid"; sleep 60 & echo $! > "$HOME/child"; wait';
  await using place = await credentialPlace({ helpers: { acme: command }, timeoutMs: 1_000 });
  expect(await failureOf(place.store.lookup("acme"))).toBe(
    `The key helper for acme failed (no answer within 1 s): ${command}`,
  );
  for (const name of ["pid", "child"]) {
    const pid = Number(await readFile(place.home.path(name), "utf8"));
    await eventually(`${name} is gone`, () => !isRunning(pid));
  }
});

test("a helper that leaves a process in the background does not delay the key", async () => {
  await using place = await credentialPlace({ helpers: { acme: `sleep 60 & echo $! > "$HOME/child"; echo ${KEY}` } });
  expect((await place.store.lookup("acme"))?.key).toBe(KEY);
  const pid = Number(await readFile(place.home.path("child"), "utf8"));
  await eventually("the child is gone", () => !isRunning(pid));
});

test("a helper that prints without end is ended", async () => {
  await using place = await credentialPlace({ helpers: { acme: "yes" } });
  expect(await failureOf(place.store.lookup("acme"))).toBe(
    "The key helper for acme failed (it printed too much for a key): yes",
  );
});
