import { DATABASES } from '@rowlock/app-shared/testing';
import { describeFlow } from './support/describe-flow.js';

// Each database once and each claim once: the other pairs are proofs.
for (const [place, database] of DATABASES.entries()) describeFlow(database, place === 0 ? 'hold' : 'lease');
