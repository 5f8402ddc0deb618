import { Partitioners, type ICustomPartitioner, type Message, type RecordMetadata } from 'kafkajs';

type TopicMessages = readonly { readonly topic: string; readonly messages: readonly Message[] }[];

/** Which partitions messages go to, and whether the brokers have answered for all of them. */
export type Partitioner = {
  readonly createPartitioner: ICustomPartitioner;
  /**
   * The library tries a request again at the partitions' new leaders, and leaves out those that have answered already: what
   * moved to such a one in between is sent nowhere, and the whole is called a success. Only the answers tell.
   */
  unanswered(sent: TopicMessages, answers: readonly RecordMetadata[]): readonly string[];
};

export const makePartitioner = (): Partitioner => {
  const choose = Partitioners.DefaultPartitioner();
  /** Also messages without a key get a partition once: a request that the library repeats must be the same request. */
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
