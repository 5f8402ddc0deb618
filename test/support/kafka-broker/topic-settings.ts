/** The settings of all topics, with this prefix in their names. */
export const topicSettings = (prefix: string) => ({
  KAFKA_TOPIC_ACTIVATIONS: `${prefix}.activations`,
  KAFKA_TOPIC_GRANTS: `${prefix}.grants`,
  KAFKA_TOPIC_ADDONS: `${prefix}.addons`,
  KAFKA_TOPIC_PROFILES: `${prefix}.profiles`,
  KAFKA_TOPIC_RESERVATIONS: `${prefix}.reservations`,
  KAFKA_TOPIC_ACCESS_RIGHTS: `${prefix}.access-rights`,
  KAFKA_TOPIC_DEAD_LETTER: `${prefix}.dead-letter`,
});
