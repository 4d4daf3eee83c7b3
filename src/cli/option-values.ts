import { InvalidArgumentError } from "commander";
import { DEBUG_TOPICS, type DebugTopic } from "../contracts/debug.ts";
import { EFFORTS, type Effort } from "../contracts/provider.ts";
import { SETTING_SOURCES, type SettingSource } from "../contracts/setting-sources.ts";
import { splitRules } from "./arguments.ts";

export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

export function collectRules(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...splitRules(value)];
}

export function names(value: string): readonly string[] {
  return value.split(",").flatMap((name) => name.trim() || []);
}

export function settingSources(value: string): readonly SettingSource[] {
  return names(value).map((name) => {
    const source = SETTING_SOURCES.find((one) => one === name);
    if (!source) throw new InvalidArgumentError(`Each must be one of ${SETTING_SOURCES.join(", ")}.`);
    return source;
  });
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

export function sessionId(value: string): string {
  if (!UUID.test(value))
    throw new InvalidArgumentError(
      "It must be a UUID, such as 0198c0de-0000-7000-8000-000000000000. --name gives a session a name.",
    );
  return value;
}

export function effortLevel(value: string): Effort {
  const effort = EFFORTS.find((one) => one === value);
  if (!effort) throw new InvalidArgumentError(`It must be one of ${EFFORTS.join(", ")}.`);
  return effort;
}

export function thinkingMode(value: string): boolean | undefined {
  if (value === "adaptive") return undefined;
  if (value !== "enabled" && value !== "disabled")
    throw new InvalidArgumentError("It must be adaptive, enabled or disabled.");
  return value === "enabled";
}

export function positiveInteger(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError("It must be a whole number from 1.");
  return Number(value);
}

export function wholeNumber(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError("It must be a whole number from 0.");
  return Number(value);
}

/** Programs write amounts with as many digits as their numbers have: `0.30000000000000004`. */
export function dollars(value: string): number {
  if (!/^(?:\d{1,9}(?:\.\d{1,20})?|\.\d{1,20})$/.test(value))
    throw new InvalidArgumentError("It must be a sum in US dollars, such as 2.50.");
  return Number(value);
}

/** An empty list means all topics. */
export function debugTopics(value: string, before: readonly DebugTopic[] = []): readonly DebugTopic[] {
  const given = names(value).map((name) => {
    const topic = DEBUG_TOPICS.find((one) => one === name);
    if (!topic) throw new InvalidArgumentError(`Each topic must be one of ${DEBUG_TOPICS.join(", ")}.`);
    return topic;
  });
  return given.length === 0 ? DEBUG_TOPICS : [...new Set([...before, ...given])];
}

export function oneOf(allowed: readonly string[]): (value: string) => string {
  return (value) => {
    if (!allowed.includes(value)) throw new InvalidArgumentError(`It must be one of ${allowed.join(", ")}.`);
    return value;
  };
}
