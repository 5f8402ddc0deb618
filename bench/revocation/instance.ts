import { setTimeout as delay } from 'node:timers/promises';
import { startInstance, type Instance } from '../../demo/running-service.ts';
import { closedInAnyCase } from '../closing.ts';

type Role = 'leading' | 'standby';

export type OpenInstance = Instance & {
  /** Waits until the instance reports this role. @throws if it never does: then the measurement is impossible */
  waitForRole(worker: 'projector' | 'revocations', role: Role): Promise<void>;
};

const patience = 60_000;

/** Starts an instance of the service that can be asked for its role. */
export const openInstance = async (env: NodeJS.ProcessEnv): Promise<OpenInstance> => {
  const instance = await startInstance(env);
  return {
    ...instance,
    stop: closedInAnyCase(() => instance.stop()),
    async waitForRole(worker, role) {
      const deadline = performance.now() + patience;
      let said: string | undefined;
      while (performance.now() < deadline) {
        const answer = await fetch(`${instance.baseUrl}/health/ready`);
        const { checks } = (await answer.json()) as { checks?: Record<string, string> };
        said = checks?.[worker];
        if (said === role) return;
        await delay(20);
      }
      throw new Error(`an instance says that its ${worker} is ${said ?? 'unknown'}, where ${role} is needed`);
    },
  };
};
