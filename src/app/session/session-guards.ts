import type { Hooks } from "../../contracts/hook.ts";
import { randomIds } from "../../platform/clock.ts";
import { OpenQuestions } from "../../protocol/open-questions.ts";
import { leaseAgentHooks } from "../agent/main-agent.ts";
import { SessionAgents } from "../agent/session-agents.ts";
import { openHooks } from "../hooks/open-hooks.ts";
import { skillApprover } from "../skills/approve-skill.ts";
import { openCheckpoints } from "./checkpoints/open-checkpoints.ts";
import { PersonNotices } from "./notices/person-notices.ts";
import type { SessionRecords } from "./records/open-records.ts";
import { chargesBefore, SessionSpending } from "./records/session-spending.ts";
import type { Opening, SessionModel } from "./session-model.ts";
import { sessionWork } from "./session-work.ts";
import { wireExtensions } from "./wire-extensions.ts";

type Ports = { readonly hooks?: Hooks; startupWarning(line: string): void };

/**
 * Makes the parts that ask and notify the person, run hooks, limit the spending and watch the work.
 * @throws {ConfigurationError} (exit 2) the hooks of the main conversation's agent can't be used.
 */
export async function sessionGuards(
  { app, ports, closers }: Omit<Opening<Ports>, "config">,
  chosen: SessionModel,
  { watch, debugging }: SessionRecords,
) {
  const { config, environment, conversation, delegation } = chosen;
  const questions = new OpenQuestions(randomIds, config.answerer);
  const agents = new SessionAgents(watch);
  const notices = new PersonNotices({ config, agents, notify: ports.startupWarning });
  closers.defer(wireExtensions(chosen, debugging, agents, notices));
  const earlier = await chargesBefore(conversation, app.own.data, ports.startupWarning);
  const spend = new SessionSpending(app.own, chosen, earlier, questions, notices);
  closers.defer(() => spend.close());
  const work = sessionWork(app, chosen, agents, notices);
  closers.defer(() => work.close());
  const checkpoints = openCheckpoints(app, chosen, work.tasks, notices);
  closers.defer(() => checkpoints.close());
  const approveSkill = skillApprover({ questions, environment, notices });
  const hookPorts = { given: ports.hooks, notify: notices.notify, approve: approveSkill };
  const hooks = await openHooks({ app, chosen, spend, watch, orphans: work.orphans, ports: hookPorts }, closers);
  if (delegation.main) await leaseAgentHooks(delegation.main, { hooks, environment, closers });
  return { questions, agents, notices, spend, work, checkpoints, approveSkill, hooks };
}

export type SessionGuards = Awaited<ReturnType<typeof sessionGuards>>;
