import { PLACED_FIELDS } from "../../platform/contract/recommendation.ts";
import { propertyName } from "../../settings/property-name.ts";
import { type Definitions, fieldsOf, fieldValue, type StoredEvent, type Value } from "./layout.ts";

/**
 * An event as Personalize learns from it. It reaches Personalize through PutEvents and through an import, and
 * Personalize merges the two only if they are equal, so both are made from this record.
 */
export interface TrainedEvent {
  userId: string;
  itemId: string;
  eventType: string;
  /** Null means no value, in PutEvents and in imports. */
  eventValue: number | null;
  /** Whole seconds, because imports do not support fractions. */
  timestamp: number;
  /** Item ids joined by a vertical bar, as in an import. */
  impression: string | null;
  /** Values of the schema's custom fields, in the order of the schema. */
  values: readonly (Value | null)[];
  /** The same values as properties for PutEvents: JSON with camelCase names, without fields that have no value. */
  properties: string;
}

/** Returns whether PutEvents has a parameter of its own for a field. */
export const isPlaced = (name: string) => (PLACED_FIELDS as readonly string[]).includes(name);

/** Returns the names of the schema's custom fields, in the order of `TrainedEvent.values`. */
export function customFields({ schemas }: Definitions): string[] {
  return schemas.interaction.fields.map(({ name }) => name).filter((name) => !isPlaced(name));
}

/** Returns the function that converts events for Personalize. The real-time path and the import must both use it. */
export function trainedEvent(definitions: Definitions): (event: StoredEvent) => TrainedEvent {
  const custom = fieldsOf(definitions.schemas.interaction, definitions.etl.interaction)
    .filter(({ name }) => !isPlaced(name))
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

/** One event of a PutEvents call. Its USER_ID and SESSION_ID are parameters of the call itself. */
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

/** Converts an event for PutEvents, from its trained record. */
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
