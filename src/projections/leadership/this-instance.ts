import { hostname } from 'node:os';

/** Only the end of the host's name, where names of pods differ: the database cuts the name of a session at 63 bytes. */
const hostLength = 14;

/** Names this process for operators: in the database's list of sessions, and on the page `/operator`. */
export const thisInstance = `${hostname()
  .replaceAll(/[^\w.-]/g, '')
  .slice(-hostLength)}:${process.pid}`;

/**
 * When this process started, in whole seconds: the names of its sessions in the database stay the same when they are
 * reopened.
 */
const startedAt = Math.floor(performance.timeOrigin / 1000);

/** The name with the time of start, as used in the names of sessions. */
export const thisInstanceSince = `${thisInstance} ${startedAt.toString(36)}`;

/** The reverse: milliseconds since the Unix epoch. */
export const instantIn = (tag: string): number => Number.parseInt(tag, 36) * 1000;
