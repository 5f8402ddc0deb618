import type { GrantSubject } from '../../../src/domain/access/grant.ts';
import type { Outcome } from '../../../src/commands/kernel/outcome.ts';
import type { TokenPair } from '../../../src/commands/credentials/token-pair.ts';
import type { RecordedEvent } from '../../../src/eventstore/event-store.ts';
import { challenge, terms, verifier } from '../../support/scenes/grants.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';
import { instancesOver, type People, type Wire } from './instances.ts';
import { makeJudge, Violation, type Asked } from './judge.ts';
import type { Mutation } from './mutations.ts';
import { prepared } from './prepared.ts';
import { sharedFence } from './shared-fence.ts';
import { makeStage, type Actor } from './stage.ts';

/** How things stand when the play begins, if not as `prepared` says. */
export type Setting = { readonly log: readonly RecordedEvent[]; readonly people?: People };

export type World = ReturnType<typeof openWorld>;

/** One log and one fence that many instances of the real commands share, and a judge who looks on. */
export const openWorld = (mutation: Mutation | null, setting: Setting = { log: prepared.log }) => {
  const log = memoryStore({}, setting.log);
  const fence = sharedFence(mutation, prepared.rows, () => judge.fenceChanged());
  const judge = makeJudge({ log: log.all, fence: () => fence });
  const stage = makeStage();
  const { needsOf, instance } = instancesOver({ log, fence, stage, people: setting.people });
  /** Of every code that was answered. */
  const granted = [...prepared.grantIds];

  const subjectOf = (grantId: string): GrantSubject => {
    for (const { event } of log.all())
      if (event.type === 'AuthorizationCodeIssued' && event.data.grantId === grantId)
        return event.data.subject;
    throw new Error('no such grant');
  };

  /** An instance that is asked for something that the fence guards, and what was known when it began. */
  const asking = (actor: Actor, subject: GrantSubject, wire?: Wire) => {
    let asked: Asked | null = null;
    const noticed: Actor = {
      ...actor,
      turn: (what, act, options) => {
        const first = () => {
          asked ??= judge.asked(subject);
          return act();
        };
        return actor.turn(what, first, options);
      },
    };
    return { by: instance(noticed, 'issuer', wire), asked: () => asked ?? judge.asked(subject) };
  };

  const receive = (answer: Outcome<TokenPair, string>, asked: Asked): TokenPair | null => {
    if (!answer.ok) return null;
    const claims = prepared.claimsOf(answer.value.accessToken);
    judge.issued(claims, asked, ['AuthorizationCodeRedeemed', 'TokensRefreshed']);
    judge.watch(claims);
    return answer.value;
  };

  const { addonId, organizationId, userId } = prepared;
  return {
    log,
    fence,
    judge,
    stage,
    needsOf,
    instance,
    granted,
    subjectOf,
    async exchange(actor: Actor, code: string, wire?: Wire) {
      const { by, asked } = asking(actor, subjectOf(prepared.grantIdOf('code', code)), wire);
      const { redirectUri } = terms;
      const proof = { code, redirectUri, codeVerifier: verifier };
      return receive(await by.exchangeCode({ addonId, ...proof, resources: null }), asked());
    },
    async refresh(actor: Actor, refreshToken: string, wire?: Wire) {
      const { by, asked } = asking(actor, subjectOf(prepared.grantIdOf('refresh', refreshToken)), wire);
      return receive(
        await by.refreshToken({ addonId, refreshToken, scopes: null, resources: null }),
        asked(),
      );
    },
    /** A resource server asks what a token is good for (RFC 7662). */
    async introspect(actor: Actor, token: string, subject: GrantSubject) {
      const { by, asked } = asking(actor, subject);
      if ((await by.introspectToken({ addonId, token, audiences: [] })) && asked().isOver)
        throw new Violation('P1: introspected as active after the answer');
    },
    /** A user approves, in the epoch that the approval page has seen. */
    async issueCode(
      actor: Actor,
      kind: GrantSubject['kind'],
      epoch: number,
      { wire, asAdministrator = false }: { readonly wire?: Wire; readonly asAdministrator?: boolean } = {},
    ) {
      const subject: GrantSubject =
        kind === 'user' ? { kind, userId, epoch } : { kind, organizationId, epoch };
      const { by, asked } = asking(actor, subject, wire);
      const { scopes, redirectUri, nonce, resources, authTime } = terms;
      const approved = { scopes, redirectUri, nonce, resources, authTime, codeChallenge: challenge };
      const answer = await by.issueCode({ addonId, userId, subject, asAdministrator, ...approved });
      if (!answer.ok) return null;
      const { code } = answer.value;
      judge.issued({ grantId: prepared.grantIdOf('code', code), subject }, asked(), [
        'AuthorizationCodeIssued',
      ]);
      granted.push(prepared.grantIdOf('code', code));
      return code;
    },
    /** Everything that decides about how the play can go on. */
    key: () =>
      [
        log
          .all()
          .map(({ stream, event }) => `${stream.slice(-3)}${event.type}`)
          .join(),
        fence.inWords(),
        judge.key(),
        stage.stories(),
      ].join('\n'),
  };
};
