import { useEffect, useRef, useState } from "preact/hooks";
import { Curl, Problem } from "../parts.tsx";
import { documents } from "../search/results.ts";
import { titleOf } from "../search/shown.ts";
import { goTo, place, setup } from "../state.ts";
import {
  findSimilar,
  forItem,
  forUser,
  itemCall,
  type List,
  logEvent,
  logged,
  parametersOf,
  past,
  picks,
  readPicks,
  recommend,
  shared,
  userCall,
} from "./recommendations.ts";
import { ReportView } from "./report-view.tsx";
import { StatusView } from "./status-view.tsx";

/** A user's events and recommendations, similar items, and the trainings behind both. */
export function RecommendView() {
  const { user, visitor, item, filter, values } = place.value;
  const chosen = JSON.stringify([filter, values]);
  const [type, setType] = useState("view");
  useEffect(() => {
    void recommend();
  }, [user, chosen]);
  useEffect(() => {
    void findSimilar();
  }, [item, chosen]);
  const found = setup.value;
  if (!found?.recommendation) {
    return (
      <p class="empty">
        There is no recommendation service here.{" "}
        {found?.local
          ? "`make dev` has one if project.yaml has the section personalize."
          : "Start the console with --recommendation-url."}
      </p>
    );
  }
  return (
    <>
      <form class="row" onSubmit={(event) => event.preventDefault()}>
        <label>
          User
          <input
            value={user}
            placeholder={found.example?.user ?? "an id"}
            onChange={(event) => goTo({ user: event.currentTarget.value.trim(), visitor: false })}
          />
        </label>
        <label class="inline">
          <input type="checkbox" checked={visitor} onChange={() => goTo({ visitor: !visitor })} />
          not logged in
        </label>
        <label>
          Item
          <input
            value={item}
            placeholder="an id"
            onChange={(event) => goTo({ item: event.currentTarget.value.trim() })}
          />
        </label>
        <FilterFields />
        <label>
          Event to log
          <input value={type} onChange={(event) => setType(event.currentTarget.value.trim() || "view")} />
        </label>
      </form>
      <Problem text={shared.value} />
      <Picks />
      <div class="columns">
        {found.can.history && (
          <section class="column" aria-label="History">
            <h2>What {user || "the user"} did</h2>
            <Problem text={past.value.error === shared.value ? "" : past.value.error} />
            {past.value.error === "" && past.value.events.length === 0 && (
              <p class="note">{user === "" ? "Pick or name a user." : "Nothing yet."}</p>
            )}
            <ol class="hits">
              {past.value.events.map(({ item: id, type: kind, when }, at) => (
                <li key={`${id}${kind}${when}`} class="hit" value={at + 1}>
                  <bdi>{titleOf(id, documents.value.get(id))}</bdi>
                  <span class="line">
                    {kind}, {when.slice(0, 10)}
                  </span>
                </li>
              ))}
            </ol>
          </section>
        )}
        <ListView title={`For ${user || "a user"}`} list={forUser.value} call={() => userCall(user)} event={type} />
        {item !== "" && <ListView title={`Like ${item}`} list={forItem.value} call={() => itemCall(item)} />}
      </div>
      <ReportView />
      {found.can.status && <StatusView />}
      {!found.can.history && <p class="note">A user's history can only be read on the local stack.</p>}
    </>
  );
}

/** Users and items to begin with: a newcomer knows no ids. */
function Picks() {
  const { user, item, index } = place.value;
  useEffect(() => {
    void readPicks(index);
  }, [index]);
  const { users, items } = picks.value;
  const pickUser = user === "";
  const pickItem = item === "" && items.length > 0;
  if (!pickUser && !pickItem) return null;
  return (
    <div class="columns picks">
      {pickUser && (
        <section class="column" aria-label="Users to pick">
          <h2>Pick a user</h2>
          <p class="line">
            {users.map((id) => (
              <button key={id} type="button" onClick={() => goTo({ user: id, visitor: false })}>
                {id}
              </button>
            ))}
            <button type="button" onClick={() => goTo({ user: newVisitor(), visitor: true })}>
              a new visitor
            </button>
          </p>
        </section>
      )}
      {pickItem && (
        <section class="column" aria-label="Items to pick">
          <h2>Pick an item</h2>
          <p class="line">
            {items.map((id) => (
              <button key={id} type="button" dir="auto" onClick={() => goTo({ item: id })}>
                {titleOf(id, documents.value.get(id))}
              </button>
            ))}
          </p>
        </section>
      )}
    </div>
  );
}

function FilterFields() {
  const filters = setup.value?.filters ?? [];
  const { filter: name, values } = place.value;
  const expression = filters.find((one) => one.name === name)?.expression ?? "";
  return (
    <>
      <label>
        Filter
        <input
          value={name}
          list="filters"
          placeholder="none"
          onChange={(event) => goTo({ filter: event.currentTarget.value.trim(), values: {} })}
        />
      </label>
      <datalist id="filters">
        {filters.map((one) => (
          <option key={one.name} value={one.name} />
        ))}
      </datalist>
      {parametersOf(expression).map((parameter) => (
        <label key={parameter}>
          {parameter}
          <input
            value={values[parameter] ?? ""}
            onChange={(event) => goTo({ values: { ...values, [parameter]: event.currentTarget.value } })}
          />
        </label>
      ))}
      {expression !== "" && <p class="note wide">{expression}</p>}
    </>
  );
}

/** Returns the id of a session that nobody knows. */
const newVisitor = () => `visitor-${crypto.randomUUID().slice(0, 8)}`;

interface ListProps {
  title: string;
  list: List | null;
  call: () => ReturnType<typeof userCall>;
  /** Type of the events that a press logs. */
  event?: string;
}

function ListView({ title, list, call, event }: ListProps) {
  const section = useRef<HTMLElement>(null);
  const pressed = useRef("");
  // The browser drops the focus when the pressed button moves with its item, or leaves with it.
  useEffect(() => {
    if (pressed.current === "" || document.activeElement !== document.body) return;
    const buttons = [...(section.current?.querySelectorAll<HTMLElement>("[data-item]") ?? [])];
    const again = buttons.find(({ dataset }) => dataset.item === pressed.current);
    (again ?? section.current?.querySelector("h2"))?.focus();
  }, [list]);
  return (
    <section class="column" aria-label={title} ref={section}>
      <header>
        <h2 tabIndex={-1}>{title}</h2>
        {list && list.milliseconds > 0 && <span class="cost">{list.milliseconds} ms</span>}
      </header>
      {!list && <p class="note">Pick or name one above.</p>}
      {list && <Problem text={list.error === shared.value ? "" : list.error} />}
      {list?.degraded.map(({ stage, reason, effect }) => (
        <p key={stage} class="warning">
          <strong>degraded: {stage}</strong> {reason}: {effect}
        </p>
      ))}
      <ol class="hits">
        {list?.items.map((item, index) => (
          <li key={item.ITEM_ID} class="hit" value={index + 1}>
            <bdi>{titleOf(item.ITEM_ID, item)}</bdi>
            <span class="line">
              {item.CATEGORIES?.replaceAll("|", ", ")}
              <button type="button" class="link" onClick={() => goTo({ item: item.ITEM_ID })}>
                similar<span class="hidden"> to {titleOf(item.ITEM_ID, item)}</span>
              </button>
              {event !== undefined && (
                <button
                  type="button"
                  class="link"
                  data-item={item.ITEM_ID}
                  onClick={() => {
                    pressed.current = item.ITEM_ID;
                    void logEvent(item.ITEM_ID, event);
                  }}
                >
                  log a {event}
                  <span class="hidden"> of {titleOf(item.ITEM_ID, item)}</span>
                </button>
              )}
              {list.before && <Moved from={list.before.indexOf(item.ITEM_ID)} to={index} />}
            </span>
          </li>
        ))}
      </ol>
      {list && <Curl url={setup.value?.recommendation ?? ""} call={call()} title={title} />}
      {event !== undefined && logged.value && (
        <Curl url={setup.value?.recommendation ?? ""} call={logged.value} title="the logged event" isNamed />
      )}
    </section>
  );
}

/** Where an item stood before an event was logged, if that was another place. */
function Moved({ from, to }: { from: number; to: number }) {
  if (from === to) return null;
  return <span class="tag">{from < 0 ? "new" : `was ${from + 1}`}</span>;
}
