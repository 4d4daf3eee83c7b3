// A status line in the shape of published ones: reads all of stdin, then prints the cost and the modes.
import { readFileSync } from "node:fs";

const facts = JSON.parse(readFileSync(0, "utf8"));
const { cost, output_style: style, vim, thinking, permission_mode: mode } = facts;
const lead = facts.context_window.current_usage === null ? "before" : "after";
const times = `${cost.total_duration_ms} ms (${cost.total_api_duration_ms} ms api)`;
const lines = `+${cost.total_lines_added} -${cost.total_lines_removed}`;
console.log(
  `${lead} $${cost.total_cost_usd} in ${times}, ${lines} as ${style.name}, ${mode}, thinking ${thinking.enabled}, vim ${vim?.mode}`,
);
