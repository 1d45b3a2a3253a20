/** SHA-256 of each migration, in their order. A test writes this file: see CONTRIBUTING.md. */
export const CHECKSUMS = {
  '0001_jobs': 'bbb47a25b27195dfabde454256aeacf7d1b40b570cc53f9371c773c36d1dbfc9',
};
