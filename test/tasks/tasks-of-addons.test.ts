import { entities } from '../../src/tasks/entities.ts';
import { eachTask } from './each-task.ts';

const { testTasksOf } = await eachTask();
testTasksOf(...entities.map(({ name }) => name).filter((name) => name !== 'organization' && name !== 'user'));
