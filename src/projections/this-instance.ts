import { hostname } from 'node:os';

/** The end of a host's name, where those of pods differ; the database cuts the name of a session at 63 bytes. */
const hostLength = 14;

/** Names this process to operators: in the database's list of sessions, and on the page `/operator`. */
export const thisInstance = `${hostname()
  .replaceAll(/[^\w.-]/g, '')
  .slice(-hostLength)}:${process.pid}`;

/** When this process began, to the second: what its sessions in the database say does not change when they are opened anew. */
const startedAt = Math.floor(performance.timeOrigin / 1000);

/** With it, as the name of a session carries it. */
export const thisInstanceSince = `${thisInstance} ${startedAt.toString(36)}`;

/** The opposite: milliseconds since the Unix epoch. */
export const instantIn = (tag: string): number => Number.parseInt(tag, 36) * 1000;
