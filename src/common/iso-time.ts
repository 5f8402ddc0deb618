/** As in JSON: `2026-05-01T08:00:00.000Z`. */
export const timeOf = (instant: number): string => new Date(instant).toISOString();

export const timeOrNull = (instant: number | null | undefined): string | null =>
  instant === null || instant === undefined ? null : timeOf(instant);
