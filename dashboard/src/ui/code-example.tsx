import type { ReactNode } from "react";
import { CopyButton } from "./copy.js";

/** Code to be copied. */
export function CodeExample({ text }: { readonly text: string }): ReactNode {
  return (
    <div className="code-example">
      <pre className="code-block" tabIndex={0} translate="no">
        {text}
      </pre>
      <CopyButton text={text} />
    </div>
  );
}
