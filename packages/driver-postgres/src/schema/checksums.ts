/** SHA-256 of each migration, in their order. A test writes this file: see CONTRIBUTING.md. */
export const CHECKSUMS = {
  '0001_jobs': '5650088c5fc2cdd6a66828c415e91f421de76054e935c3c652a58fd3db9bbc7d',
};
