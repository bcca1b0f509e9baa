import { describe, expect, it } from "vitest";
import { readTraceContext } from "./trace-context.js";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";
const GOOD = `00-${TRACE}-${SPAN}-01`;

describe("readTraceContext", () => {
  it("takes what W3C Trace Context allows", () => {
    expect(readTraceContext(GOOD, undefined)).toEqual({ traceparent: GOOD, tracestate: null });
    expect(readTraceContext(GOOD, "a=1, b@c=x y")).toEqual({ traceparent: GOOD, tracestate: "a=1,b@c=x y" });
  });

  it("passes on later versions as the one that it knows", () => {
    const later = { traceparent: GOOD, tracestate: null };
    expect(readTraceContext(`01-${TRACE}-${SPAN}-01`, undefined)).toEqual(later);
    expect(readTraceContext(`cc-${TRACE}-${SPAN}-01-what-ever`, undefined)).toEqual(later);
  });

  it.each([
    ["nothing", undefined],
    ["no text", 7],
    ["an empty text", ""],
    ["capital letters", GOOD.toUpperCase()],
    ["a trace id of zeros", `00-${"0".repeat(32)}-${SPAN}-01`],
    ["a span id of zeros", `00-${TRACE}-${"0".repeat(16)}-01`],
    ["the version that is none", `ff-${TRACE}-${SPAN}-01`],
    ["more than version 00 has", `${GOOD}-more`],
    ["a part too few", `00-${TRACE}-${SPAN}`],
    ["two headers in one", `${GOOD}, ${GOOD}`],
    ["a line break at the end", `${GOOD}\n`],
    ["far too much", `01-${TRACE}-${SPAN}-01-${"x".repeat(300)}`],
  ])("takes %s for no context", (_what, traceparent) => {
    expect(readTraceContext(traceparent, "a=1")).toBeNull();
  });

  it.each([
    ["longer than 512 characters", `a=${"x".repeat(250)},b=${"x".repeat(250)},c=1234567`],
    ["without values", "a"],
    ["with control characters", "a=\u0001"],
    ["with letters that no header has", "a=ы"],
    ["with more than 32 members", new Array(33).fill("a=1").join(",")],
    ["empty", " , "],
  ])("leaves out a tracestate %s, and keeps the context", (_what, tracestate) => {
    expect(readTraceContext(GOOD, tracestate)).toEqual({ traceparent: GOOD, tracestate: null });
  });

  it("keeps a tracestate of 512 characters", () => {
    const tracestate = `a=${"x".repeat(253)},b=${"x".repeat(254)}`;
    expect(tracestate).toHaveLength(512);
    expect(readTraceContext(GOOD, tracestate)).toEqual({ traceparent: GOOD, tracestate });
  });
});
