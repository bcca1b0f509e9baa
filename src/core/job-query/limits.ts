/** Characters of a filter: more than anybody types, and still part of an address. */
export const MAX_FILTER_LENGTH = 1_000;
export const MAX_FILTER_TERMS = 50;
/** Values of one term, also when it is repeated. */
export const MAX_FILTER_VALUES = 100;
/** Steps of a path into a payload: deeper ones are no longer read by people. */
export const MAX_FILTER_PATH = 32;
/** Of a list in a payload. */
export const MAX_FILTER_INDEX = 999_999;
