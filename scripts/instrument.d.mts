export const MOST_COUNTERS: number;
export function instrument(code: string, name: string, first: number): { code: string; counters: number };
