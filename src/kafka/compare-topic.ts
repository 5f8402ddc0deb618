import { type WantedTopic, settingsOf } from './topics.ts';

export type FoundTopic = {
  readonly partitions: number;
  readonly replicas: number;
  /** Null: not readable with our rights. */
  readonly settings: Readonly<Record<string, string>> | null;
};

type Compared = { readonly problems: readonly string[]; readonly notes: readonly string[] };

type Plan = { readonly partitions: number; readonly replicas: number };

const DAY = 86_400_000;

/** The differences and what to do: shorter retention and compaction are problems, others may be intended. */
export const compareTopic = (wanted: WantedTopic, found: FoundTopic, plan: Plan): Compared => {
  const problems: string[] = [];
  const notes: string[] = [];
  const { name, direction, retentionMs } = wanted;
  const { partitions, replicas, settings } = found;
  if (partitions !== plan.partitions)
    notes.push(
      `${partitions} partitions, not ${plan.partitions}; leave it: adding some breaks the order of each key`,
    );
  if (replicas < plan.replicas) notes.push(`${replicas} replicas, not ${plan.replicas}`);
  if (settings === null) {
    notes.push('its settings may not be read: allow DescribeConfigs on it, or check them by hand');
    return { problems, notes };
  }
  const kept = retentionOf(settings);
  if (kept !== null && kept < (retentionMs ?? Infinity))
    problems.push(
      `messages are kept ${days(kept)}, not ${days(retentionMs)}: ${alter(wanted, plan, 'retention.ms')}`,
    );
  if (retentionMs !== null && (kept === null || kept > retentionMs))
    notes.push(`messages are kept ${days(kept)}; ${days(retentionMs)} are enough`);
  if (has(settings, 'retention.bytes') && settings['retention.bytes'] !== '-1')
    problems.push(
      `old messages are deleted when it exceeds ${settings['retention.bytes']} bytes: ${alter(wanted, plan, 'retention.bytes')}`,
    );
  if (settings['cleanup.policy']?.includes('compact')) {
    if (direction === 'out')
      problems.push(
        `it is compacted, so messages of a key get lost: ${alter(wanted, plan, 'cleanup.policy')}`,
      );
    else
      notes.push(
        `it is compacted: a removal is lost if ${name} is not read for longer than delete.retention.ms`,
      );
  }
  const insync = settingsOf(wanted, plan.replicas)['min.insync.replicas'];
  if (Number(settings['min.insync.replicas']) < Number(insync))
    notes.push(`min.insync.replicas is ${settings['min.insync.replicas']}, not ${insync}`);
  return { problems, notes };
};

export const retentionOf = (settings: Readonly<Record<string, string>>): number | null => {
  const kept = Number(settings['retention.ms'] ?? -1);
  return kept < 0 ? null : kept;
};

const has = (settings: Readonly<Record<string, string>>, name: string) => Object.hasOwn(settings, name);

const days = (ms: number | null): string => (ms === null ? 'permanently' : `${Math.floor(ms / DAY)} days`);

const alter = (wanted: WantedTopic, plan: Plan, setting: string): string =>
  `kafka-configs.sh --alter --topic ${wanted.name} --add-config ${setting}=${settingsOf(wanted, plan.replicas)[setting]}`;
