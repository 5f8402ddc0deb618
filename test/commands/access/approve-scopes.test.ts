import { expect, test } from 'vitest';
import { issuance } from '../../support/memory/issuance.ts';
import { valueOf } from '../../support/outcomes.ts';

test('AC-05, DE-05: an approval is remembered for its subject and epoch', async () => {
  const { commands, addonId, userId, organizationId, store } = await issuance();
  const subject = (epoch: number) => ({ kind: 'organization', organizationId, epoch }) as const;
  const asked = { userId, addonId, subject: subject(1) };
  await commands.approveScopes({ ...asked, scopes: ['openid'] });
  await commands.approveScopes({ ...asked, scopes: ['access-rights:read'] });
  const remembered = async (of: Parameters<typeof commands.rememberedScopes>[0]) =>
    (await commands.rememberedScopes(of)).scopes;
  expect(await remembered(asked)).toEqual(['openid', 'access-rights:read']);
  expect(await remembered({ ...asked, subject: subject(2) })).toEqual([]);
  const own = { ...asked, subject: { kind: 'user', userId, epoch: 0 } } as const;
  expect(await remembered(own)).toEqual([]);
  const before = store.all().length;
  await commands.approveScopes({ ...asked, scopes: ['openid'] });
  expect(store.all()).toHaveLength(before);
});

test('AC-02: a user authorizes for the own data without any activation', async () => {
  const { issue, exchange, deactivate, userId, commands } = await issuance();
  await deactivate();
  const subject = { kind: 'user', userId, epoch: 0 } as const;
  const { accessToken } = valueOf(await exchange(await issue({ subject })));
  expect(commands.verifyAccessToken(accessToken)?.subject).toEqual(subject);
});
