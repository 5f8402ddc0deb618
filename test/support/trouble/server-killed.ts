/** How the error begins of a connection whose server was killed, is frozen, is still starting, or is not the one before. */
const lostConnection = [
  '(?:connect|read|write) E(?:CONNREFUSED|CONNRESET|PIPE|NOENT)',
  'Connection terminated',
  'terminating connection due to',
  'the database system is (?:starting up|shutting down|in recovery mode|not yet accepting connections)',
  'Client has encountered a connection error',
  'the event store was closed',
  'The connections lead to another database',
  'UnavailableError \\(code 14\\)',
].join('|');

/**
 * An error as it is logged, after its name, what could not be done, and the class of a cause:
 * `err: 'AppendOutcomeUnknown: grant-1: the append may be written: Error connect ECONNREFUSED …'`.
 */
const lost = `err: ['"\`](?:[^:'"]+: )*(?:[A-Z]\\w+ )?(?:${lostConnection})`;

/**
 * A server was killed that the service uses, or a connection to it was cut: what is retried says why, and the probes
 * name the server. Nothing else is part of it: neither another alarm, nor a parked key, nor another stack trace.
 */
export const serverKilled: readonly RegExp[] = [
  new RegExp(`^warn: .*${lost}`),
  new RegExp(`^error: starts again after a failure .*${lost}`),
  /^error: the server cannot be used \{ server: 'event store', trouble: 'unreachable' \}/,
  /^error: the server does not accept writes \{ server: 'event store', trouble: 'an append was not confirmed' \}/,
  /^error: the server does not accept writes \{ server: 'database', trouble: '(?:a write failed \((?:E[A-Z]+|57P01|no answer|the connection was lost)\)|it is starting or stopping \(57P03\))' \}/,
  // of each kind of line, the first were written in full before
  /^error: more lines of the same kind, only counted here /,
];

/** PostgreSQL was started again: its last asynchronous commits may be lost, so the service catches up first. */
export const databaseRestarted =
  /^error: DATABASE_URL leads to another database, to one with less data, or to a restarted server: /;

/** A broker was killed, frozen, or cannot be reached. */
export const brokerAway: readonly RegExp[] = [
  /^warn: the relay cannot publish; retrying, nothing is lost /,
  /^warn: cannot read from Kafka /,
];
