import { POSTGRES } from '@rowlock/app-shared/testing';
import { describe } from 'vitest';
import { describePage } from './support/describe-page.js';

describe('the page on Postgres', () => describePage(POSTGRES));
