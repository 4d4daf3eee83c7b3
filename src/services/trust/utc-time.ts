const UTC_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z$/;

/** True for a date and time in UTC, as ISO 8601. */
export function isUtcTime(value: unknown): value is string {
  return typeof value === "string" && UTC_TIME.test(value) && !Number.isNaN(Date.parse(value));
}
