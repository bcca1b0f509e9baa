import type { TSchema } from "typebox";
import { Check } from "typebox/value";
import type { TextRule } from "../../api/fields.js";
import type { Fault } from "../../core/errors.js";
import { pointerPart } from "../../core/json-pointer.js";
import { nearestName } from "../../core/nearest-name.js";

/** More faults than this help nobody, and a hostile body could have millions. */
const MAX_FAULTS = 100;
/** Of a field name that the client made up. */
const LONGEST_POINTER_PART = 100;

/** The parts of a schema that this reads: the kinds that `src/api` uses. */
interface Node extends TSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: Node;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly anyOf?: readonly Node[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly "x-fault"?: TextRule;
}

/** Rules that a schema cannot say, for the values of some schemas. */
export type ExtraRules = ReadonlyMap<TSchema, (value: object, at: string) => readonly Fault[]>;

/**
 * Every fault of a value that its schema refuses, one for each place. TypeBox decides what is a fault;
 * this finds where it is, and says it in the words of the core.
 */
export function explain(schema: TSchema, value: unknown, rules: ExtraRules = new Map()): Fault[] {
  const faults: Fault[] = [];
  const explainer = new Explainer(rules, faults);
  explainer.visit(schema, value, "");
  return faults;
}

class Explainer {
  constructor(
    private readonly rules: ExtraRules,
    private readonly faults: Fault[],
  ) {}

  visit(schema: Node, value: unknown, at: string): void {
    if (this.faults.length >= MAX_FAULTS) return;
    if (schema.anyOf !== undefined) this.#union(schema, schema.anyOf, value, at);
    else if (schema.properties !== undefined) this.#object(schema, schema.properties, value, at);
    else if (schema.items !== undefined) this.#array(schema, schema.items, value, at);
    else if (!Check(schema, value)) this.#add(at, faultOfLeaf(schema));
  }

  #object(schema: Node, properties: Readonly<Record<string, Node>>, value: unknown, at: string): void {
    if (!isObject(value)) {
      this.#add(at, { code: "wrong_type", detail: "must be an object" });
      return;
    }
    const before = this.faults.length;
    // No list of pairs: making it of the hundred thousand fields of a hostile body takes longer than all that follows.
    for (const name of Object.keys(value)) {
      if (this.faults.length >= MAX_FAULTS) return;
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const pointer = `${at}/${pointerPart(name.slice(0, LONGEST_POINTER_PART))}`;
      if (property !== undefined) this.visit(property, value[name], pointer);
      else if (schema.additionalProperties === false) {
        this.#add(pointer, unknownField(name, Object.keys(properties)));
      }
    }
    for (const name of schema.required ?? []) {
      if (!Object.hasOwn(value, name)) {
        this.#add(`${at}/${pointerPart(name)}`, { code: "required", detail: "is required" });
      }
    }
    this.#applyRules(schema, value, at, before);
  }

  /** A place that the schema has spoken about is not spoken about again, in other words. */
  #applyRules(schema: Node, value: object, at: string, before: number): void {
    const own = new Set(this.faults.slice(before).map(({ pointer }) => pointer));
    for (const fault of this.rules.get(schema)?.(value, at) ?? []) {
      if (this.faults.length >= MAX_FAULTS) return;
      // A schema never says that two fields exclude each other.
      if (fault.code === "conflict" || !hasOrAbove(own, fault.pointer)) this.faults.push(fault);
    }
  }

  #array(schema: Node, items: Node, value: unknown, at: string): void {
    if (!Array.isArray(value)) {
      this.#add(at, { code: "wrong_type", detail: "must be a list" });
      return;
    }
    const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
    if (value.length < minItems || value.length > maxItems) {
      this.#add(at, { code: "out_of_range", detail: `must be a list of ${range(minItems, maxItems)} items` });
      return;
    }
    for (const [index, item] of value.entries()) this.visit(items, item, `${at}/${index}`);
  }

  #union(schema: Node, options: readonly Node[], value: unknown, at: string): void {
    if (Check(schema, value)) return;
    const objects = options.filter(({ properties }) => properties !== undefined);
    if (isObject(value) && objects.length > 0) {
      const meant = objects.length === 1 ? objects[0] : objects.find((option) => sameType(option, value));
      if (meant !== undefined) this.visit(meant, value, at);
      else
        this.#add(`${at}/type`, faultOfChoice(objects.map((option) => option.properties?.["type"]?.const)));
      return;
    }
    const [meant, ...more] = options.filter(({ type }) => type !== "null");
    if (meant !== undefined && more.length === 0 && options.length > 1) this.#orNull(meant, value, at);
    else
      this.#add(
        at,
        objects.length === options.length ? WRONG_OBJECT : faultOfTexts(options.map(textOfChoice)),
      );
  }

  /** What may be left empty is told as what it is when it is not. */
  #orNull(schema: Node, value: unknown, at: string): void {
    const before = this.faults.length;
    this.visit(schema, value, at);
    const fault = this.faults[before];
    if (fault?.pointer === at) this.faults[before] = { ...fault, detail: `${fault.detail}, or null` };
  }

  #add(pointer: string, { code, detail }: TextRule): void {
    this.faults.push({ pointer, code, detail });
  }
}

const WRONG_OBJECT: TextRule = { code: "wrong_type", detail: "must be an object" };

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Objects of one union differ by the value of their field `type`. */
function sameType(option: Node, value: Record<string, unknown>): boolean {
  return Object.hasOwn(value, "type") && option.properties?.["type"]?.const === value["type"];
}

function unknownField(name: string, known: readonly string[]): TextRule {
  const nearest = nearestName(name, known);
  return {
    code: "unknown_field",
    detail: nearest === null ? "is not known here" : `is not known here; did you mean "${nearest}"?`,
  };
}

function textOfChoice({ const: value, properties }: Node): string {
  return properties === undefined
    ? JSON.stringify(value)
    : `an object with ${Object.keys(properties)
        .map((name) => JSON.stringify(name))
        .join(", ")}`;
}

function faultOfChoice(choices: readonly unknown[]): TextRule {
  return faultOfTexts(choices.map((choice) => JSON.stringify(choice)));
}

function faultOfTexts(texts: readonly string[]): TextRule {
  return {
    code: "unknown_value",
    detail: `must be ${texts.slice(0, -1).join(", ")} or ${texts.at(-1) ?? ""}`,
  };
}

function faultOfLeaf(schema: Node): TextRule {
  const rule = schema["x-fault"];
  if (rule !== undefined) return rule;
  if (schema.enum !== undefined) return faultOfChoice(schema.enum);
  switch (schema.type) {
    case "integer":
      return { code: "out_of_range", detail: `must be a whole number ${bounds(schema)}` };
    case "number":
      return { code: "out_of_range", detail: `must be a number ${bounds(schema)}` };
    case "boolean":
      return { code: "wrong_type", detail: "must be true or false" };
    default:
      return { code: "wrong_type", detail: "must be a text" };
  }
}

function bounds({ minimum, maximum }: Node): string {
  return `from ${minimum ?? 0} to ${maximum ?? Number.MAX_SAFE_INTEGER}`;
}

function range(min: number, max: number): string {
  return min === 0 ? `at most ${max}` : `${min} to ${max}`;
}

/** Whether the set has a pointer or one of those above it. */
function hasOrAbove(pointers: ReadonlySet<string>, pointer: string): boolean {
  for (let end = pointer.length; end > 0; end = pointer.lastIndexOf("/", end - 1)) {
    if (pointers.has(pointer.slice(0, end))) return true;
  }
  return pointers.has("");
}
