import { Type, type Static } from "typebox";

/** Every error that the API answers: a problem document, RFC 9457. `code` is the contract, texts may change. */
export const Problem = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    /** Path of the request. */
    instance: Type.String(),
    code: Type.String(),
    /** Whether the same request can succeed later. */
    retryable: Type.Boolean(),
    /** Every fault of the request, each with a JSON pointer (RFC 6901) or the name of a parameter behind a slash. */
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          pointer: Type.String(),
          code: Type.String(),
          detail: Type.String(),
          /** In the text of a filter: the offset of a character, from 0. */
          position: Type.Optional(Type.Integer({ minimum: 0 })),
        }),
      ),
    ),
    requestId: Type.String(),
  },
  { title: "Problem" },
);
export type Problem = Static<typeof Problem>;
