import { expect, test } from "bun:test";
import { LivePlaces } from "../../../../src/faces/repl/terminal/live-places.ts";

test("a line that stays keeps its placeholder, a changed one gets a new one", () => {
  const live = new LivePlaces();
  const [first, , last] = live.of(["one", "two", "three"]);
  const next = live.of(["one", "2", "three", "one"]);
  expect(next).toEqual([first, next[1], last, first] as string[]);
  expect(new Set(next).size).toBe(3);
  expect(next.map((place) => live.lineOf(place, 80))).toEqual(["one", "2", "three", "one"]);
});

test("a placeholder of an earlier frame is an empty line, and other rows stay as they are", () => {
  const live = new LivePlaces();
  const [old = ""] = live.of(["gone"]);
  live.of(["here"]);
  expect(live.lineOf(old, 80)).toBe("");
  expect(live.lineOf("text", 80)).toBe("text");
});

test("a line is cut to the window, and blanks at its end are not written", () => {
  const live = new LivePlaces();
  const places = live.of(["0123456789  ", "日本語日本語", " ", ""]);
  expect(places.map((place) => live.lineOf(place, 8))).toEqual(["0123456…", "日本語…", "", ""]);
});

test("placeholders stay one character in a long session, and no two lines of a frame share one", () => {
  const live = new LivePlaces();
  let before: readonly string[] = [];
  for (let frame = 0; frame < 8_000; frame += 1) {
    const lines = ["stays", `a ${frame}`, `b ${frame}`];
    const places = live.of(lines);
    expect(places.map((place) => live.lineOf(place, 80))).toEqual(lines);
    expect([new Set(places).size, ...places.map((place) => place.length)]).toEqual([3, 1, 1, 1]);
    if (frame > 0) expect(before).not.toContain(places[1] ?? "");
    before = places;
  }
});

test("a line that contains a placeholder is shown as it is", () => {
  const live = new LivePlaces();
  const [place = ""] = live.of(["one"]);
  const [quoted = ""] = live.of([place]);
  expect(live.lineOf(quoted, 80)).toBe(place);
});
