/** The request is lost: nothing is written or answered. */
type Lost = { readonly kind: 'lost' };
/** UNAVAILABLE "Server Is Not Ready", as while a server starts. */
type Unready = { readonly kind: 'not-ready' };
/** NOT_FOUND with the `not-leader` trailers. */
type WrongLeader = { readonly kind: 'not-leader'; readonly host: string; readonly port: number };
/** Ends the call with this status; a regular disconnect uses OK. */
export type EndStatus = 'OK' | 'ABORTED' | 'CANCELLED' | 'INTERNAL' | 'UNAVAILABLE';

/** The account lacks the right. */
type Denied = { readonly kind: 'denied' };

export type AppendFault =
  | Lost
  | Denied
  | Unready
  | WrongLeader
  /** Written, but never answered: an unknown outcome of a successful write. */
  | { readonly kind: 'commit-then-drop' }
  /** Written at once, answered when `until` resolves. */
  | { readonly kind: 'delayed-reply'; readonly until: Promise<unknown> }
  /** Not written; answered like the real server answers a duplicate that arrives concurrently with its original. */
  | { readonly kind: 'timeout' }
  /** Ends the whole call; on a batch stream this rejects every append in flight. */
  | { readonly kind: 'end'; readonly status: EndStatus; readonly written: boolean };

export type ReadFault =
  | Lost
  | Denied
  | Unready
  | WrongLeader
  /** An existing stream is reported as not found, as happens for a moment after a re-creation. */
  | { readonly kind: 'stale' }
  /** Answered from the state that the log had at this position, as by a deposed leader. */
  | { readonly kind: 'as-of'; readonly position: bigint }
  | { readonly kind: 'end'; readonly status: EndStatus; readonly afterEvents: number };

export type SubscriptionFault =
  | Lost
  | Denied
  | Unready
  | WrongLeader
  | { readonly kind: 'end'; readonly status: EndStatus; readonly afterEvents: number }
  /** Delivers this many events, then neither sends nor ends. */
  | { readonly kind: 'stall'; readonly afterEvents: number }
  /** Filtered subscriptions: the checkpoint 2^64−1 that 24.2 to 24.10.4 send on an empty log (KDB-710). */
  | { readonly kind: 'endless-checkpoint' };

export type CallFault =
  Lost | Denied | Unready | WrongLeader | { readonly kind: 'end'; readonly status: Exclude<EndStatus, 'OK'> };

/** What an account may be denied; the metadata of streams has rights of its own. */
export type Right = 'append' | 'read' | 'read-all' | 'read-metadata' | 'write-metadata' | 'delete';

/** A member of a cluster in a node's gossip; `address` is `host:port`. */
export type Member = { readonly address: string; readonly leads: boolean; readonly isAlive?: boolean };

/** The node reports these members, as of a cluster. */
export type GossipFault = CallFault | { readonly kind: 'members'; readonly members: () => readonly Member[] };

/** Which calls a fault affects: the first `skip` calls pass, then `times` calls (default 1) fail. */
export type FaultWindow = { readonly skip?: number; readonly times?: number };

export type Injected = {
  hits(): number;
  /** Resolves at the first affected call. */
  readonly hit: Promise<void>;
  remove(): void;
};

type Inject<Fault> = (fault: Fault, window?: FaultWindow) => Injected;

/** Fault injection for tests: the node misbehaves like a real server, or the network in front of it, can. */
export type Faults = {
  /** For both BatchAppend and Append. */
  readonly append: Inject<AppendFault>;
  readonly read: Inject<ReadFault>;
  readonly subscription: Inject<SubscriptionFault>;
  /** For Delete and Tombstone. */
  readonly remove: Inject<CallFault>;
  readonly features: Inject<CallFault>;
  readonly gossip: Inject<GossipFault>;
  /** Every call is answered with not ready until the returned function is called: a slow start. */
  readonly notReady: () => () => void;
  /** Withdraws a right until the returned function is called; subscriptions that need it end. */
  readonly deny: (right: Right) => () => void;
  readonly clear: () => void;
};

type FaultOf = {
  append: AppendFault;
  read: ReadFault;
  subscription: SubscriptionFault;
  remove: CallFault;
  features: CallFault;
  gossip: GossipFault;
};

/** Called by the services at each call: returns the fault to simulate, if any. @param stream absent for `$all` */
export type TakeFault = <Point extends keyof FaultOf>(
  point: Point,
  stream?: string,
) => FaultOf[Point] | undefined;

/** Calls the listener when a right is withdrawn, until the returned function is called. */
export type WhenDenied = (listener: (right: Right) => void) => () => void;

type Rule = { readonly fault: unknown; skip: number; left: number; readonly struck: () => void };

export const makeFaults = (): {
  readonly faults: Faults;
  readonly take: TakeFault;
  readonly whenDenied: WhenDenied;
} => {
  const rules = new Map<keyof FaultOf, Set<Rule>>();
  const denied = new Set<Right>();
  const listeners = new Set<(right: Right) => void>();
  let unready = 0;

  const injector =
    <Point extends keyof FaultOf>(point: Point): Inject<FaultOf[Point]> =>
    (fault, { skip = 0, times = 1 } = {}) => {
      let hits = 0;
      let resolve: () => void = () => undefined;
      const hit = new Promise<void>((done) => (resolve = done));
      const struck = (): void => {
        hits += 1;
        resolve();
      };
      const rule: Rule = { fault, skip, left: times, struck };
      const own = rules.get(point) ?? new Set();
      rules.set(point, own.add(rule));
      return { hits: () => hits, hit, remove: () => void own.delete(rule) };
    };

  return {
    whenDenied: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    take: <Point extends keyof FaultOf>(point: Point, stream?: string) => {
      if (unready > 0) return { kind: 'not-ready' } as FaultOf[Point];
      if (denied.has(rightFor(point, stream) as Right)) return { kind: 'denied' } as FaultOf[Point];
      return strike(rules.get(point)) as FaultOf[Point] | undefined;
    },
    faults: {
      append: injector('append'),
      read: injector('read'),
      subscription: injector('subscription'),
      remove: injector('remove'),
      features: injector('features'),
      gossip: injector('gossip'),
      notReady: () => {
        unready += 1;
        let over = false;
        return () => {
          if (!over) unready -= 1;
          over = true;
        };
      },
      deny: (right) => {
        denied.add(right);
        for (const listener of listeners) listener(right);
        return () => void denied.delete(right);
      },
      clear: () => rules.clear(),
    },
  };
};

const rightFor = (point: keyof FaultOf, stream: string | undefined): Right | null => {
  const isMetadata = stream?.startsWith('$$') ?? false;
  switch (point) {
    case 'append':
      return isMetadata ? 'write-metadata' : 'append';
    case 'read':
    case 'subscription':
      if (stream === undefined) return 'read-all';
      return isMetadata ? 'read-metadata' : 'read';
    case 'remove':
      return 'delete';
    case 'features':
    case 'gossip':
      return null;
  }
};

const strike = (rules: Set<Rule> | undefined): unknown => {
  for (const rule of rules ?? []) {
    if (rule.skip > 0) {
      rule.skip -= 1;
      continue;
    }
    rule.left -= 1;
    if (rule.left <= 0) rules?.delete(rule);
    rule.struck();
    return rule.fault;
  }
  return undefined;
};
