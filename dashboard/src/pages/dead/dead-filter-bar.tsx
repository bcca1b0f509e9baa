import type { ReactNode } from "react";
import { Link, useSearchParams } from "wouter";
import { useQueuesQuery } from "../../api/queries.js";
import { useTexts } from "../../i18n/text.js";
import { NameField } from "../../ui/name-field.js";
import { visible } from "../../ui/visible.js";
import type { DeadFilter, DeadSort } from "./dead-queries.js";

const SORTS = ["count", "latest"] as const satisfies DeadSort[];

/** Which groups, in which order. It all stands in the address. */
export function DeadFilterBar({ filter }: { readonly filter: DeadFilter }): ReactNode {
  const { t } = useTexts();
  const { data } = useQueuesQuery();
  const [parameters, setParameters] = useSearchParams();
  const queues = new Set(data?.items.map(({ name }) => name));
  if (filter.queue !== "") queues.add(filter.queue);
  const choose = (name: string, value: string, replace: boolean): void => {
    setParameters((now) => withParameter(now, name, value), { replace });
  };
  return (
    <div className="toolbar dead-filter">
      <select
        className="input"
        aria-label={t("dead.queue")}
        value={filter.queue}
        onChange={({ target }) => {
          choose("queue", target.value, false);
        }}
      >
        <option value="">{t("dead.queue.all")}</option>
        {[...queues].toSorted().map((name) => (
          <option key={name} value={name}>
            {visible(name)}
          </option>
        ))}
      </select>
      <NameField
        label={t("dead.name")}
        hint={t("dead.name.any")}
        name={filter.name}
        onChange={(name) => {
          choose("name", name, true);
        }}
      />
      <nav className="switch" aria-label={t("dead.sort")}>
        {SORTS.map((sort) => (
          <Link
            key={sort}
            href={`/dead?${withParameter(parameters, "sort", sort === "count" ? "" : sort).toString()}`}
            aria-current={filter.sort === sort ? "true" : undefined}
          >
            {t(`dead.sort.${sort}`)}
          </Link>
        ))}
      </nav>
    </div>
  );
}

function withParameter(parameters: URLSearchParams, name: string, value: string): URLSearchParams {
  const next = new URLSearchParams(parameters);
  if (value === "") next.delete(name);
  else next.set(name, value);
  return next;
}
