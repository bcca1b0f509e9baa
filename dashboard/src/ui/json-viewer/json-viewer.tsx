import { useState, type ReactNode } from "react";
import { addressOf, readText } from "../../api/request.js";
import { useTexts } from "../../i18n/text.js";
import { CopyButton } from "../copy.js";
import { Icon } from "../icon.js";
import { ProblemNote } from "../problem-note.js";
import { visible } from "../visible.js";
import { JsonText } from "./json-text.js";
import { SIZES, useStoredText } from "./stored-text.js";

interface Stored {
  /** Address of the JSON text in the API. */
  readonly path: string;
  readonly bytes: number;
  /** Differs where the text at the same address may be another one. */
  readonly version: string;
}

/** A card with a JSON text as it is stored: to read, to copy and to save. */
export function JsonCard({
  title,
  fileName,
  ...stored
}: Stored & { readonly title: string; readonly fileName: string }): ReactNode {
  const { t, size } = useTexts();
  const [raw, setRaw] = useState(false);
  const { data, error, refetch } = useStoredText(stored.path, stored.bytes, stored.version);
  const whole = stored.bytes <= SIZES.whole;
  return (
    <section className="card">
      <div className="card-header">
        <h2>
          {title} <span className="json-size">{size(stored.bytes)}</span>
        </h2>
        <div className="toolbar">
          {stored.bytes <= SIZES.pretty && (
            <button
              type="button"
              className="button quiet small"
              aria-pressed={raw}
              onClick={() => {
                setRaw(!raw);
              }}
            >
              {t("json.raw")}
            </button>
          )}
          <CopyButton
            text={whole && data !== undefined ? data : () => readText(stored.path)}
            label={t("json.copy")}
          />
          <a
            className="button quiet icon"
            href={addressOf(stored.path).href}
            download={fileName}
            title={t("json.download")}
            aria-label={t("json.download")}
          >
            <Icon name="download" />
          </a>
        </div>
      </div>
      <div className="card-body">
        {error !== null && <ProblemNote error={error} retry={() => void refetch()} />}
        {data === undefined && error === null && <div className="skeleton json-loading" />}
        {data !== undefined && <StoredText text={data} bytes={stored.bytes} raw={raw} title={title} />}
        {data !== undefined && !whole && (
          <p className="json-cut">{t("json.cut", { shown: size(SIZES.start), all: size(stored.bytes) })}</p>
        )}
      </div>
    </section>
  );
}

function StoredText({
  text,
  bytes,
  raw,
  title,
}: {
  readonly text: string;
  readonly bytes: number;
  readonly raw: boolean;
  readonly title: string;
}): ReactNode {
  return (
    <pre className="json job-text" translate="no" dir="ltr" role="group" aria-label={title} tabIndex={0}>
      {raw || bytes > SIZES.pretty ? visible(text) : <JsonText text={text} />}
    </pre>
  );
}
