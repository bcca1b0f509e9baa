import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A span as OTLP/JSON writes it, as far as the tests look. */
export interface OtlpSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
}

interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly { key: string; value: { stringValue?: string } }[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** A real receiver of OTLP over HTTP, which keeps the spans that it gets, whatever it answers. */
export class OtlpReceiver {
  readonly spans: OtlpSpan[] = [];
  readonly services = new Set<string | undefined>();
  readonly paths = new Set<string | undefined>();

  private constructor(readonly url: string) {}

  static async start(status = 200): Promise<OtlpReceiver> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        receiver.paths.add(request.url);
        receiver.#take(JSON.parse(Buffer.concat(chunks).toString()) as OtlpBody);
        response.writeHead(status, { "content-type": "application/json" }).end("{}");
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    const receiver = new OtlpReceiver(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return receiver;
  }

  #take({ resourceSpans }: OtlpBody): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      const name = resource.attributes.find(({ key }) => key === "service.name");
      this.services.add(name?.value.stringValue);
      for (const { spans } of scopeSpans) this.spans.push(...spans);
    }
  }
}
