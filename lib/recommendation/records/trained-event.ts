import { type Definitions, fieldsOf, fieldValue, type Value } from "./layout.ts";
import { propertyName } from "./property-name.ts";
import type { StoredEvent } from "./stored-event.ts";

/**
 * The record of an event that Personalize learns from, whichever way it gets there. Personalize merges an event of
 * PutEvents with one of an import only when they are equal, so both are made from this.
 */
export interface TrainedEvent {
  userId: string;
  itemId: string;
  eventType: string;
  /** Null is no value, in both ways. */
  eventValue: number | null;
  /** Whole seconds: an import knows no fractions. */
  timestamp: number;
  /** Joined by a vertical bar, as an import has it. */
  impression: string | null;
  /** Values of the schema's own fields, in its order. */
  values: readonly (Value | null)[];
  /** The same as PutEvents' properties: JSON with names in camelCase, fields without a value left out. */
  properties: string;
}

/** Fields of the interactions' schema that have a place of their own in PutEvents. */
const PLACED: readonly string[] = ["USER_ID", "ITEM_ID", "EVENT_TYPE", "EVENT_VALUE", "TIMESTAMP", "IMPRESSION"];

/** Names of the schema's own fields, in the order of `TrainedEvent.values`. */
export function customFields({ schemas }: Definitions): string[] {
  return schemas.interaction.fields.map(({ name }) => name).filter((name) => !PLACED.includes(name));
}

/** The one function that makes an event's trained record, for the real-time path and for the import. */
export function trainedEvent(definitions: Definitions): (event: StoredEvent) => TrainedEvent {
  const custom = fieldsOf(definitions.schemas.interaction, definitions.etl.interaction)
    .filter(({ name }) => !PLACED.includes(name))
    .map((field) => ({ field, property: propertyName(field.name) }));
  return (event) => {
    const values: (Value | null)[] = [];
    const properties: Record<string, Value> = {};
    for (const { field, property } of custom) {
      const value = fieldValue(field, event);
      values.push(value);
      if (value !== null) properties[property] = value;
    }
    return {
      userId: event.USER_ID,
      itemId: event.ITEM_ID,
      eventType: event.EVENT_TYPE,
      eventValue: event.EVENT_VALUE ?? null,
      timestamp: event.TIMESTAMP,
      impression: event.IMPRESSION ?? null,
      values,
      properties: custom.length > 0 ? JSON.stringify(properties) : "{}",
    };
  };
}

/** One event of a PutEvents call; the call's own userId and sessionId are the event's USER_ID and SESSION_ID. */
export interface PutEvent {
  eventId: string;
  eventType: string;
  itemId: string;
  sentAt: Date;
  eventValue?: number;
  impression?: string[];
  properties?: string;
  recommendationId?: string;
}

/** An event as PutEvents takes it, made of its trained record. */
export function putEvent(event: StoredEvent, trained: TrainedEvent): PutEvent {
  return {
    eventId: event.EVENT_ID,
    eventType: trained.eventType,
    itemId: trained.itemId,
    sentAt: new Date(trained.timestamp * 1_000),
    ...(trained.eventValue !== null && { eventValue: trained.eventValue }),
    ...(trained.impression !== null && { impression: trained.impression.split("|") }),
    ...(trained.properties !== "{}" && { properties: trained.properties }),
    ...(event.RECOMMENDATION_ID !== undefined && { recommendationId: event.RECOMMENDATION_ID }),
  };
}
