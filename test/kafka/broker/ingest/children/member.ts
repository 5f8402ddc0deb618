import type { ConsumeOptions, KafkaClient } from '../../../../../src/kafka/kafka-client.ts';
import type { ExpiryCommands } from '../../../../../src/kafka/ingest/expired.ts';
import type { RecordCommands } from '../../../../../src/kafka/ingest/resources.ts';
import { connectTo, joinIngest, type Meeting, openCore } from '../member.ts';

// A member of the group in a process of its own, which kills itself at the named point, or is killed.
export type Point = 'some are appended' | 'all are appended' | 'dead letters are acknowledged' | 'never';

const [, , meetingText = '', point = 'never'] = process.argv;
const meeting = JSON.parse(meetingText) as Meeting;
const die = () => process.kill(process.pid, 'SIGKILL');
const never = new Promise<never>(() => undefined);

const core = await openCore(meeting.stores);
const client = connectTo(meeting.brokers);

let recorded = 0;
const commands: RecordCommands & ExpiryCommands = {
  ...core.commands,
  recordProfile: async (...given) => {
    const outcome = await core.commands.recordProfile(...given);
    recorded += 1;
    if (point === 'some are appended' && recorded === 20) die();
    return outcome;
  },
};
const consume = (options: ConsumeOptions) =>
  client.consume({
    ...options,
    handle: async (batch, signal) => {
      await options.handle(batch, signal);
      process.stdout.write(`handled ${batch.messages.length}\n`);
      if (point !== 'all are appended') return;
      die();
      await never;
    },
  });
const publish: KafkaClient['publish'] = async (messages, signal) => {
  await client.publish(messages, signal);
  if (point !== 'dead letters are acknowledged') return;
  die();
  await never;
};
joinIngest(meeting, { ...core, commands }, { consume, publish });
