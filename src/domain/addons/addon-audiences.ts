import { english } from '../../common/words.ts';
import type { AddonEvent, AddonState, AllowedAudience } from './addon.ts';
import { audienceProblem } from '../access/audience.ts';
import { accept, refuse, type Decision, type At, type FieldProblem } from '../kernel/decision.ts';

export type AudienceChange = {
  readonly add: readonly AllowedAudience[];
  readonly remove: readonly string[];
};

const mostAudiences = 100;

export const audienceChangeProblems = ({ add, remove }: AudienceChange): readonly FieldProblem[] =>
  add.flatMap(({ audience }, index) => {
    const message = remove.includes(audience) ? english.problems.addedAndRemoved : audienceProblem(audience);
    return message === null ? [] : [{ field: `addAudience[${index}]`, message }];
  });

/** Changes which other servers' resources the add-on may ask for (CL-06); existing grants stay. */
export const changeAudiences = (
  addon: AddonState,
  { add, remove, now }: AudienceChange & At,
): Decision<AddonEvent, 'addon-unknown' | 'too-many-audiences'> => {
  if (addon.status === 'unregistered') return refuse('addon-unknown');
  const { allowedAudiences } = addon;
  const isSame = (one: AllowedAudience) =>
    allowedAudiences.some(
      ({ audience, resourceServerId }) =>
        audience === one.audience && resourceServerId === one.resourceServerId,
    );
  const removed = allowedAudiences.filter(({ audience }) => remove.includes(audience));
  const kept = new Set(
    allowedAudiences.map(({ audience }) => audience).filter((name) => !remove.includes(name)),
  );
  for (const { audience } of add) kept.add(audience);
  if (kept.size > mostAudiences) return refuse('too-many-audiences');
  return accept<AddonEvent>(
    ...removed.map(({ audience }): AddonEvent => ({
      type: 'AddonAudienceDisallowed',
      data: { audience, at: now },
    })),
    ...add
      .filter((one) => !isSame(one))
      .map((allowed): AddonEvent => ({ type: 'AddonAudienceAllowed', data: { ...allowed, at: now } })),
  );
};
