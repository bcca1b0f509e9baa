import type { TSchema } from "typebox";

const PLAIN_INTEGER = /^(?:0|[1-9]\d{0,15})$/;

/**
 * Query parameters as the values that their schema asks for. Only plain decimal whole numbers and
 * `true` and `false` are read as such. `1e3`, `0x10`, ` 5`, `+5` and the empty text stay text, which
 * the schema then refuses, and so does a parameter that is given twice, unless it is a list: that is given
 * as `a,b`, by repeating it, or both.
 */
export function decodeQuery(schema: TSchema, query: object): Record<string, unknown> {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> };
  return Object.fromEntries(
    Object.entries(query).map(([name, value]: [string, unknown]) => {
      const type = Object.hasOwn(properties, name) ? properties[name]?.type : undefined;
      if (type === "array") return [name, [value].flat().flatMap((text) => String(text).split(","))];
      return [name, typeof value === "string" ? decodeText(type, value) : value];
    }),
  );
}

function decodeText(type: string | undefined, text: string): unknown {
  if (type === "integer" && PLAIN_INTEGER.test(text)) {
    const value = Number(text);
    return Number.isSafeInteger(value) ? value : text;
  }
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}
