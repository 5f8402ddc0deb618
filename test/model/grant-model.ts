import { terms } from '../support/scenes/grants.ts';
import type { Scope } from '../../src/domain/access/scope.ts';

/**
 * What a grant may do, said again and in the simplest way: no streams, no revisions, no caches, no fence, and one
 * thing after the other. It shares nothing with the deciders but the names of their refusals.
 */
export type Model = {
  readonly now: number;
  /** When nobody could be answered. */
  readonly outages: readonly { readonly began: number; readonly ended: number }[];
  readonly epoch: number;
  readonly active: boolean;
  readonly suspended: boolean;
  readonly disabled: boolean;
  /** Of so many grants the code was there when the user was disabled last. */
  readonly grantsWhenDisabled: number;
  /** Disablings and withdrawals so far: what a user's own grant hangs on. */
  readonly userEpoch: number;
  /** Whether the user has approved anything for the own data since the last withdrawal. */
  readonly approved: boolean;
  readonly grants: readonly ModelGrant[];
};

/** The add-on is active, nothing is approved, and there is no grant. */
export const modelAt = (now: number): Model => ({
  now,
  outages: [],
  epoch: 1,
  active: true,
  suspended: false,
  disabled: false,
  grantsWhenDisabled: 0,
  userEpoch: 0,
  approved: false,
  grants: [],
});

export type ModelGrant = {
  /** Of a user's own data; otherwise of the organization's. */
  readonly own: boolean;
  /** Of the activation or of the user. */
  readonly epoch: number;
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
  readonly accessRevoked: boolean;
  /** Whether somebody was refused it because the add-on was suspended (SU-01). */
  readonly withheld: boolean;
};

export type ModelLifetimes = {
  readonly code: number;
  readonly accessToken: number;
  readonly refreshIdle: number;
  readonly refreshAbsolute: number;
  readonly refreshGrace: number;
  readonly refreshGraceOutage: number;
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

type Hangs = Pick<ModelGrant, 'own' | 'epoch'>;

/** Why nothing that hangs on this works now, or null. */
const closed = (model: Model, { own, epoch }: Hangs, needsUser: boolean): Answer | null => {
  if (!own && (!model.active || model.epoch !== epoch)) return 'addon-deactivated';
  if (model.suspended) return 'addon-suspended';
  if (model.disabled && (needsUser || own)) return 'account-disabled';
  return own && epoch !== model.userEpoch ? 'consent-withdrawn' : null;
};

/** A disabling counts, an enabling takes nothing back (RT-17). */
export const setDisabled = (model: Model, disabled: boolean): Step =>
  change(model, {
    disabled,
    grantsWhenDisabled: disabled && !model.disabled ? model.grants.length : model.grantsWhenDisabled,
    userEpoch: disabled && !model.disabled ? model.userEpoch + 1 : model.userEpoch,
  });

export const withdraw = (model: Model): Step =>
  change(model, { userEpoch: model.approved ? model.userEpoch + 1 : model.userEpoch, approved: false });

export const activate = (model: Model): Step => {
  if (model.suspended) return refuse(model, 'addon-suspended');
  return change(model, { active: true, epoch: model.active ? model.epoch : model.epoch + 1 });
};

export const authorize = (before: Model, hangs: Hangs, { code }: ModelLifetimes): Step => {
  const approves = hangs.own && hangs.epoch === before.userEpoch;
  const model = { ...before, approved: before.approved || approves };
  const why = closed(model, hangs, true);
  if (why === 'addon-deactivated' || why === 'account-disabled') return refuse(model, 'addon-not-active');
  if (why) return refuse(model, why);
  const codeUntil = model.now + code;
  const grant = { ...hangs, codeUntil, failedProofs: 0, redeemedAt: null, revoked: false, pairs: [] };
  return change(model, { grants: [...model.grants, grant] });
};

export type RevokeAsk = {
  readonly kind: 'access' | 'refresh';
  readonly rotation: number;
  readonly foreign: boolean;
};

/** What the add-on gives back: a refresh token of any age ends the family, an access token only itself (RV-05). */
export const revoke = (model: Model, at: number, { kind, rotation, foreign }: RevokeAsk): Step => {
  const grant = model.grants[at];
  const pair = grant?.pairs[rotation];
  if (!grant || !pair) throw new Error('nothing to revoke');
  if (kind === 'access' && model.now >= pair.accessUntil) return refuse(model, 'nothing-to-revoke');
  if (foreign) return refuse(model, 'token-of-another-client');
  if (grant.revoked) return refuse(model, 'nothing-to-revoke');
  if (kind === 'refresh') return put(model, at, { revoked: true }, 'revoked');
  if (pair.accessRevoked) return refuse(model, 'nothing-to-revoke');
  const pairs = grant.pairs.map((each, index) =>
    index === rotation ? { ...each, accessRevoked: true } : each,
  );
  return put(model, at, { pairs }, 'revoked');
};

/** What the reactions do: they end every grant of an epoch that is over. */
export const revokeFormerEpochs = (model: Model): Step =>
  change(model, {
    grants: model.grants.map((grant) =>
      (grant.own ? grant.epoch === model.userEpoch : model.active && grant.epoch === model.epoch)
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
  const why = closed(model, grant, true);
  if (why) return refuse(model, why);
  if (!grant.own && at < model.grantsWhenDisabled) return refuse(model, 'account-disabled'); // since the code, though enabled again (TC-15)
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
    accessRevoked: false,
    withheld: false,
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
  const issued = newest.graceUntil - lifetimes.refreshGrace;
  const away = model.outages
    .map(({ began, ended }) => Math.max(0, ended - Math.max(began, issued)))
    .reduce((sum, each) => sum + each, 0);
  const graceUntil = newest.graceUntil + Math.min(away, lifetimes.refreshGraceOutage);
  if (age > 1 || (age === 1 && !newest.withheld && model.now >= graceUntil))
    return put(model, at, { revoked: true }, 'token-reused');
  if (isOver || model.now >= newest.refreshUntil) return refuse(model, 'token-expired');
  if (ask.scopes?.some((scope) => !terms.scopes.includes(scope))) return refuse(model, 'scope-too-wide');
  const why = closed(model, grant, false);
  if (why === 'addon-suspended' && age === 1)
    return put(model, at, { pairs: [...grant.pairs.slice(0, -1), { ...newest, withheld: true }] }, why);
  if (why) return refuse(model, why);
  if (age === 1) return refuse(model, `pair ${grant.pairs.length - 1}`);
  const next = pairAt(model.now, grant.redeemedAt, ask.scopes ?? terms.scopes, lifetimes);
  return put(model, at, { pairs: [...grant.pairs, next] }, `pair ${grant.pairs.length}`);
};

/** With which scopes a list would be answered to the access token of each pair of a grant; null for not at all. */
export const working = (model: Model, grant: ModelGrant): readonly (readonly Scope[] | null)[] =>
  grant.pairs.map(({ accessUntil, scopes, accessRevoked }) => {
    const lives = !grant.revoked && !accessRevoked && model.now < accessUntil;
    return lives && closed(model, grant, false) === null ? scopes : null;
  });

/** Which refresh tokens of a grant introspection calls active: none but the newest (IN-04). */
export const refreshable = (model: Model, grant: ModelGrant): readonly boolean[] =>
  grant.pairs.map(({ refreshUntil }, index) => {
    const isNewest = index === grant.pairs.length - 1;
    return isNewest && !grant.revoked && model.now < refreshUntil && closed(model, grant, false) === null;
  });
