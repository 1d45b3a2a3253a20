import { describeYear } from '../../test/describe-year.js';

describeYear([
  'America/New_York',
  'Asia/Tehran',
  'Pacific/Chatham',
  'Europe/Dublin',
  'America/Havana',
  'Africa/Cairo',
  'Asia/Beirut',
  'America/Asuncion',
]);
