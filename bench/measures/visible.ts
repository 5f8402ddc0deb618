import { percentile } from '../percentile.ts';
import { result, type Result } from '../results.ts';
import { accessRight, done, type World } from '../world.ts';

/** From the acknowledged append until the read models of the running service contain the event, one at a time. */
export const measureVisible = async (
  { core, organizationId }: World,
  { samples }: { readonly samples: number },
): Promise<readonly Result[]> => {
  const lags: number[] = [];
  for (let index = 0; index < samples; index += 1) {
    const { position } = done(
      await core.commands.recordAccessRight({
        organizationId,
        id: `visible_${index}`,
        version: 1,
        record: accessRight,
      }),
    );
    const acknowledged = performance.now();
    if (position && !(await core.readModels.waitFor(position, 10_000)))
      throw new Error('an event never became visible');
    lags.push(performance.now() - acknowledged);
  }
  return [
    result('append-to-visible-p50', percentile(lags, 0.5), 'ms', samples),
    result('append-to-visible-p99', percentile(lags, 0.99), 'ms', samples),
  ];
};
