// Does a run notice when a role, or the person who deploys, lacks one permission?
import { gatewayStory, recommendationStory, stateStory } from "../test/fixtures/deployment-stories.ts";
import { takeOut } from "../test/fixtures/taken-out.ts";
import { trainingStory } from "../test/fixtures/training-story.ts";
import { type Benchmark, load } from "./result.ts";

const COUNT = 10;
const STORIES = [trainingStory, stateStory, gatewayStory, recommendationStory];

/**
 * Really takes ten permissions out, drawn by a seed from those of the deployed roles and of the policies that
 * `relevance permissions` prints, and trains, deploys and removes without each.
 */
export const permissionsBenchmark: Benchmark = {
  name: "permissions",
  async run() {
    const { needed, outcomes } = await takeOut(STORIES, { count: COUNT, say: console.error });
    const missed = outcomes.filter((one) => one.missed);
    const drawn = outcomes.map(({ story, taken: { role, sid, action }, missed }) => {
      const name = role.replace(/^taken-|-[a-z]+-[a-z]+-\d$/g, "");
      return `${name} ${sid} ${action} (${missed ? story : "not missed"})`;
    });
    return [
      {
        what: "permissions of roles and of the deployer that were missed when removed one by one",
        budget: `${COUNT} of ${COUNT}`,
        reached: `${missed.length} of ${outcomes.length}`,
        kept: missed.length === outcomes.length,
        note: `drawn from the ${needed} that ${STORIES.map(({ name }) => name).join(", ")} need: ${drawn.join(", ")}; ${load()}`,
      },
    ];
  },
};
