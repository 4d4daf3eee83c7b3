import { expect, setDefaultTimeout, test } from "bun:test";
import { QUOLL, quollPlace } from "../support/quoll-process.ts";

setDefaultTimeout(60_000);

/** At the very start, when something stands on the screen, and when the prompt does. */
const MOMENTS = [/^/, /quoll/, /\? for keys/] as const;

test.each(MOMENTS)("a terminal that goes (at %p) ends the program, which leaves nothing running", async (moment) => {
  await using place = await quollPlace();
  let shown = "";
  const seen = Promise.withResolvers<void>();
  const child = Bun.spawn([...QUOLL, "--trust"], {
    cwd: place.project.dir,
    env: { ...place.environmentOf({}), TERM: "xterm-256color" },
    terminal: {
      cols: 80,
      rows: 24,
      data(_, data) {
        shown += new TextDecoder().decode(data);
        if (moment.test(shown)) seen.resolve();
      },
    },
  });
  try {
    if (!moment.test("")) await seen.promise;
    child.terminal?.close();
    await child.exited;
    expect(child.signalCode ?? child.exitCode).toBeOneOf([129, "SIGHUP"]);
  } finally {
    if (child.exitCode === null) child.kill("SIGKILL");
  }
});
