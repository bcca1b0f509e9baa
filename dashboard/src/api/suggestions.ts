import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { read } from "./request.js";

const PAUSE_MS = 120;
const KEPT_MS = 30_000;
const NONE: readonly string[] = [];

/** Values of a field that begin so, as the server knows them. None while they are not known. */
export function useSuggestions(
  field: "queue" | "name" | "tag" | "schedule" | "worker" | null,
  prefix: string,
): readonly string[] {
  const settled = useSettled(prefix);
  const { data } = useQuery({
    queryKey: ["suggest", field, settled],
    queryFn: ({ signal }) =>
      read<{ items: string[] }>("/v1/suggest", { field, prefix: settled, limit: 10 }, signal),
    enabled: field !== null,
    staleTime: Infinity,
    gcTime: KEPT_MS,
    retry: false,
    placeholderData: keepPreviousData,
  });
  return field === null ? NONE : (data?.items ?? NONE);
}

/** The text as it was when nobody had typed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => {
      setSettled(text);
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [text]);
  return settled;
}
