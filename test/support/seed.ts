/**
 * The random seed of a run. Constant by default, so that a run that passes today passes tomorrow: `GRANTBOOK_SEED=N`
 * uses another one, `GRANTBOOK_SEED=random` draws one. The whole run uses one seed and prints it at its start.
 */
export const seedOf = (wanted: string | undefined): number => {
  if (wanted === 'random') return Math.floor(Math.random() * 2 ** 31);
  if (wanted === undefined) return 20_261_123;
  if (/^\d{1,10}$/.test(wanted) && Number(wanted) < 2 ** 31) return Number(wanted);
  throw new Error(`GRANTBOOK_SEED: got "${wanted}"; allowed: random, or a whole number below ${2 ** 31}`);
};

export const seed = seedOf(process.env['GRANTBOOK_SEED']);
