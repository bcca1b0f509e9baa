/** Any part of the document. */
type Part = unknown;
type Members = Record<string, Part>;

/** Marks that only this program reads. */
const OWN_KEYWORDS = new Set(["x-fault"]);

/**
 * Schemas with a `title` become components, named once and referred to everywhere, so that generated
 * clients have one type for a job. Our own keywords go.
 */
export function withComponents(document: object): object {
  const components: Members = {};
  const written = rewrite(document, components) as Members;
  const sorted = Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { ...written, components: { ...(written["components"] as Members), schemas: sorted } };
}

function rewrite(part: Part, components: Members): Part {
  if (Array.isArray(part)) return part.map((item) => rewrite(item, components));
  if (typeof part !== "object" || part === null) return part;
  const members = Object.entries(part).filter(([key]) => !OWN_KEYWORDS.has(key));
  const written = Object.fromEntries(members.map(([key, value]) => [key, rewrite(value, components)]));
  return isNamedSchema(written) ? component(written, components) : written;
}

function isNamedSchema(part: Members): part is Members & { title: string } {
  return typeof part["title"] === "string" && ("properties" in part || "enum" in part || "anyOf" in part);
}

function component({ title, ...schema }: Members & { title: string }, components: Members): Part {
  const known = components[title];
  if (known === undefined) components[title] = schema;
  else if (JSON.stringify(known) !== JSON.stringify(schema)) {
    throw new Error(`Two different schemas have the title ${title}`);
  }
  return { $ref: `#/components/schemas/${title}` };
}
