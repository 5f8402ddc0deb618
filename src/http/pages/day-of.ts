const format = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});

/** The day of an RFC 3339 time, e.g. "3 May 2026". */
export const dayOf = (time: string): string => format.format(new Date(time));
