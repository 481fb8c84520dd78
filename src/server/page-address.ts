// The addresses that the page makes sense of: the server answers these with the page, and the page reads them.

/** The views of the page. The first is at / too. */
export const VIEWS = ["search", "playground", "indexes", "reports"] as const;
export type View = (typeof VIEWS)[number];

/** The view of a path, and the report it names; undefined where there is no page. */
export function viewOf(path: string): { readonly view: View; readonly report?: string } | undefined {
  const [first, second, ...others] = path.split("/").filter((part) => part !== "");
  const view = first === undefined ? "search" : VIEWS.find((one) => one === first);
  if (view === undefined || others.length > 0) return undefined;
  if (second === undefined) return { view };
  return view === "reports" ? { view, report: second } : undefined;
}
