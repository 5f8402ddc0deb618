import fc from 'fast-check';
import type { RecordedEvent } from '../../../src/eventstore/event-store.ts';
import { scriptedLog, type ScriptedLog } from '../../support/log/test-projector.ts';
import {
  activated,
  addon,
  approved,
  deactivated,
  issued,
  ofOrganization,
  plain,
  profile,
  redeemed,
  refreshed,
  revocationCompleted,
  revoked,
  type Told,
  withdrawn,
} from '../../projections/follow/a-story.ts';

/** What happens next: which kind of thing, to which of those that there are. */
export type Step = { readonly what: number; readonly who: number };

export const anyHistory: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({ what: fc.nat({ max: 99 }), who: fc.nat({ max: 999 }) }),
  { minLength: 5, maxLength: 60, size: 'max' },
);

type Grant = { readonly id: string; readonly key: string; rotation: number };

/** Two organizations, two add-ons, two users: few, so that much happens to each. Only what can happen, happens. */
export const play = (
  steps: readonly Step[],
): { readonly log: ScriptedLog; readonly keys: ReadonlyMap<string, string> } => {
  const log = scriptedLog();
  /** The key that each event's message must have, by the event's id. */
  const keys = new Map<string, string>();
  const epochs = new Map<string, { epoch: number; active: boolean }>();
  const grants: Grant[] = [];
  const note = (key: string, { stream, event }: Told): RecordedEvent => {
    const recorded = log.add(stream, event);
    keys.set(recorded.id, key);
    return recorded;
  };
  for (const addonId of ['A1', 'A2']) note(addonId, addon(addonId));
  const pick = <T>(list: readonly T[], who: number): T | undefined => list[who % list.length];

  for (const { what, who } of steps) {
    const [organizationId, addonId] = [`O${1 + (who % 2)}`, `A${1 + (Math.floor(who / 2) % 2)}`];
    const key = `${organizationId}.${addonId}`;
    const activation = epochs.get(key) ?? { epoch: 0, active: false };
    epochs.set(key, activation);
    const grant = pick(grants, who);
    const user = `U${1 + (who % 2)}`;
    if (what < 15) {
      if (activation.active) {
        note(key, deactivated(activation.epoch, organizationId, addonId));
        for (const ended of grants.filter((each) => each.key === key))
          note(key, revoked(ended.id, 'addon-deactivated'));
        const { event } = revocationCompleted(activation.epoch, 1);
        note(key, { stream: `activation-${organizationId}.${addonId}`, event });
        activation.active = false;
      } else {
        activation.epoch += 1;
        note(key, activated(activation.epoch, organizationId, addonId));
        activation.active = true;
      }
    } else if (what < 40) {
      const own = what < 22;
      const id = `G${grants.length}`;
      const subject = own
        ? ({ kind: 'user', userId: user, epoch: 0 } as const)
        : ofOrganization(activation.epoch, organizationId);
      if (!own && !activation.active) continue;
      const grantKey = own ? `${user}.${addonId}` : key;
      grants.push({ id, key: grantKey, rotation: 0 });
      note(grantKey, issued(id, subject, addonId));
    } else if (what < 55 && grant) note(grant.key, redeemed(grant.id));
    else if (what < 75 && grant) note(grant.key, refreshed(grant.id, (grant.rotation += 1)));
    else if (what < 82 && grant) note(grant.key, revoked(grant.id));
    else if (what < 86) note(`${user}.A1`, approved(user, user, ['profiles:read'], 0));
    else if (what < 90) note(`${user}.A1`, withdrawn(user, user));
    else if (what < 94) note(addonId, plain(`addon-${addonId}`, who % 3 ? 'AddonSuspended' : 'AddonResumed'));
    else {
      const { stream, event } = profile(`P${who}`, log.events.length + 1);
      log.add(stream, event); // never goes out
    }
  }
  return { log, keys };
};
