// A path → a view of the web page. The server serves the page for these paths, and the page shows the view.

/** The views of the page. The first one is at / as well. */
const VIEWS = ["search", "playground", "indexes", "reports", "docs"] as const;
export type View = (typeof VIEWS)[number];

/** The view of a path, and the report it names; undefined when the path has no view. */
export function viewOf(path: string): { readonly view: View; readonly report?: string } | undefined {
  const [first, second, ...others] = path.split("/").filter((part) => part !== "");
  const view = first === undefined ? "search" : VIEWS.find((one) => one === first);
  if (view === undefined || others.length > 0) return undefined;
  if (second === undefined) return { view };
  return view === "reports" ? { view, report: second } : undefined;
}
