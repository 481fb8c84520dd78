// The size of a window, which segments and columns share: a scan knows the range of a column in each window.

/**
 * Documents per window. Few enough that 16 bits number them and that their sums stay in a processor's L2 cache; many enough
 * that what a query does once a window does not count.
 */
export const WINDOW_DOCS = 65_536;
