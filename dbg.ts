// temporary
import { clusters } from "./test/fixtures/opensearch.ts";
import { startModels } from "./test/pairs/models.ts";
import { playWrites } from "./test/pairs/writes/campaign.ts";
import { playSearches } from "./test/pairs/search/campaign.ts";
import { rowsOf } from "./test/pairs/report.ts";
import { SEARCH_CONSTRAINTS, searchDimensions } from "./test/pairs/search/dimensions.ts";
import { WRITE_CONSTRAINTS, WRITES } from "./test/pairs/writes/dimensions.ts";
const models = await startModels();
const [c] = await clusters();
const n = Number(process.argv[3]);
const from = Number(process.argv[4] ?? 0);
const show = (r: any) => { for (const f of r.findings) console.log(`### '${process.argv[2]} ${r.name}'\n  ${f.what}\n   expected ${JSON.stringify(f.expected)?.slice(0, 500)}\n   got      ${JSON.stringify(f.got)?.slice(0, 600)}`); if (!r.findings.length) console.log("ok"); };
(globalThis as any).onResult = show;
if (process.argv[2] === "write") await playWrites({ cluster: c!, models, rows: rowsOf("write", WRITES, WRITE_CONSTRAINTS, { pairs: n }).slice(from) });
else await playSearches({ cluster: c!, models, rows: rowsOf("search", searchDimensions(c!.version), SEARCH_CONSTRAINTS, { pairs: n }).slice(from) as any });
console.log("DONE");
process.exit(0);
