import { eventually } from "./eventually.ts";
import { QUOLL, type quollPlace } from "./quoll-process.ts";

type Place = Awaited<ReturnType<typeof quollPlace>>;
export type StreamLine = Readonly<Record<string, unknown>> & { readonly type: string; readonly subtype?: string };

export const STREAM = ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"];
export const said = (content: unknown, more: object = {}) => ({
  type: "user",
  message: { role: "user", content },
  ...more,
});
export const control = (id: string, request: object) => ({ type: "control_request", request_id: id, request });

/** The program as a client that speaks the protocol by hand has it: both pipes, and every line that came. */
export function streamClient(here: Place, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const child = Bun.spawn([...QUOLL, ...STREAM, ...args], {
    cwd: here.project.dir,
    env: here.environmentOf({ env }),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  const lines: StreamLine[] = [];
  let err = "";
  const reader = child.stdout.getReader();
  const readOut = (async () => {
    const decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const parts = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = parts.pop() ?? "";
      for (const part of parts) lines.push(JSON.parse(part) as StreamLine);
    }
  })().catch(() => undefined);
  const readErr = (async () => {
    for await (const chunk of child.stderr) err += new TextDecoder().decode(chunk);
  })();
  const raw = (bytes: string | Uint8Array) => {
    child.stdin.write(bytes);
    child.stdin.flush();
  };
  return {
    child,
    lines,
    raw,
    err: () => err,
    send: (...values: readonly object[]) => raw(values.map((value) => `${JSON.stringify(value)}\n`).join("")),
    end: () => child.stdin.end(),
    /** Stops reading, as if the program at this end had died. */
    deafen: () => reader.cancel(),
    ended: async () => {
      const code = await child.exited;
      await Promise.all([readOut, readErr]);
      return code;
    },
    until: async (what: string, found: (line: StreamLine) => boolean) => {
      await eventually(what, () => lines.some(found));
      const line = lines.find(found);
      if (!line) throw new Error(`Never came true: ${what}`);
      return line;
    },
    results: () => lines.filter(({ type }) => type === "result"),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null) child.kill("SIGKILL");
      await child.exited;
    },
  };
}
