/** SHA-256 of each migration, in their order. A test writes this file: see CONTRIBUTING.md. */
export const CHECKSUMS = {
  '0001_jobs': '5650088c5fc2cdd6a66828c415e91f421de76054e935c3c652a58fd3db9bbc7d',
  '0002_expiry': 'cfb6841392b1ad9c148eaa252ca3aa7c5bcdcdde0af7b9bd4e7397947fd294d6',
  '0003_workers': '91d6d5e4b2a307bc818afd8a2f9f30bf43f2c1cc5d8f237604b463f1720665f7',
  '0004_audit': 'fefb1471b50bbbddcb8758b9bd0fe044b80a6ffb4a0d254acf1bd312af3c4b15',
};
