import { parseArgs } from 'node:util';

/**
 * The ways to attack, in the order in which they are played, with the share of the rounds that each gets: of a thousand,
 * three times all pairs side by side for each fault, which takes seconds a time.
 */
const shares = {
  plain: 0.88,
  'projector-stopped': 0.024,
  'stopped-instance': 0.024,
  'dropped-replies': 0.024,
  'killed-after-append': 0.024,
  'killed-after-fence': 0.024,
} as const;

export type VariantName = keyof typeof shares;
export const variantNames = Object.keys(shares) as readonly VariantName[];

export type AttackOptions = {
  readonly rounds: number;
  readonly seed: number;
  readonly only: VariantName | null;
};

const mostRounds = 1_000_000;

/** The command line, or what is wrong with it and what is allowed. */
export const readOptions = (
  args: readonly string[],
  anySeed: number,
): AttackOptions | { problem: string } => {
  const parsed = parse(args);
  if (typeof parsed === 'string') return { problem: parsed };
  const { rounds = '1000', seed = String(anySeed), only } = parsed;
  if (!isWhole(rounds, 1, mostRounds))
    return { problem: `--rounds: got "${rounds}"; allowed: a whole number from 1 to ${mostRounds}` };
  if (!isWhole(seed, 0, 2 ** 32 - 1))
    return { problem: `--seed: got "${seed}"; allowed: a whole number from 0 to ${2 ** 32 - 1}` };
  if (only !== undefined && !isVariant(only))
    return { problem: `--only: got "${only}"; allowed: ${variantNames.join(', ')}` };
  return { rounds: Number(rounds), seed: Number(seed), only: only ?? null };
};

const parse = (args: readonly string[]) => {
  const options = { rounds: { type: 'string' }, seed: { type: 'string' }, only: { type: 'string' } } as const;
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    return `${(error as Error).message.split('. ')[0]}; allowed: --rounds N, --seed S, --only NAME`;
  }
};

const isWhole = (text: string, least: number, most: number): boolean =>
  /^\d{1,10}$/.test(text) && Number(text) >= least && Number(text) <= most;

const isVariant = (name: string): name is VariantName => Object.hasOwn(shares, name);

/** Of a short run every fault gets so many rounds, if there are enough: it costs its time whether it hits one or four. */
const handful = 4;

/** How many rounds each variant gets: its share, at least one while there are enough, and together exactly `rounds`. */
export const divide = ({
  rounds,
  only,
}: Pick<AttackOptions, 'rounds' | 'only'>): ReadonlyMap<VariantName, number> => {
  if (only) return new Map([[only, rounds]]);
  const parts = new Map<VariantName, number>();
  let left = rounds;
  for (const name of variantNames.toReversed()) {
    const few = Math.min(handful, Math.floor(rounds / (variantNames.length + 1)));
    const fair = Math.max(1, few, Math.floor(rounds * shares[name]));
    const part = name === 'plain' ? left : Math.min(left, fair);
    parts.set(name, part);
    left -= part;
  }
  return new Map(variantNames.map((name) => [name, parts.get(name) ?? 0]));
};
