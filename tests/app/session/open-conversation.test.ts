import { expect, test } from "bun:test";
import { openConversation } from "../../../src/app/session/open-conversation.ts";
import type { SessionConfig } from "../../../src/contracts/session-config.ts";
import { randomIds, systemClock } from "../../../src/platform/clock.ts";
import { asUser, openLog } from "../../services/session/support.ts";
import { tempProject } from "../../support/temp-project.ts";

type Wanted = Pick<SessionConfig, "conversation"> & { readonly isHeadless: boolean };

/** Opens a session whose conversation was cleared twice, and tells what it shows. */
async function opened({ isHeadless, conversation: chosen }: Wanted, later: readonly string[] = []) {
  await using project = await tempProject();
  const folder = project.dir;
  const log = openLog({ folder, sessionId: "s1" });
  log.append(asUser("first"));
  log.append({ kind: "cleared" });
  log.append(asUser("second"));
  log.append({ kind: "cleared" });
  for (const prompt of later) log.append(asUser(prompt));
  log.close();
  const place = { folder, cwd: "/p", version: "1", isHeadless, clock: systemClock, ids: randomIds };
  const conversation = await openConversation({ isSaved: true, conversation: chosen }, place);
  conversation.close();
  const { restored, warnings } = conversation;
  const prompts = restored?.entries.flatMap((entry) => (entry.kind === "user" ? [entry.prompt] : []));
  return { prompts, warnings, isCopy: conversation.log.sessionId !== "s1" };
}

test("a chosen session that is empty since a clear opens as a copy of the newest cleared conversation", async () => {
  const conversation = { kind: "saved", id: "s1" } as const;
  const { prompts, warnings, isCopy } = await opened({ isHeadless: false, conversation });
  expect({ prompts, isCopy, lines: warnings.length }).toEqual({ prompts: ["second"], isCopy: true, lines: 1 });
  expect(warnings[0]).toContain("s1 is empty since /clear");
});

test("a session whose cleared conversation was rewound to its beginning opens as it was left", async () => {
  await using project = await tempProject();
  const folder = project.dir;
  const log = openLog({ folder, sessionId: "s1" });
  const from = log.append(asUser("first"));
  const empty = log.append({ kind: "branch", from, by: "rewind" }, null);
  const again = log.append(asUser("second"));
  log.append({ kind: "branch", from: again, by: "rewind" }, empty);
  log.append({ kind: "cleared" });
  log.close();
  const place = { folder, cwd: "/p", version: "1", clock: systemClock, ids: randomIds };
  const conversation = { kind: "saved", id: "s1" } as const;
  const reopened = await openConversation({ isSaved: true, conversation }, place);
  reopened.close();
  expect(reopened.log.sessionId).toBe("s1");
});

test("any other session opens as it was left", async () => {
  const [saved, latest] = [{ kind: "saved", id: "s1" } as const, { kind: "latest" } as const];
  const none = { warnings: [], isCopy: false };
  expect(await opened({ isHeadless: false, conversation: saved }, ["now"])).toEqual({ prompts: ["now"], ...none });
  expect(await opened({ isHeadless: false, conversation: latest })).toEqual({ prompts: [], ...none });
  expect(await opened({ isHeadless: true, conversation: saved })).toEqual({ prompts: [], ...none });
});
