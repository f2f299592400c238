import { useSignal } from "@preact/signals";
import { render } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ConsoleSetup } from "../server/setup.ts";
import { callConsole } from "./api.ts";
import { JudgeView } from "./judge/judge-view.tsx";
import { MeasureView } from "./measure/measure-view.tsx";
import { MerchandiseView } from "./merchandise/merchandise-view.tsx";
import { focusFirst, Problem } from "./parts.tsx";
import { QueriesView } from "./queries/queries-view.tsx";
import { RecommendView } from "./recommend/recommend-view.tsx";
import { dayAndTime, readStatus, status, versionsOf } from "./recommend/status.ts";
import { candidates } from "./search/results.ts";
import { SearchView } from "./search/search-view.tsx";
import { announcement, goTo, hashOf, place, setup, VIEWS, type View } from "./state.ts";

const TITLES: Record<View, string> = {
  queries: "Queries",
  search: "Search",
  judge: "Judge",
  measure: "Measure",
  merchandise: "Merchandise",
  recommend: "Recommend",
};

function App() {
  const problem = useSignal("");
  const { view } = place.value;
  useEffect(() => {
    callConsole<ConsoleSetup>("GET", "/api/setup").then(
      (found) => {
        setup.value = found;
        if (place.value.index === "") goTo(firstPlace(found), { replace: true });
        void readStatus();
      },
      (error: Error) => {
        problem.value = error.message;
      },
    );
  }, []);
  const opened = useRef(view);
  useEffect(() => {
    // A page that was just loaded begins with its links to skip to.
    if (opened.current !== view) focusFirst(document.querySelector("#main"));
    opened.current = view;
  }, [view]);
  useEffect(() => {
    document.title = `${TITLES[view]} – Relevance console`;
  }, [view]);
  return (
    <>
      <button type="button" class="skip" onClick={() => document.querySelector<HTMLElement>("#main")?.focus()}>
        Skip to the content
      </button>
      {view === "search" && (
        <button
          type="button"
          class="skip"
          onClick={() => document.querySelector<HTMLElement>(".slider input")?.focus()}
        >
          Skip to the weights
        </button>
      )}
      <header class="top">
        <div class="brand">
          <svg viewBox="0 0 16 16" fill="currentColor" aria-hidden="true">
            <rect x="1" y="2" width="14" height="3" rx="1" />
            <rect x="1" y="6.5" width="10" height="3" rx="1" />
            <rect x="1" y="11" width="6" height="3" rx="1" />
          </svg>
          Relevance
        </div>
        <nav aria-label="Places">
          {VIEWS.map((name) => (
            <a
              key={name}
              href={hashOf({ ...place.value, view: name })}
              aria-current={name === view ? "page" : undefined}
            >
              {TITLES[name]}
            </a>
          ))}
        </nav>
      </header>
      <main id="main" tabIndex={-1}>
        <h1 class="hidden">{TITLES[view]}</h1>
        <Problem text={problem.value} />
        {setup.value && <Current view={view} />}
      </main>
      <Status />
      <p class="hidden" role="status" aria-live="polite">
        {announcement.value}
      </p>
    </>
  );
}

function Current({ view }: { view: View }) {
  if (view === "queries") return <QueriesView />;
  if (view === "judge") return <JudgeView />;
  if (view === "measure") return <MeasureView />;
  if (view === "merchandise") return <MerchandiseView />;
  if (view === "recommend") return <RecommendView />;
  return <SearchView />;
}

function firstPlace({ indexes, example }: ConsoleSetup) {
  const index = indexes.find((entry) => !entry.index.endsWith("*"))?.index ?? "";
  return { index, query: place.value.query || (example?.query ?? "") };
}

/** The project shown, and a note on stand-ins. */
function Status() {
  const found = setup.value;
  if (!found) return null;
  const version = candidates.value.value?.version;
  return (
    <footer class="status">
      <span>{found.gateway}</span>
      {version && <span>OpenSearch {version}</span>}
      <LastTraining />
      {found.standIns.map(({ model, by }) => (
        <span class="tag" key={model}>
          instead of {model}: {by}
        </span>
      ))}
    </footer>
  );
}

function LastTraining() {
  const { value } = status.value;
  if (!value) return null;
  const { training } = value;
  if (training) return <span>training {training.recipes.join(", ")} …</span>;
  const [last] = versionsOf(value);
  if (!last) return <span>nothing trained</span>;
  const { solution, version } = last;
  return (
    <span>
      last training: {solution.recipe ?? solution.name}, {version.status}, {dayAndTime(version.last_updated)}
    </span>
  );
}

const root = document.querySelector("#app");
if (root) render(<App />, root);
