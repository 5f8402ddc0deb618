/**
 * How long a test waits for what has to happen, in milliseconds: a hundred times what it takes on a quiet machine, because
 * others may use this one, too. In a mutation round, which has three minutes for each fault, less. Independent of the test
 * runner, because its configuration uses it as well.
 */
export const patience = process.env['GRANTBOOK_NEAREST_TO'] === undefined ? 60_000 : 15_000;
