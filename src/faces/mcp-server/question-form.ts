import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { revealText } from "@quoll/terminal-text/plain-text";
import type { DiffLine, Preview } from "../../contracts/display.ts";
import { type DialogBody, type DialogQuestion, type Reply, sessionRulesOf } from "../../contracts/question.ts";

/** The maximum length of a preview; longer previews are cut, and the form says so. */
const MAX_PREVIEW_CHARS = 10_000;
const DIFF_SIGNS = { same: " ", added: "+", removed: "-" } as const satisfies Record<DiffLine["kind"], string>;

const CLOSED = "the question was closed without an answer";

/** The label of a yes to each kind of question; `session` is absent if that answer does not exist. */
const ANSWERS = {
  permission: { once: "Allow once", session: "Allow in this session" },
  credential: { once: "Allow once", session: "Allow in this session" },
  plan: { once: "Start", session: "Start, and accept edits" },
  spend: { once: "Allow this one request", session: "Raise the cap" },
  wait: { once: "Wait" },
  keep: { once: "Keep" },
  gap: { once: "Run them" },
  port: { once: "Open" },
  // Only sessions with a person at a terminal ask these questions.
  form: { once: "Accept" },
  content: { once: "Approve" },
} as const satisfies Record<DialogBody["kind"], { readonly once: string; readonly session?: string }>;

/** Converts a question to a form that a client shows to its person. Declining or closing the form is a no. */
export function questionForm(question: DialogQuestion): ElicitRequestFormParams {
  const { body } = question;
  const { once, session } = { session: undefined, ...ANSWERS[body.kind] };
  const rules = sessionRulesOf(body);
  const isLasting = session !== undefined && (body.kind !== "permission" || rules.length > 0);
  const options = [
    ["once", once],
    ...(isLasting ? [["session", sessionLabel(rules, session)]] : []),
    ["no", "No"],
  ] as const;
  return {
    message: messageOf(question),
    requestedSchema: {
      type: "object",
      properties: {
        answer: {
          type: "string",
          title: "Answer",
          enum: options.map(([value = ""]) => value),
          enumNames: options.map(([, label = ""]) => label),
        },
      },
      required: ["answer"],
    },
  };
}

/** The reply in a client's answer; every answer except a clear "yes" counts as "no". */
export function replyOf(
  { action, content }: Pick<ElicitResult, "action" | "content">,
  form: ElicitRequestFormParams,
): Reply {
  const answer = action === "accept" ? content?.["answer"] : undefined;
  const schema = form.requestedSchema.properties["answer"];
  const isOffered = schema !== undefined && "enum" in schema && schema.enum.some((value) => value === answer);
  if (isOffered && (answer === "once" || answer === "session")) return { decision: answer };
  return action === "cancel" ? { decision: "reject", message: CLOSED } : { decision: "reject" };
}

function sessionLabel(rules: readonly string[], label: string): string {
  return rules.length === 0 ? label : `${label}: ${revealText(rules.join(", "))}`;
}

/** The most important line comes first and without blank lines, because clients show a few lines and fold the rest. */
function messageOf({ title, body }: DialogQuestion): string {
  const { preview, hazards = [], reason } = body;
  const confinement = body.kind === "permission" ? body.confinement : undefined;
  const text = previewText(preview);
  const isLong = text.includes("\n");
  const dangers = hazards.length === 0 ? "" : `Warning: ${hazards.join("; ")}`;
  const place = confinement === undefined ? "" : `It would run ${confinement}.`;
  const lines = [isLong ? title : `${title} ${text}`, dangers, isLong ? text : "", reason, place];
  return lines.filter((line) => line !== "").join("\n");
}

function previewText(preview: Preview): string {
  const text = revealText(rawText(preview));
  if (text.length <= MAX_PREVIEW_CHARS) return text;
  const left = text.length - MAX_PREVIEW_CHARS;
  return `${text.slice(0, MAX_PREVIEW_CHARS).toWellFormed()}\n… ${left} more characters are not shown.`;
}

function rawText(preview: Preview): string {
  switch (preview.kind) {
    case "command": {
      const unclear = preview.unclear.map((part) => `Not understood: ${part}`);
      return [preview.command, ...unclear].join("\n");
    }
    case "diff": {
      const hunks = preview.hunks.map(({ oldStart, newStart, lines }) =>
        [`@@ -${oldStart} +${newStart} @@`, ...lines.map(({ kind, text }) => `${DIFF_SIGNS[kind]}${text}`)].join("\n"),
      );
      return [`${preview.path}${preview.isNew ? " (new file)" : ""}`, ...hunks].join("\n");
    }
    case "text":
      return preview.text;
  }
}
