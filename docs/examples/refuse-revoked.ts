import type { Admin, Consumer } from 'kafkajs';

type Token = { jti: string; grant_id: string; grant_epoch: number; org_id?: string; client_id: string };
type Data = { grant_id: string; rotation: number; organization_id: string; addon_id: string; epoch: number };

export const followRevocations = async (admin: Admin, consumer: Consumer, topics: string[]) => {
  const [ended, newest, unread] = [new Set<string>(), new Map<string, string>(), new Map<string, bigint>()];
  const take = (type: string, { grant_id, rotation, organization_id, addon_id, epoch }: Data) => {
    if (type === 'grantbook.grant.revoked.v1') ended.add(grant_id);
    if (type === 'grantbook.grant.access-token-revoked.v1') ended.add(`access.${grant_id}.${rotation}`);
    if (type === 'grantbook.activation.deactivated.v1') ended.add(`${organization_id}.${addon_id} ${epoch}`);
  };
  for (const topic of topics)
    for (const { partition, low, high } of await admin.fetchTopicOffsets(topic))
      if (low !== high) unread.set(`${topic} ${partition}`, BigInt(high));
  await consumer.subscribe({ topics, fromBeginning: true });
  await consumer.run({
    eachMessage: ({ topic, partition, message: { key, value, headers, offset } }) => {
      const [place, chain] = [`${topic} ${partition}`, `${topic} ${String(key)}`];
      const [type, sequence] = [String(headers?.['ce_type']), String(headers?.['ce_sequence'])];
      if (sequence > (newest.get(chain) ?? '')) take(type, JSON.parse(String(value)) as Data);
      if (sequence > (newest.get(chain) ?? '')) newest.set(chain, sequence);
      if (BigInt(offset) + 1n >= (unread.get(place) ?? 0n)) unread.delete(place);
      return Promise.resolve();
    },
  });
  const namesOf = (t: Token) => [t.grant_id, t.jti, `${t.org_id ?? ''}.${t.client_id} ${t.grant_epoch}`];
  const refuses = (token: Token) => namesOf(token).some((name) => ended.has(name));
  return { isCurrent: () => unread.size === 0, refuses };
};
