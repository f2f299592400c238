// Does a run notice when a role lacks one permission?
import { takeOut } from "../test/fixtures/taken-out.ts";
import { type Benchmark, load } from "./result.ts";

const COUNT = 10;

/** Really takes ten permissions out of the deployed roles, drawn by a seed, and trains and tears down without each. */
export const permissionsBenchmark: Benchmark = {
  name: "permissions",
  async run() {
    const { needed, outcomes } = await takeOut(COUNT);
    const missed = outcomes.filter((one) => one.missed);
    const drawn = outcomes.map(({ taken: { role, sid, action }, missed }) => {
      const name = role.replace(/^partly-|-[a-z]+-[a-z]+-\d$/g, "");
      return `${name} ${sid} ${action}${missed ? "" : " (not missed)"}`;
    });
    return [
      {
        what: "permissions of roles taken out, one by one, that were missed",
        budget: `${COUNT} of ${COUNT}`,
        reached: `${missed.length} of ${outcomes.length}`,
        kept: missed.length === outcomes.length,
        note: `of ${needed} that a training and teardown need: ${drawn.join(", ")}; ${load()}`,
      },
    ];
  },
};
