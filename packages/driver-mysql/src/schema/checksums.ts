/** SHA-256 of each migration, in their order. A test writes this file: see CONTRIBUTING.md. */
export const CHECKSUMS = {
  '0001_jobs': '6cbe0cbf15c80192d99dca911ba9bff7500a0b49af1a1422fd00ecb72f20504f',
  '0002_enqueue': '47a7f5998314cd75b7a600d7032892249d6cf218c70cafcffa07d37957c5e066',
  '0003_limits': '4d9a86f9c01cc289dae4612a9315b21e606f5a115f4a918048d4c081e93e3d1d',
};
