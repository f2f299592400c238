import { eventCampaign } from "../test/fixtures/faults/events.ts";
import { startWorld } from "../test/functions/recommendation-api/world.ts";
import { type Benchmark, load, type Row } from "./result.ts";

const EVENTS = 100_000;

/** Uploads events while Firehose, DynamoDB and Personalize fail, and counts those that are lost or trained twice. */
export const eventFaultsBenchmark: Benchmark = {
  async run(): Promise<Row[]> {
    const start = performance.now();
    const world = await startWorld();
    try {
      const report = await eventCampaign(world, EVENTS);
      const lost = report.acceptedAndNotStored.length + report.acceptedAndNotTrained.length;
      const twice = report.imported - report.different + report.trackedDifferently.length;
      const seconds = (performance.now() - start) / 1_000;
      return [
        {
          what: `${EVENTS.toLocaleString("en")} events while Firehose, DynamoDB and Personalize fail: lost, trained twice`,
          budget: "0, 0",
          reached: `${lost}, ${twice}`,
          kept: lost === 0 && twice === 0 && report.imported === EVENTS,
          note:
            `${report.rejected.toLocaleString("en")} rejected at first, ${report.stored.toLocaleString("en")} lines ` +
            `stored, ${report.tracked.toLocaleString("en")} told to Personalize; ${seconds.toFixed(0)} s; ${load()}`,
        },
      ];
    } finally {
      await world.stop();
    }
  },
};
