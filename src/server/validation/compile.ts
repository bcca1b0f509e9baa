import type { FastifySchemaCompiler } from "fastify";
import type { TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import type { Fault } from "../../core/errors.js";
import { validationError } from "../../core/job-request.js";
import { explain } from "./explain.js";
import { JOB_RULES } from "./job-rules.js";
import { decodeQuery } from "./query.js";

/**
 * Makes the check of a route's schema. It takes the place of Fastify's own (Ajv), which would turn
 * `"5"` and `null` into numbers, drop unknown fields and fill in defaults, all in silence. Nothing is
 * changed here; only query parameters, which have no types, are read by the types of their schema.
 */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const validator = validatorOf(schema);
  return (input: unknown) => {
    const value =
      httpPart === "querystring" && typeof input === "object" && input !== null
        ? decodeQuery(schema, input)
        : input;
    if (validator.Check(value)) return { value };
    const faults = explain(schema, value, JOB_RULES);
    if (faults.length === 0) throw new Error(`A schema refuses a value, and it cannot be said why`);
    return { error: validationError(httpPart === "querystring" ? namingRepeated(faults, value) : faults) };
  };
};

/** A parameter that is given twice is a list, whatever its text would be. */
function namingRepeated(faults: readonly Fault[], query: unknown): readonly Fault[] {
  const values = new Map(Object.entries(Object(query) as object));
  return faults.map((fault) =>
    fault.code !== "unknown_field" && Array.isArray(values.get(fault.pointer.slice(1)))
      ? { ...fault, code: "duplicate", detail: "is given twice" }
      : fault,
  );
}

/** Compiling takes a millisecond, and most routes share a schema with others. */
const compiled = new WeakMap<TSchema, Validator>();

function validatorOf(schema: TSchema): Validator {
  let validator = compiled.get(schema);
  if (validator === undefined) {
    validator = Compile(schema);
    compiled.set(schema, validator);
  }
  return validator;
}
