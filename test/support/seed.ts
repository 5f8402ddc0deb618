/**
 * What a run draws with. Always the same, so that a run that is green today is green tomorrow: `GRANTBOOK_SEED=N` plays another
 * one, `GRANTBOOK_SEED=random` draws it. The whole run has one, and says it at its start.
 */
export const seedOf = (wanted: string | undefined): number => {
  if (wanted === 'random') return Math.floor(Math.random() * 2 ** 31);
  if (wanted === undefined) return 20_261_123;
  if (/^\d{1,10}$/.test(wanted) && Number(wanted) < 2 ** 31) return Number(wanted);
  throw new Error(`GRANTBOOK_SEED: got "${wanted}"; allowed: random, or a whole number below ${2 ** 31}`);
};

export const seed = seedOf(process.env['GRANTBOOK_SEED']);
