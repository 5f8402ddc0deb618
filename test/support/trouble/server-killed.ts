/** How the error begins of a connection whose server was killed, is frozen, is still starting, or is not the one before. */
const lostConnection = [
  '(?:connect|read|write) E(?:CONNREFUSED|CONNRESET|PIPE|NOENT)',
  'Connection terminated',
  'ConnectionLost',
  'terminating connection due to',
  'the database system is (?:starting up|shutting down|in recovery mode|not yet accepting connections)',
  'Client has encountered a connection error',
  'the event store was closed',
  'The connections lead to another database',
  'UnavailableError \\(code 14\\)',
].join('|');

/**
 * What is retried for a reason, and how often in a row: after some failures each retry is an alarm. When which of them
 * fails, and how often, depends on the moment. An error is logged after its name, what could not be done, and the class
 * of a cause: `err: 'AppendOutcomeUnknown: grant-1: the append may be written: Error connect ECONNREFUSED …'`.
 */
const retriedBecause = (reason: string): readonly RegExp[] => {
  const because = `err: ['"\`](?:[^:'"]+: )*(?:[A-Z]\\w+ )?(?:${reason})`;
  const retries = 'starts again after a failure|lost leadership, on standby|on standby again';
  return [new RegExp(`^warn: .*${because}`), new RegExp(`^error: (?:${retries}) .*${because}`)];
};

/**
 * A server was killed that the service uses, or a connection to it was cut: what is retried says why, and the probes
 * name the server. Nothing else is part of it: neither another alarm, nor a parked key, nor another stack trace.
 */
export const serverKilled: readonly RegExp[] = [
  ...retriedBecause(lostConnection),
  /^error: the server cannot be used \{ server: 'event store', trouble: 'unreachable' \}/,
  /^error: the server does not accept writes \{ server: 'event store', trouble: 'an append was not confirmed' \}/,
  /^error: the server does not accept writes \{ server: 'database', trouble: '(?:a write failed \((?:E[A-Z]+|57P01|no answer|the connection was lost)\)|it is starting or stopping \(57P03\))' \}/,
  // of each kind of line, the first were written in full before
  /^error: more lines of the same kind, only counted here /,
];

/** The database is away while another one gets its name. */
export const databaseRenamed = retriedBecause('database "test_\\w+" does not exist');

/** The server of the database was made read-only, or is a standby. */
export const databaseReadOnly: readonly RegExp[] = [
  ...retriedBecause('DatabaseReadOnly'),
  /^error: the server does not accept writes \{ server: 'database', trouble: 'it is read-only/,
];

/** PostgreSQL was started again: its last asynchronous commits may be lost, so the service catches up first. */
export const databaseRestarted =
  /^error: DATABASE_URL leads to another database, to one with less data, or to a restarted server: /;

/** A broker was killed, frozen, or cannot be reached. */
export const brokerAway: readonly RegExp[] = [
  /^warn: the relay cannot publish; retrying, nothing is lost /,
  /^warn: cannot read from Kafka /,
];
