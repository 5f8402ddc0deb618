import pg from 'pg';

/** One statement, or several without values, on a connection of its own. @returns the rows */
export const query = async (
  connectionString: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text, [...values])).rows;
  } finally {
    await client.end();
  }
};

/** The same. @returns the values of all rows, one after the other */
export const valuesOf = async (connectionString: string, text: string): Promise<readonly unknown[]> =>
  (await query(connectionString, text)).flatMap((row) => Object.values(row));
