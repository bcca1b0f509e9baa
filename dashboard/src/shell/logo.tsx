import type { ReactNode } from "react";

/** A conveyor with two parcels. */
export function Logo(): ReactNode {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="var(--accent-fill)" />
      <g fill="none" stroke="#fff" strokeWidth="2.4" strokeLinecap="round" strokeLinejoin="round">
        <rect x="6" y="17" width="20" height="7" rx="3.5" />
        <path d="M10 13V9h4v4M18 13V9h4v4" />
      </g>
      <g fill="#fff">
        <circle cx="10" cy="20.5" r="1.3" />
        <circle cx="16" cy="20.5" r="1.3" />
        <circle cx="22" cy="20.5" r="1.3" />
      </g>
    </svg>
  );
}
