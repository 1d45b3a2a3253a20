/** SHA-256 of each migration, in their order. A test writes this file: see CONTRIBUTING.md. */
export const CHECKSUMS = {
  '0001_jobs': '773415362587deb433a961b606f777df081028326005082e094b45d865e9e5fd',
};
