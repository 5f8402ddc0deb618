import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import pg from 'pg';

/** What a process of whatever user tries with what it is given, and one JSON line of the outcome. */
export type Attempts = {
  readonly connections: readonly string[];
  readonly databases: readonly string[];
  readonly paths: readonly string[];
  readonly controlSocket: string;
};
export type Outcomes = {
  readonly log: readonly string[];
  readonly databases: readonly string[];
  /** Those of the paths that could be read or listed. */
  readonly readable: readonly string[];
  readonly facts: string;
};

const ended = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: Error & { code?: string | number }) =>
      `${error.constructor.name} ${String(error.code ?? '')}`.trim(),
  );

const passwordSet = () =>
  jsonEvent({
    type: 'PasswordSet',
    data: { passwordHash: 'of the intruder', at: 0 },
    metadata: { version: 1 },
  });

const withLog = async (connection: string): Promise<readonly string[]> => {
  const client = EventStoreDBClient.connectionString(connection);
  const readAll = async () => {
    const events = [];
    for await (const event of client.readAll({ maxCount: 1 })) events.push(event); // to its end: nothing cancels a call that is left
    if (events.length !== 1) throw new Error('the log is empty');
  };
  const outcomes = [await ended(readAll()), await ended(client.appendToStream('intruder-1', passwordSet()))];
  await client.dispose();
  return outcomes;
};

const withDatabase = async (connectionString: string): Promise<void> => {
  const client = new pg.Client({ connectionString });
  try {
    await client.connect();
    await client.query('select 1');
  } finally {
    await client.end().catch(() => undefined);
  }
};

const isReadable = (path: string): boolean => {
  try {
    readFileSync(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EISDIR' && isListed(path);
  }
};

const isListed = (path: string): boolean => {
  try {
    return readdirSync(path).length >= 0;
  } catch {
    return false;
  }
};

const ask = async (path: string): Promise<string> => {
  const socket = connect(path);
  await once(socket, 'connect');
  return await text(socket);
};

/** One after another: the client keeps the appends of a process in one table. */
const logs = async (connections: readonly string[]): Promise<readonly string[]> => {
  const outcomes: string[] = [];
  for (const connection of connections) outcomes.push(...(await withLog(connection)));
  return outcomes;
};

const attempts = JSON.parse(readFileSync(0, 'utf8')) as Attempts;
const outcomes: Outcomes = {
  log: await logs(attempts.connections),
  databases: await Promise.all(attempts.databases.map((url) => ended(withDatabase(url)))),
  readable: attempts.paths.filter(isReadable),
  facts: await ask(attempts.controlSocket).catch((error: NodeJS.ErrnoException) => String(error.code)),
};
process.stdout.write(`${JSON.stringify(outcomes)}\n`);
