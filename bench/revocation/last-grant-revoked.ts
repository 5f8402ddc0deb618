import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { deactivate } from './deactivation.ts';
import { revive } from './revive.ts';
import { epoch, type SeededActivation, type Stage } from './stage.ts';

const patience = 1_200_000;

/**
 * Seconds from the answer of a deactivation until its last GrantRevoked is visible in the read models. The reaction
 * must be running, and otherwise idle.
 * @throws if it does not end as RevocationCompleted says, or not at all
 */
export const timeRevocation = async (
  stage: Stage,
  pool: Pool,
  baseUrl: string,
  { organizationId, grantIds }: SeededActivation,
): Promise<number> => {
  const position = await revive(stage, pool, organizationId);
  if (!(await stage.core.readModels.waitFor(position, 30_000)))
    throw new Error('the read models do not follow: no revocation can be measured');
  await deactivate(stage, baseUrl, organizationId);
  const answered = performance.now();
  const key = [organizationId, stage.clientId, epoch];
  const pauseMs = grantIds.length > 10_000 ? 50 : 5;
  await until(() => isTrue(pool, noneLive, key), pauseMs, 'the last GrantRevoked never became visible');
  const seconds = (performance.now() - answered) / 1000;
  await until(() => isTrue(pool, completed, key), 50, 'RevocationCompleted never became visible');
  const [row] = (await pool.query<{ ended: number; told: number }>(sums, key)).rows;
  if (row?.ended !== grantIds.length || row.told !== grantIds.length)
    throw new Error(
      `${row?.ended} grants were revoked and ${row?.told} told, where ${grantIds.length} were seeded`,
    );
  return seconds;
};

const until = async (holds: () => Promise<boolean>, pauseMs: number, why: string): Promise<void> => {
  const deadline = performance.now() + patience;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(why);
    await delay(pauseMs);
  }
};

const isTrue = async (pool: Pool, text: string, values: readonly unknown[]): Promise<boolean> =>
  (await pool.query<{ holds: boolean }>(text, [...values])).rows[0]?.holds === true;

const noneLive = `
  select coalesce(sum(live + unredeemed), 0) = 0 as holds from connections
  where organization_id = $1 and addon_id = $2 and epoch = $3`;

const completed = `
  select revoked_grants is not null as holds from activations
  where organization_id = $1 and addon_id = $2 and epoch = $3`;

const sums = `
  select revoked_grants as told,
         (select count(*)::int from grants where grants.organization_id = $1 and grants.addon_id = $2
            and grants.epoch = $3 and ended_reason = 'addon-deactivated') as ended
  from activations where organization_id = $1 and addon_id = $2`;
