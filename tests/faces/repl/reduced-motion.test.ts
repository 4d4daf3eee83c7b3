import { expect, test } from "bun:test";
import { stripAnsi } from "@quoll/terminal-text/plain-text";
import { started, turn } from "../../support/golden-events.ts";
import { goldenStage } from "../../support/golden-stage.ts";

/** The different frames of a turn that runs a command for eight seconds, and the last one after 21 seconds. */
async function framesOf(reducedMotion: boolean): Promise<{ readonly shown: number; readonly last: string }> {
  const prompt = { ghostText: true, editorMode: "plain", reducedMotion } as const;
  using stage = goldenStage({ columns: 80, rows: 24 }, "dark", { props: { prompt } });
  await stage.start();
  const { here } = stage;
  const frame = () => stage.snapshot().frame.lines.map(stripAnsi).join("\n");
  here.state({ busy: true });
  here.play(turn("test it"), started("1", "Bash", "npm test"));
  await here.wait(1_000);
  const frames = new Set<string>();
  for (let at = 0; at < 80; at += 1) {
    await here.wait(100);
    frames.add(frame());
  }
  await here.wait(12_000);
  return { shown: frames.size, last: frame() };
}

test("with reduced motion, a running command has a sign that stands still, and its clock moves every ten seconds", async () => {
  const { shown, last } = await framesOf(true);
  expect(shown).toBe(1);
  expect(last).toMatch(/◐ +\$ +npm test +(?:1\d|2\d)s/);
});

test("without reduced motion, its sign turns", async () => {
  expect((await framesOf(false)).shown).toBeGreaterThan(20);
});
