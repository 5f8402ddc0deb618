export type ReadinessAnswer = {
  readonly status: string;
  readonly checks: Readonly<Record<string, string>>;
};

/** An instance's readiness; `status` is `away` if it does not answer. */
export const askReadiness = async (baseUrl: string): Promise<ReadinessAnswer> =>
  fetch(`${baseUrl}/health/ready`).then(
    async (answer) => (await answer.json()) as ReadinessAnswer,
    () => ({ status: 'away', checks: {} }),
  );
