import { terms } from '../support/grants.ts';
import type { Scope } from '../../src/domain/scope.ts';

/**
 * What a grant may do, said again and in the simplest way: no streams, no revisions, no caches, no fence, and one
 * thing after the other. It shares nothing with the deciders but the names of their refusals.
 */
export type Model = {
  readonly now: number;
  readonly epoch: number;
  readonly active: boolean;
  readonly suspended: boolean;
  readonly disabled: boolean;
  readonly grants: readonly ModelGrant[];
};

export type ModelGrant = {
  /** Of the activation it hangs on; null for a user's own data. */
  readonly epoch: number | null;
  readonly codeUntil: number;
  readonly failedProofs: number;
  readonly redeemedAt: number | null;
  readonly revoked: boolean;
  readonly pairs: readonly ModelPair[];
};

export type ModelPair = {
  readonly scopes: readonly Scope[];
  readonly accessUntil: number;
  readonly refreshUntil: number;
  readonly graceUntil: number;
};

export type ModelLifetimes = {
  readonly code: number;
  readonly accessToken: number;
  readonly refreshIdle: number;
  readonly refreshAbsolute: number;
  readonly refreshGrace: number;
  readonly replayTolerance: number;
};

/** `done`, `pair 3` for the tokens of the third refresh, or the refusal. */
export type Answer = string;
export type Step = { readonly model: Model; readonly answer: Answer };

export const proofs = [
  'right',
  'verifier-mismatch',
  'redirect-uri-mismatch',
  'code-of-another-client',
] as const;
export type Proof = (typeof proofs)[number];

export const change = (model: Model, changes: Partial<Model>): Step => ({
  model: { ...model, ...changes },
  answer: 'done',
});

const refuse = (model: Model, answer: Answer): Step => ({ model, answer });

const put = (model: Model, at: number, changes: Partial<ModelGrant>, answer: Answer): Step => ({
  model: {
    ...model,
    grants: model.grants.map((grant, index) => (index === at ? { ...grant, ...changes } : grant)),
  },
  answer,
});

/** Why nothing that hangs on this epoch works now, or null. */
const closed = (model: Model, epoch: number | null, needsUser: boolean): Answer | null => {
  if (epoch !== null && (!model.active || model.epoch !== epoch)) return 'addon-deactivated';
  if (model.suspended) return 'addon-suspended';
  return model.disabled && (needsUser || epoch === null) ? 'account-disabled' : null;
};

export const activate = (model: Model): Step => {
  if (model.suspended) return refuse(model, 'addon-suspended');
  return change(model, { active: true, epoch: model.active ? model.epoch : model.epoch + 1 });
};

export const authorize = (model: Model, epoch: number | null, { code }: ModelLifetimes): Step => {
  const why = closed(model, epoch, true);
  if (why) return refuse(model, why === 'addon-suspended' ? why : 'addon-not-active');
  const codeUntil = model.now + code;
  const grant = { epoch, codeUntil, failedProofs: 0, redeemedAt: null, revoked: false, pairs: [] };
  return change(model, { grants: [...model.grants, grant] });
};

export const revoke = (model: Model, at: number): Step => put(model, at, { revoked: true }, 'done');

/** What the reaction to a deactivation does: every grant of an epoch that is over. */
export const revokeFormerEpochs = (model: Model): Step =>
  change(model, {
    grants: model.grants.map((grant) =>
      grant.epoch === null || (model.active && grant.epoch === model.epoch)
        ? grant
        : { ...grant, revoked: true },
    ),
  });

export const exchange = (model: Model, at: number, proof: Proof, lifetimes: ModelLifetimes): Step => {
  const grant = model.grants[at];
  if (!grant) throw new Error('no such grant');
  if (grant.revoked) return refuse(model, 'grant-revoked');
  if (proof !== 'right') {
    const failedProofs = grant.failedProofs + 1;
    return put(model, at, { failedProofs, revoked: grant.redeemedAt === null && failedProofs >= 3 }, proof);
  }
  if (grant.redeemedAt !== null) {
    const isStolen = model.now >= grant.redeemedAt + lifetimes.replayTolerance;
    return put(model, at, { revoked: isStolen }, 'code-already-redeemed');
  }
  if (model.now >= grant.codeUntil) return refuse(model, 'code-expired');
  const why = closed(model, grant.epoch, true);
  if (why) return refuse(model, why);
  const pairs = [pairAt(model.now, model.now, terms.scopes, lifetimes)];
  return put(model, at, { redeemedAt: model.now, failedProofs: 0, pairs }, 'pair 0');
};

const pairAt = (now: number, redeemedAt: number, scopes: readonly Scope[], lifetimes: ModelLifetimes) => {
  const end = redeemedAt + lifetimes.refreshAbsolute;
  return {
    scopes,
    accessUntil: Math.min(now + lifetimes.accessToken, end),
    refreshUntil: Math.min(now + lifetimes.refreshIdle, end),
    graceUntil: now + lifetimes.refreshGrace,
  };
};

export type RefreshAsk = {
  /** Of the pair that the presented token is of. */
  readonly rotation: number;
  readonly scopes: readonly Scope[] | null;
  readonly foreign: boolean;
};

export const refresh = (model: Model, at: number, ask: RefreshAsk, lifetimes: ModelLifetimes): Step => {
  const grant = model.grants[at];
  const newest = grant?.pairs.at(-1);
  if (!grant || !newest || grant.redeemedAt === null) throw new Error('nothing to refresh');
  if (grant.revoked) return refuse(model, 'grant-revoked');
  if (ask.foreign) return refuse(model, 'token-of-another-client');
  const age = grant.pairs.length - 1 - ask.rotation;
  const isOver = model.now >= grant.redeemedAt + lifetimes.refreshAbsolute;
  if (age > 1 || (age === 1 && model.now >= newest.graceUntil))
    return put(model, at, { revoked: true }, 'token-reused');
  if (isOver || (age === 0 && model.now >= newest.refreshUntil)) return refuse(model, 'token-expired');
  if (ask.scopes?.some((scope) => !terms.scopes.includes(scope))) return refuse(model, 'scope-too-wide');
  const why = closed(model, grant.epoch, false);
  if (why) return refuse(model, why);
  if (age === 1) return refuse(model, `pair ${grant.pairs.length - 1}`);
  const next = pairAt(model.now, grant.redeemedAt, ask.scopes ?? terms.scopes, lifetimes);
  return put(model, at, { pairs: [...grant.pairs, next] }, `pair ${grant.pairs.length}`);
};

/** With which scopes a list would be answered to the access token of each pair of a grant; null for not at all. */
export const working = (model: Model, grant: ModelGrant): readonly (readonly Scope[] | null)[] =>
  grant.pairs.map(({ accessUntil, scopes }) => {
    const works = !grant.revoked && model.now < accessUntil && closed(model, grant.epoch, false) === null;
    return works ? scopes : null;
  });
