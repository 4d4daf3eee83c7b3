const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;

/**
 * `in 5 min`, `in 2 h 13 min (14:20)`, `in 3 d 2 h (Thu 14:20)`; in the person's time zone.
 * @param at A later moment than `now`; both in milliseconds since 1970.
 */
export function formatMoment(at: number, now: number): string {
  const minutes = Math.max(1, Math.ceil((at - now) / MINUTE_MS));
  if (minutes < 60) return `in ${minutes} min`;
  const date = new Date(at);
  const time = `${String(date.getHours()).padStart(2, "0")}:${String(date.getMinutes()).padStart(2, "0")}`;
  if (minutes < DAY_MINUTES) return `in ${Math.floor(minutes / 60)} h ${minutes % 60} min (${time})`;
  const day = date.toLocaleDateString("en", { weekday: "short" });
  return `in ${Math.floor(minutes / DAY_MINUTES)} d ${Math.floor((minutes % DAY_MINUTES) / 60)} h (${day} ${time})`;
}
