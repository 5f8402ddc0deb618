import { randomUUID } from 'node:crypto';
import type { ServerUnaryCall, UntypedServiceImplementation, sendUnaryData } from '@grpc/grpc-js';
import type { CallFault, Member, TakeFault } from './faults.ts';
import { callFault } from './remove.ts';
import { features, gossip, shared } from './stubs.ts';
import { ticksNow } from './stamp.ts';

/** A real, supported version: test helpers and the successor client check it. */
export const serverVersion = '24.10.5';

const methods: readonly (readonly [name: string, features: readonly string[]])[] = [
  ['append', []],
  ['batchappend', ['deadline_duration']],
  ['delete', []],
  ['read', ['position', 'events']],
  ['tombstone', []],
];

type Handler = UntypedServiceImplementation[string];

/** Not a method to call: what this node says about itself, because its version is that of a real server. */
const itself = 'grantbook.eventstore_node';

/**
 * The methods that this node supports; BatchAppend is included, as on a production server.
 * @param force whether production may use it
 */
export const makeSupportedMethods = (take: TakeFault, force = false): Handler => {
  const entry = (service: string, name: string, list: readonly string[]) =>
    new features.SupportedMethod()
      .setMethodName(name)
      .setServiceName(service)
      .setFeaturesList([...list]);
  const answer = new features.SupportedMethods()
    .setEventStoreServerVersion(serverVersion)
    .setMethodsList([
      ...methods.map(([name, list]) => entry('event_store.client.streams.streams', name, list)),
      entry(itself, 'embedded', force ? ['forced'] : []),
    ]);
  return answering(
    () => take('features'),
    () => answer,
  );
};

/** Reports one member, the leader, at the address that the caller used. */
export const makeGossip = (take: TakeFault, instanceId: string, host: string, port: () => number): Handler =>
  answering(
    () => {
      const fault = take('gossip');
      return fault?.kind === 'members' ? clusterOf(fault.members()) : fault;
    },
    () => clusterOf([{ address: `${host}:${port()}`, leads: true }], instanceId),
  );

type ClusterInfo = InstanceType<typeof gossip.ClusterInfo>;

export const clusterOf = (members: readonly Member[], instanceId: string = randomUUID()): ClusterInfo =>
  new gossip.ClusterInfo().setMembersList(
    members.map(({ address, leads, isAlive = true }) => {
      const [, host = '', port] = /^(.*):(\d+)$/.exec(address) ?? [];
      return new gossip.MemberInfo()
        .setInstanceId(structured(instanceId))
        .setTimeStamp(String(ticksNow()))
        .setState(leads ? gossip.MemberInfo.VNodeState.LEADER : gossip.MemberInfo.VNodeState.FOLLOWER)
        .setIsAlive(isAlive)
        .setHttpEndPoint(new gossip.EndPoint().setAddress(host).setPort(Number(port)));
    }),
  );

const answering =
  <Response extends object>(
    fault: () => CallFault | Response | undefined,
    respond: () => Response,
  ): Handler =>
  (_call: ServerUnaryCall<unknown, Response>, answer: sendUnaryData<Response>): void => {
    const taken = fault();
    if (taken && !('kind' in taken)) return answer(null, taken);
    const struck = callFault(taken);
    if (struck === 'lost') return;
    if (struck) answer(struck);
    else answer(null, respond());
  };

/** The two big-endian halves of a UUID's bytes. */
const structured = (id: string): InstanceType<typeof shared.UUID> => {
  const hex = id.replaceAll('-', '');
  const half = (from: number): string => String(BigInt.asIntN(64, BigInt(`0x${hex.slice(from, from + 16)}`)));
  return new shared.UUID().setStructured(
    new shared.UUID.Structured().setMostSignificantBits(half(0)).setLeastSignificantBits(half(16)),
  );
};
