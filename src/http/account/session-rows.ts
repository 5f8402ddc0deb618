import type { SessionItem, SessionsOfUser } from '../../commands/sign-in/list-sessions.ts';
import type { SessionRow } from './views/sessions-section.ts';

/** The rows of the account page. @param current the session of this browser */
export const sessionRows = (
  { live, latest }: SessionsOfUser,
  current: string,
): { readonly live: readonly SessionRow[]; readonly latest: readonly SessionRow[] } => {
  const row = (item: SessionItem): SessionRow => ({
    sessionId: item.sessionId,
    device: item.device,
    network: item.network,
    startedAt: new Date(item.startedAt).toISOString(),
    lastSeenAt: new Date(item.lastSeenAt).toISOString(),
    isThis: item.sessionId === current,
    live: item.live,
  });
  const rows = live.map(row);
  return {
    live: [...rows.filter(({ isThis }) => isThis), ...rows.filter(({ isThis }) => !isThis)],
    latest: latest.map(row),
  };
};
