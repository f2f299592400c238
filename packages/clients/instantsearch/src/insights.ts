import { type Gateway, type GatewayEvent, UnsupportedError } from "./types.ts";

/** The most characters of a message that the gateway takes. */
const MOST_MESSAGE = 1_024;

/** Returns the beginning of a name that fits a message, without half of a pair of surrogates at its end. */
const shortened = (name: string): string => name.slice(0, MOST_MESSAGE).replace(/[\ud800-\udbff]$/, "");

/** Who searches. */
export interface Visitor {
  /** Sent as `x-client-id`, which joins clicks with searches. */
  clientId: string;
  /** The signed-in user, once the page has told it by `setUserToken`. */
  userId?: string | undefined;
}

/** Returns the place of a hit, from 1, that a search has shown; undefined if it is not known. */
export type PlaceOf = (queryId: string, objectId: string) => number | undefined;

/** The event interface of InstantSearch: that of Algolia's `search-insights`. */
export interface InsightsClient {
  /** Resolves with whether the event is stored, as Algolia's does. */
  (method: string, ...args: unknown[]): Promise<boolean>;
  version: string;
}

/** The name of an event by the method that reports it. */
const ACTIONS: Readonly<Record<string, string>> = {
  clickedObjectIDs: "click",
  clickedObjectIDsAfterSearch: "click",
  convertedObjectIDs: "conversion",
  convertedObjectIDsAfterSearch: "conversion",
  addedToCartObjectIDs: "add_to_cart",
  addedToCartObjectIDsAfterSearch: "add_to_cart",
  purchasedObjectIDs: "purchase",
  purchasedObjectIDsAfterSearch: "purchase",
};

/** Methods that have no effect: the request log has the hits that were shown, and the filters that were used. */
const WITHOUT_EFFECT = new Set([
  ...["init", "addAlgoliaAgent", "sendEvents", "viewedObjectIDs"],
  ...["viewedFilters", "clickedFilters", "convertedFilters"],
]);

interface Payload {
  eventName?: string;
  queryID?: string;
  objectIDs?: readonly string[];
  positions?: readonly number[];
  objectData?: readonly { queryID?: string }[];
}

type UserListener = (userId: string | undefined) => void;

/** Returns a client that stores clicks and conversions by `POST /application/events`. */
export function insightsClient(gateway: Gateway, visitor: Visitor, placeOf: PlaceOf): InsightsClient {
  let listener: UserListener | undefined;
  const token = () => visitor.userId ?? visitor.clientId;

  const report = async (action_name: string, payload: Payload): Promise<boolean> => {
    const { eventName, objectIDs = [], positions, objectData } = payload;
    const timestamp = new Date().toISOString();
    const events = objectIDs.map((object_id, at): GatewayEvent => {
      const query_id = payload.queryID ?? objectData?.[at]?.queryID;
      const ordinal = positions?.[at] ?? (query_id === undefined ? undefined : placeOf(query_id, object_id)) ?? 0;
      return {
        action_name,
        timestamp,
        ...(query_id !== undefined && { query_id }),
        ...(visitor.userId !== undefined && { user_id: visitor.userId }),
        ...(eventName !== undefined && { message: shortened(eventName) }),
        event_attributes: { object: { object_id }, position: { ordinal } },
      };
    });
    if (events.length === 0) return false;
    const sent = gateway.events({ events }, { headers: { "x-client-id": visitor.clientId } });
    // InstantSearch does not wait for the answer: the page has nobody to tell, and the browser's console has it.
    return sent.then(
      () => true,
      () => false,
    );
  };

  /** Answers what is no event. */
  const settle = (method: string, [first, second]: readonly unknown[]): void => {
    if (WITHOUT_EFFECT.has(method)) return;
    if (method === "getUserToken") {
      (second as (error: null, token: string) => void)?.(null, token());
      return;
    }
    if (method === "onUserTokenChange") {
      listener = first as UserListener | undefined;
      if ((second as { immediate?: boolean } | undefined)?.immediate) listener?.(token());
      return;
    }
    if (method !== "setUserToken") throw new UnsupportedError(`insights: ${method} is not supported`);
    visitor.userId = first === visitor.clientId ? undefined : String(first);
    listener?.(token());
  };

  const call = async (method: string, ...args: unknown[]): Promise<boolean> => {
    const action = ACTIONS[method];
    if (action !== undefined) return report(action, args[0] as Payload);
    settle(method, args);
    return false;
  };
  // Algolia's own version with this interface: InstantSearch calls older ones in another way.
  return Object.assign(call, { version: "2.17.2" });
}
