import { reply, text, toolUse } from "@quoll/model-twin/scenario";
import { MISSING_CALLS } from "../../../src/engine/system-reminders.ts";
import { longText } from "../normalise.ts";
import type { Oddity } from "../odd-streams.ts";
import { answer, type Conformance, called, END, finished, GO, look, lookReply, OK, round } from "./lines.ts";

const ODDITIES: readonly (readonly [string, Oddity])[] = [
  ["events that no API documents, before each event and at the end", "strange events"],
  ["no empty line after the last event", "no last line"],
  ["a JSON document instead of a stream", "one document"],
];

const MADE_NONE = "The model's answer ended as if it made a call, but it made none.";

/** An answer that ends as if it made a call. */
const saysCall = (said: string) => reply(said, { stopReason: "tool_use" });

export const ODD_STREAMS: readonly Conformance[] = [
  ...ODDITIES.map(([name, oddity]) => ({
    group: "odd streams",
    name,
    oddity,
    replies: [reply([text("Let me look."), toolUse("Look", { text: "a" })]), lookReply("b"), reply(OK)],
    expected: [
      GO,
      "request 1",
      `answer tool_use: text "Let me look." | ${called(1, { text: "a" })}`,
      ...look(1, "a"),
      "results 1",
      "continued tool_results",
      ...round(2, 2, "b"),
      ...END(3),
    ],
  })),
  {
    group: "odd streams",
    name: "a stop reason for calls without a call",
    needs: ["a stop reason for calls"],
    replies: [saysCall("Let me look."), lookReply("a"), reply(OK)],
    expected: [
      GO,
      "request 1",
      answer("Let me look.", "tool_use"),
      `words of harness ${longText(MISSING_CALLS)}`,
      "continued missing_calls",
      ...round(2, 1, "a"),
      ...END(3),
    ],
  },
  {
    group: "odd streams",
    name: "a stop reason for calls without a call, twice",
    needs: ["a stop reason for calls"],
    replies: [saysCall("One. "), saysCall("Two.")],
    expected: [
      GO,
      "request 1",
      answer("One. ", "tool_use"),
      `words of harness ${longText(MISSING_CALLS)}`,
      "continued missing_calls",
      "request 2",
      answer("Two.", "tool_use"),
      finished(2, "Two.", `stopped_short "${MADE_NONE}"`),
    ],
  },
];
