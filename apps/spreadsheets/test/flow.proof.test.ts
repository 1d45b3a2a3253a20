import { DATABASES } from '@rowlock/app-shared/testing';
import { describeFlow } from './support/describe-flow.js';

for (const [place, database] of DATABASES.entries()) describeFlow(database, place === 0 ? 'lease' : 'hold');
