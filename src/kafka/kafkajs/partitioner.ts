import { Partitioners, type ICustomPartitioner, type Message, type RecordMetadata } from 'kafkajs';

type TopicMessages = readonly { readonly topic: string; readonly messages: readonly Message[] }[];

/** Chooses the partitions of messages, and checks whether the brokers have answered for all of them. */
export type Partitioner = {
  readonly createPartitioner: ICustomPartitioner;
  /** The library retries at new leaders, but skips brokers that have answered: messages moved there are lost, yet count as sent. Answers tell. */
  unanswered(sent: TopicMessages, answers: readonly RecordMetadata[]): readonly string[];
};

export const makePartitioner = (): Partitioner => {
  const choose = Partitioners.DefaultPartitioner();
  /** A message without a key also keeps its partition: a retry of the library must be the same request. */
  const chosen = new WeakMap<Message, number>();
  return {
    createPartitioner: () => (args) => {
      const partition = chosen.get(args.message) ?? choose(args);
      chosen.set(args.message, partition);
      return partition;
    },
    unanswered: (sent, answers) => {
      const answered = new Set(answers.map(({ topicName, partition }) => `${topicName}/${partition}`));
      const wanted = sent.flatMap(({ topic, messages }) =>
        messages.map((message) => `${topic}/${chosen.get(message)}`),
      );
      return [...new Set(wanted)].filter((place) => !answered.has(place));
    },
  };
};
