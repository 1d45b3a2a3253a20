import { POSTGRES } from '@rowlock/app-shared/testing';
import { describe } from 'vitest';
import { describePage } from './support/describe-page.js';

describe('on Postgres', () => describePage(POSTGRES));
