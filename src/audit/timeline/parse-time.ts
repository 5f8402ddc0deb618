const rfc3339 =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/;

/** Milliseconds since the Unix epoch of an RFC 3339 time, or of the first or last of a date in UTC; null for anything else. */
export const parseTime = (text: string, edge: 'start' | 'end' = 'start'): number | null => {
  if (!rfc3339.test(text)) return null;
  const day = text.slice(0, 10);
  const midnight = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return null;
  if (text.length === 10) return edge === 'start' ? midnight : midnight + 86_399_999;
  return Math.floor(Date.parse(text.toUpperCase()));
};

/** The end of a date; for today, the current time. */
export const parseTimeUntil = (text: string, now: number): number | null => {
  const [begins, ends] = [parseTime(text, 'start'), parseTime(text, 'end')];
  return begins !== null && ends !== null && begins <= now && now < ends ? now : ends;
};
