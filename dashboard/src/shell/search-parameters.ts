import { useLocation, useSearchParams } from "wouter";

/** Makes links to the same page with one parameter changed; `null` takes it away. */
export function useParameterLinks(): (name: string, value: string | null) => string {
  const [location] = useLocation();
  const [parameters] = useSearchParams();
  return (name, value) => {
    const changed = new URLSearchParams(parameters);
    if (value === null) changed.delete(name);
    else changed.set(name, value);
    return changed.size === 0 ? location : `${location}?${changed.toString()}`;
  };
}
