import type { VariantResult } from './run-attack.ts';

/** One line for a variant that is through. */
export const variantLine = ({
  name,
  rounds,
  requests,
  accepted,
  violations,
  milliseconds,
}: VariantResult): string =>
  [
    name.padEnd(20),
    `${rounds}`.padStart(6),
    `${requests}`.padStart(9),
    `${accepted}`.padStart(9),
    `${violations.length}`.padStart(11),
    `${(milliseconds / 1000).toFixed(1)} s`.padStart(9),
  ].join('');

export const headLine = 'variant             rounds requests accepted violations     time';

const shownAtMost = 20;

/** The four numbers, and what was violated in words. */
export const summary = (results: readonly VariantResult[], seed: number): string => {
  const sum = (of: (result: VariantResult) => number) => results.reduce((total, each) => total + of(each), 0);
  const found = results.flatMap(({ name, violations }) =>
    violations.map(({ rule, what }) => `  ${name}: ${rule}: ${what}`),
  );
  const more = found.length > shownAtMost ? [`  and ${found.length - shownAtMost} more`] : [];
  return [
    `rounds ${sum((each) => each.rounds)}`,
    `requests ${sum((each) => each.requests)}`,
    `violations ${found.length}`,
    ...found.slice(0, shownAtMost),
    ...more,
    `seed ${seed}`,
  ].join('\n');
};
