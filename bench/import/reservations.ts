/** One line of an import: the same index and version always give the same bytes. */
export const reservationLine = (index: number, version = 1): string => {
  const starts = new Date(Date.UTC(2026, 0, 1) + (index % 35_040) * 900_000);
  return JSON.stringify({
    id: `res_${String(index).padStart(8, '0')}`,
    version,
    profile_id: `guest_${index % 5_000}`,
    resource: `Meeting room ${index % 400}`,
    starts_at: starts.toISOString(),
    ends_at: new Date(starts.getTime() + 5_400_000).toISOString(),
    status: statuses[(index + version) % statuses.length],
    title: `Booking ${index} of the quarterly plan, version ${version}`,
  });
};

const statuses = ['requested', 'confirmed', 'cancelled'];

/** NDJSON in chunks of about 64 KiB, for a file or for an import's standard input. */
export function* reservationFile(records: number, version = 1): Generator<string> {
  let piece = '';
  for (let index = 0; index < records; index += 1) {
    piece += `${reservationLine(index, version)}\n`;
    if (piece.length >= 65_536) {
      yield piece;
      piece = '';
    }
  }
  if (piece !== '') yield piece;
}
