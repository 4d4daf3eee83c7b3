import { expect, test } from "bun:test";
import { FRAME_MS, FramePacer, SLOW_TEXT_MS, TEXT_MS } from "../../../../src/faces/repl/terminal/frame-pacer.ts";
import { SPINNER_MS } from "../../../../src/faces/repl/view/theme.ts";
import { fakeClock } from "../../../support/fake-clock.ts";

function pacer() {
  const clock = fakeClock();
  const ended = new AbortController();
  const frames: number[] = [];
  const paced = new FramePacer(clock, ended.signal, () => frames.push(clock.monotonicMs()));
  return { clock, ended, frames, paced };
}

test("a key is drawn at once, however many come together", async () => {
  const { clock, frames, paced } = pacer();
  paced.now();
  paced.now();
  await clock.advance(0);
  expect(frames).toEqual([0]);
});

test("a stream is drawn no more often than a frame's time, and its end is drawn", async () => {
  const { clock, frames, paced } = pacer();
  for (let at = 0; at < 100; at += 1) {
    paced.soon();
    await clock.advance(5);
  }
  await clock.advance(FRAME_MS);
  expect(frames.length).toBeLessThanOrEqual(500 / FRAME_MS + 2);
  expect(frames.length).toBeGreaterThan(3);
  for (const [at, frame] of frames.entries())
    if (at > 0) expect(frame - (frames[at - 1] ?? 0)).toBeGreaterThanOrEqual(FRAME_MS);
  expect(clock.sleeping).toBe(0);
});

test("a key in the middle of a stream puts the next frame off instead of adding one", async () => {
  const { clock, frames, paced } = pacer();
  paced.soon();
  await clock.advance(0);
  paced.soon();
  await clock.advance(FRAME_MS - 10);
  paced.now();
  await clock.advance(0);
  paced.soon();
  await clock.advance(10);
  expect(frames).toEqual([0, FRAME_MS - 10]);
  await clock.advance(FRAME_MS - 10);
  expect(frames).toEqual([0, FRAME_MS - 10, 2 * FRAME_MS - 10]);
  expect(clock.sleeping).toBe(0);
});

test("a few words wait a little longer than much text, and no longer than they need to", async () => {
  const { clock, frames, paced } = pacer();
  paced.now();
  const stream = async (ms: number, chars: number) => {
    for (let at = 0; at < ms; at += 50) {
      paced.text(chars);
      await clock.advance(50);
    }
    await clock.advance(SLOW_TEXT_MS);
    return frames.splice(0).length;
  };
  const slow = await stream(2_000, 2);
  expect(slow).toBeGreaterThanOrEqual(2_000 / SLOW_TEXT_MS);
  expect(slow).toBeLessThanOrEqual(2_000 / SLOW_TEXT_MS + 2);
  expect(await stream(2_000, 60)).toBeGreaterThanOrEqual(Math.floor(2_000 / TEXT_MS));
  paced.now();
  await clock.advance(0);
  paced.text(1);
  await clock.advance(10);
  paced.text(500);
  await clock.advance(TEXT_MS - 10);
  expect((frames[1] ?? 0) - (frames[0] ?? 0)).toBe(TEXT_MS);
  expect(frames).toHaveLength(2);
  paced.text(1);
  await clock.advance(FRAME_MS - 10);
  paced.soon();
  await clock.advance(10);
  expect(frames).toHaveLength(3);
  await clock.advance(SLOW_TEXT_MS);
  expect(clock.sleeping).toBe(0);
});

test("the spinner turns while something runs, and nothing sleeps when they don't", async () => {
  const { clock, frames, paced } = pacer();
  paced.tickEvery(SPINNER_MS);
  paced.tickEvery(SPINNER_MS);
  for (let turn = 0; turn < 3; turn += 1) await clock.advance(SPINNER_MS);
  expect(frames).toEqual([SPINNER_MS, 2 * SPINNER_MS, 3 * SPINNER_MS]);
  paced.tickEvery(undefined);
  await clock.advance(5_000);
  expect(frames).toHaveLength(3);
  expect(clock.sleeping).toBe(0);
});

test("the spinner needs no frame of its own while text streams", async () => {
  const { clock, frames, paced } = pacer();
  paced.tickEvery(SPINNER_MS);
  for (let at = 0; at < 1_000; at += 5) {
    paced.text(6);
    await clock.advance(5);
  }
  for (const [at, frame] of frames.entries())
    if (at > 0) expect(frame - (frames[at - 1] ?? 0)).toBeGreaterThanOrEqual(TEXT_MS);
  await clock.advance(TEXT_MS);
  const last = frames.at(-1) ?? 0;
  for (let ms = 0; ms < SPINNER_MS; ms += 10) await clock.advance(10);
  expect(frames.at(-1)).toBe(last + SPINNER_MS);
});

test("nothing is drawn and nothing sleeps after the end", async () => {
  const { clock, ended, frames, paced } = pacer();
  paced.soon();
  paced.tickEvery(SPINNER_MS);
  paced.at(300);
  paced.now();
  ended.abort();
  await clock.advance(5_000);
  expect({ frames, sleeping: clock.sleeping }).toEqual({ frames: [], sleeping: 0 });
});

test("a frame at a time is not drawn before it, although the timer wakes too early", async () => {
  const clock = fakeClock();
  const early = { ...clock, sleep: (ms: number, signal: AbortSignal) => clock.sleep(ms > 1 ? ms - 1 : ms, signal) };
  const frames: number[] = [];
  const pacer = new FramePacer(early, new AbortController().signal, () => frames.push(clock.monotonicMs()));
  pacer.at(1_000);
  await clock.advance(999);
  await clock.advance(1);
  expect(frames).toEqual([1_000]);
});

test("over a slow line a stream has fewer frames, a key is drawn at once, and a fast line has all of them again", async () => {
  const clock = fakeClock();
  const frames: number[] = [];
  let writeMs = 100;
  const draw = () => frames.push(clock.monotonicMs());
  const paced = new FramePacer(clock, new AbortController().signal, draw, () => writeMs);
  const stream = async (ms: number) => {
    for (let at = 0; at < ms; at += 10) {
      paced.soon();
      await clock.advance(10);
    }
  };
  await stream(2_000);
  expect(frames.length).toBe(5);
  paced.now();
  await clock.advance(0);
  expect(frames.at(-1)).toBe(2_000);
  writeMs = 0;
  frames.length = 0;
  await stream(2_000);
  expect(frames.length).toBeGreaterThan(15);
});
