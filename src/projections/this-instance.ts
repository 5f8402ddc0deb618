import { hostname } from 'node:os';

/** Names this process to operators: in the database's list of sessions, and on the page `/operator`. */
export const thisInstance = `${hostname()
  .replaceAll(/[^\w.-]/g, '')
  .slice(0, 20)}:${process.pid}`;
